// expect: data race
// A member of std::string that lives in the C++ library writes while another thread reads the characters.
#include <string>
#include <thread>

std::string text(40, 'x');
volatile std::size_t length = 20;

int main() {
  std::thread writer([] {
    const std::size_t length = ::length;
    text.replace(3, length, length, 'y');
  });
  int count = 0;
  for (int i = 0; i < 30; ++i) count += text[static_cast<std::size_t>(i)] == 'y' ? 1 : 0;
  writer.join();
  return count > 40;
}
