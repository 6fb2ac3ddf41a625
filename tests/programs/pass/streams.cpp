// Streams, locales and formatting in several threads; each has its own streams but for std::cout.
#include <cassert>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <locale>
#include <sstream>
#include <string>
#include <thread>

void work(int n) {
  std::ostringstream out;
  out << std::boolalpha << (n > 1) << ' ' << std::setprecision(3) << n * 1.5 << ' ' << std::hex << n * 16;
  std::istringstream in(out.str());
  in.imbue(std::locale::classic());
  std::string word;
  double number = 0;
  in >> word >> number;
  assert(number == n * 1.5);
  std::cout << "thread " << n << ": " << out.str() << '\n';
  std::printf("%d %s\n", n, word.c_str());
  std::locale copy = std::locale();
  assert(std::use_facet<std::ctype<char>>(copy).toupper('a') == 'A');
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%05.2f|%s", number, word.c_str());
  assert(buffer[0] == '0');
}

int main() {
  std::thread first(work, 1), second(work, 2);
  work(3);
  first.join();
  second.join();
}
