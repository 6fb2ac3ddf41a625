// executions: 30
// The threads of the program under /proc/self/task, and how many there are.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cassert>
#include <filesystem>
#include <fstream>
#include <semaphore>
#include <string>
#include <thread>

namespace {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

int threads_in_status() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("Threads:", 0) == 0) return std::stoi(line.substr(8));
  }
  return -1;
}

int threads_in_folder() {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    if (std::stoi(entry.path().filename()) >= getpid()) ++count;
  }
  return count;
}

}  // namespace

int main() {
  std::binary_semaphore named(0);
  std::binary_semaphore seen(0);
  int tid = 0;
  std::thread worker([&] {
    pthread_setname_np(pthread_self(), "worker");
    tid = gettid();
    named.release();
    seen.acquire();
  });
  named.acquire();
  assert(first_line("/proc/self/task/" + std::to_string(tid) + "/comm") == "worker");
  assert(first_line("/proc/self/task/" + std::to_string(gettid()) + "/comm") != "worker");
  assert(threads_in_folder() == 2);
  assert(threads_in_status() == 2);
  seen.release();
  worker.join();
  assert(threads_in_folder() == 1);
}
