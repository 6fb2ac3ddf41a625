// Counts the words of a text that it makes up: strings, a hash table, allocation, the library's code inlined.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <unordered_map>

static std::size_t run(unsigned seed, int words) {
  std::unordered_map<std::string, int> count;
  std::string word;
  std::size_t longest = 0;
  for (int i = 0; i < words; ++i) {
    seed = seed * 1664525u + 1013904223u;
    unsigned left = (seed >> 8) % 4'000;
    word.clear();
    do {
      word += static_cast<char>('a' + left % 26);
      left /= 26;
    } while (left != 0);
    const int n = ++count[word];
    if (static_cast<std::size_t>(n) > longest) longest = static_cast<std::size_t>(n);
  }
  return count.size() * 1000 + longest;
}

int main(int argc, char** argv) {
  const int words = argc > 1 ? std::atoi(argv[1]) : 24'000'000;
  std::size_t a = 0, b = 0;
  std::thread first([&] { a = run(1, words); });
  std::thread second([&] { b = run(2, words); });
  first.join();
  second.join();
  std::printf("%zu %zu\n", a, b);
}
