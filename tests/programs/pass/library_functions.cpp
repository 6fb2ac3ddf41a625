// Functions of the C library that may be called from any thread.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <regex>
#include <string>
#include <thread>
#include <vector>

std::regex pattern("([a-z]+)=([0-9]+)");

void work(int n) {
  assert(std::getenv("PATH") == nullptr || std::getenv("PATH")[0] != '\1');
  const std::time_t when = 1'000'000'000 + n;
  std::tm parts{};
  localtime_r(&when, &parts);
  gmtime_r(&when, &parts);
  assert(parts.tm_year == 101);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  assert(std::strcmp(text, "2001-09-09") == 0);
  assert(std::strtol("42", nullptr, 10) == 42 && std::lround(std::sqrt(2.0) * 100) == 141);
  std::string copy = strerror_r(2, text, sizeof text);
  std::smatch match;
  const std::string input = "size=" + std::to_string(n);
  assert(std::regex_match(input, match, pattern) && match[2] == std::to_string(n));
  std::vector<int> numbers{3, 1, 2};
  std::sort(numbers.begin(), numbers.end());
  char* duplicate = strdup(input.c_str());
  assert(std::memcmp(duplicate, input.data(), input.size()) == 0);
  std::free(duplicate);
}

int main() {
  std::thread first(work, 1), second(work, 2);
  first.join();
  second.join();
}
