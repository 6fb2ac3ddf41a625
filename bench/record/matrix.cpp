// Multiplies matrices: loops whose ends are known, and nothing else.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

static double run(int n, int rounds) {
  std::vector<double> a(static_cast<std::size_t>(n) * n), b(a.size()), c(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<double>(i % 7);
    b[i] = static_cast<double>(i % 5);
  }
  for (int r = 0; r < rounds; ++r) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int k = 0; k < n; ++k)
          sum += a[static_cast<std::size_t>(i) * n + k] * b[static_cast<std::size_t>(k) * n + j];
        c[static_cast<std::size_t>(i) * n + j] = sum;
      }
    }
    a[static_cast<std::size_t>(r) % a.size()] = c[static_cast<std::size_t>(r) * 31 % c.size()] / 1e6;
  }
  double sum = 0;
  for (double x : c) sum += x;
  return sum;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 40;
  double a = 0, b = 0;
  std::thread first([&] { a = run(300, rounds); });
  std::thread second([&] { b = run(280, rounds); });
  first.join();
  second.join();
  std::printf("%.3f %.3f\n", a, b);
}
