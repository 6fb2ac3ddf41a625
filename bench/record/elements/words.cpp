// Counts words of texts that threads take from a shared list, in tables of their own that are merged at the
// end.
#include <mutex>
#include <string>
#include <unordered_map>

#include "common.h"

struct Work {
  std::mutex lock;
  std::uint64_t next = 0;
  std::uint64_t total = 0;
};
Work work;
std::unordered_map<std::string, std::uint64_t> merged;
std::mutex merged_lock;

static std::string text_of(std::uint64_t number) {
  Generator g{number * 7919 + 1};
  std::string text;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t word = g.next() % 512;
    text += static_cast<char>('a' + word % 26);
    text += static_cast<char>('a' + word / 26 % 26);
    text += ' ';
  }
  return text;
}

int main(int argc, char** argv) {
  work.total = rounds_of(argc, argv, 320'000);
  in_threads(2, [](unsigned) {
    std::unordered_map<std::string, std::uint64_t> counts;
    for (;;) {
      std::uint64_t number;
      {
        const std::scoped_lock guard(work.lock);
        if (work.next == work.total) break;
        number = work.next++;
      }
      const std::string text = text_of(number);
      std::string word;
      for (const char c : text) {
        if (c != ' ') {
          word += c;
        } else {
          ++counts[word];
          word.clear();
        }
      }
    }
    const std::scoped_lock guard(merged_lock);
    for (const auto& [word, count] : counts) merged[word] += count;
  });
  std::uint64_t sum = 0;
  for (const auto& [word, count] : merged) sum += count;
  std::printf("%llu\n", static_cast<unsigned long long>(sum));
  return sum == work.total * 200 ? 0 : 1;
}
