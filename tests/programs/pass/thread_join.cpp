// Join orders everything that a thread did before everything that comes after.
#include <cassert>
#include <thread>
#include <vector>

int main() {
  std::vector<int> squares(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&squares, i] { squares[i] = i * i; });
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < 4; ++i) assert(squares[i] == i * i);
}
