// executions: 50
// A program that handles its own faults: by a jump, and by mending what was wrong.
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include <cassert>
#include <thread>

sigjmp_buf back;
char* page = nullptr;

void jump_back(int) { siglongjmp(back, 1); }
void mend(int, siginfo_t* info, void*) {
  assert(info->si_addr == page);
  assert(mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0);
}

int main() {
  signal(SIGSEGV, jump_back);
  for (int i = 0; i < 2; ++i) {
    if (sigsetjmp(back, 1) == 0) {
      *reinterpret_cast<volatile int*>(8) = 1;
      assert(!"not reached");
    }
  }
  page = static_cast<char*>(mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  struct sigaction action = {};
  action.sa_sigaction = mend;
  action.sa_flags = SA_SIGINFO;
  assert(sigaction(SIGSEGV, &action, nullptr) == 0);
  std::thread thread([] { *page = 1; });
  thread.join();
  assert(*page == 1);
}
