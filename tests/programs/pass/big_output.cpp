// executions: 20
// Half a megabyte of output from each execution, through stdio, iostreams and write.
#include <unistd.h>

#include <cassert>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

int main() {
  std::mutex mutex;
  const std::string line(1023, 'x');
  const auto print = [&](int way) {
    for (int i = 0; i < 170; ++i) {
      std::lock_guard lock(mutex);
      if (way == 0) std::printf("%s\n", line.c_str());
      if (way == 1) std::cout << line << '\n';
      if (way == 2)
        assert(write(STDERR_FILENO, line.data(), line.size()) == static_cast<ssize_t>(line.size()));
    }
  };
  std::thread first(print, 0), second(print, 1);
  print(2);
  first.join();
  second.join();
}
