// StringBuf: append(other) asks the other buffer for its length and copies so many characters, each in a
// critical section of its own. In between, another thread erases from it (Flanagan and Qadeer's version of
// the JDK 1.4 bug).
// bench/search has it with another eraser and in one round, bench/deep in C after SCTBench.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

class Buffer {
 public:
  explicit Buffer(int count) : count_(count) {
    for (int i = 0; i < count; ++i) text_[i] = 'a';
  }
  int length() {
    std::lock_guard<std::mutex> guard(lock_);
    return count_;
  }
  void copy(int from, int to, char* out) {
    std::lock_guard<std::mutex> guard(lock_);
    assert(to <= count_);
    for (int i = from; i < to; ++i) out[i - from] = text_[i];
  }
  void erase(int from, int to) {
    std::lock_guard<std::mutex> guard(lock_);
    for (int i = to; i < count_; ++i) text_[from + i - to] = text_[i];
    count_ -= to - from;
  }
  void append(Buffer& other) {
    char copied[16];
    const int length = other.length();
    other.copy(0, length, copied);
    std::lock_guard<std::mutex> guard(lock_);
    for (int i = 0; i < length; ++i) text_[count_ + i] = copied[i];
    count_ += length;
  }

 private:
  std::mutex lock_;
  int count_ = 0;
  char text_[32] = {};
};

Buffer source(8), target(2);

}  // namespace

int main() {
  for (int i = 0; i < 2; ++i) target.append(source);
  std::thread eraser([] {
    source.erase(0, 2);
    source.erase(0, 2);
  });
  target.append(source);
  eraser.join();
  return 0;
}
