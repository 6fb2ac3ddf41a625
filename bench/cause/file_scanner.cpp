// Pfscan: a parallel file scanner. Paths go through a queue to matchers; a matcher takes "not empty" for
// granted after it has let the lock go.
#include <cassert>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

const char* const kFiles[] = {"int main", "return 0", "void f()"};
std::mutex lock;
int queue[4];
int filled, next_out, next_in;
bool closed;
int matches;

void put(int file) {
  std::lock_guard<std::mutex> guard(lock);
  queue[next_in++ % 4] = file;
  filled++;
}

int get() {
  for (int tries = 0; tries < 2; ++tries) {
    lock.lock();
    const bool any = filled > 0;
    const bool is_closed = closed;
    lock.unlock();
    if (!any && is_closed) return -1;
    if (!any) continue;
    lock.lock();
    assert(filled > 0);
    filled--;
    const int file = queue[next_out++ % 4];
    lock.unlock();
    return file;
  }
  return -1;
}

void match() {
  const int file = get();
  if (file < 0) return;
  if (std::string(kFiles[file]).find("int") == std::string::npos) return;
  std::lock_guard<std::mutex> guard(lock);
  matches++;
}

}  // namespace

int main() {
  for (int file = 0; file < 2; ++file) {
    put(file);
    match();
  }
  std::vector<std::thread> matchers;
  std::thread walker([] {
    for (int file = 0; file < 2; ++file) put(file);
    std::lock_guard<std::mutex> guard(lock);
    closed = true;
  });
  for (int i = 0; i < 3; ++i) matchers.emplace_back(match);
  walker.join();
  for (std::thread& t : matchers) t.join();
  return 0;
}
