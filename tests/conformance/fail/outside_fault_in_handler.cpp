// expect: fatal signal
// message: SIGSEGV at address 0x8
// A handler that only says goodbye does not hide the crash.
#include <signal.h>
#include <unistd.h>

#include <thread>

void say_goodbye(int) {
  (void)!write(STDERR_FILENO, "crashed\n", 8);
  _exit(3);
}

int main() {
  signal(SIGSEGV, say_goodbye);
  std::thread thread([] { *reinterpret_cast<volatile int*>(8) = 1; });
  thread.join();
}
