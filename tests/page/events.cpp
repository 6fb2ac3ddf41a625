// Twenty thousand events, and texts that would be markup if they were not escaped. Fails in every execution.
#include <heddle/heddle.h>

#include <atomic>
#include <cstdio>
#include <thread>

std::atomic<int> counter{0};
std::atomic<int> flag{0};

int main() {
  heddle_note("</script><script>document.title='owned'</script>");
  heddle_note("<img src=x onerror=\"document.title='owned'\">");
  std::puts("<b>output</b> &amp; @HEDDLE_DATA@");
  std::fflush(stdout);
  std::thread other([] {
    for (int i = 0; i < 1500; ++i) counter.fetch_add(1, std::memory_order_relaxed);
    flag.store(1, std::memory_order_release);
  });
  for (int i = 0; i < 19000; ++i) counter.load(std::memory_order_relaxed);
  flag.load(std::memory_order_acquire);
  other.join();
  heddle_fail("<i>it</i> failed");
}
