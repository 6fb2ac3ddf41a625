// StringBuf: append() asks for the other buffer's length and copies later, as many characters as there were.
// bench/cause has it with appends before the failing one, bench/deep in C after SCTBench.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

constexpr int kCapacity = 64;

class StringBuffer {
 public:
  void append(char c) {
    const std::lock_guard<std::mutex> guard(lock_);
    text_[length_++] = c;
  }
  int length() {
    const std::lock_guard<std::mutex> guard(lock_);
    return length_;
  }
  void erase() {
    const std::lock_guard<std::mutex> guard(lock_);
    length_ = 0;
  }
  void copy(int count, char* to) {
    const std::lock_guard<std::mutex> guard(lock_);
    assert(count <= length_);
    for (int i = 0; i < count; ++i) to[i] = text_[i];
  }
  void append(StringBuffer& other) {
    const int count = other.length();
    char copied[kCapacity];
    other.copy(count, copied);
    for (int i = 0; i < count; ++i) append(copied[i]);
  }

 private:
  std::mutex lock_;
  int length_ = 0;
  char text_[kCapacity] = {};
};

StringBuffer a, b;

}  // namespace

int main() {
  for (int i = 0; i < 20; ++i) b.append(static_cast<char>('a' + i));
  std::thread t1([] { a.append(b); }), t2([] { b.erase(); });
  t1.join();
  t2.join();
  return 0;
}
