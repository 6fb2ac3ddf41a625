// Streams of the C++ library, which is not instrumented and calls libc for them: each thread its own, the
// standard ones by all (they may be used at the same time, [iostream.objects.overview]p5), and one file under
// a lock.
#include <cassert>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

int main() {
  std::ofstream log("/dev/null");
  std::mutex lock;
  const auto work = [&](int number) {
    std::ostringstream made;
    made << "thread " << number << ' ' << 1.5 << '\n';
    std::cout << made.str();
    std::cerr << "to all: " << number << std::endl;
    std::printf("%d %s", number, made.str().c_str());
    {
      const std::lock_guard guard(lock);
      log << made.str() << std::flush;
    }
    std::istringstream in("12 word 3.5");
    int first = 0;
    std::string word;
    double last = 0;
    assert(in >> first >> word >> last);
    std::ifstream version("/proc/version");
    std::string line;
    assert(std::getline(version, line) && !line.empty());
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, "%s %d", word.c_str(), std::stoi("42") + first);
    assert(std::string(buffer) == "word 54");
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(work, i);
  for (auto& thread : threads) thread.join();
}
