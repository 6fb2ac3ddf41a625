// expect: data race
// message: (libc)
// libstdc++ hands a large piece of the program's memory to write() as it is.
#include <fstream>
#include <thread>
#include <vector>

int main() {
  std::vector<char> data(1 << 16, 'x');
  std::thread writer([&] {
    std::ofstream out("/dev/null", std::ios::binary);
    out.write(data.data(), static_cast<std::streamsize>(data.size()));
  });
  data[1000] = 'y';
  writer.join();
}
