// Instructions of one operation under heddle, counted by the processor's trap flag: exact, the same every
// time, and on the code that users run. For tests/end_to_end/instruction_counts_test.py.
//
//   instructions FILE
//
// Writes a line for each kind of operation: its name and the instructions of one, in two threads that take
// turns.
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#define NOT_COUNTED __attribute__((no_sanitize("thread"), noinline))

namespace {

std::uint64_t steps = 0;

NOT_COUNTED void on_step(int) { ++steps; }

asm(R"(
  .text
step_return:
  movq $15, %rax
  syscall
)");
extern "C" void step_return();

// The kernel's own structure: what libc's sigaction installs would be heddle's business.
struct KernelAction {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};

NOT_COUNTED void install() {
  const KernelAction action = {on_step, 0x04000000 /* SA_RESTORER */, step_return, 0};
  long result;
  register long size asm("r10") = 8;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(SYS_rt_sigaction), "D"(SIGTRAP), "S"(&action), "d"(0), "r"(size)
               : "rcx", "r11", "memory");
}

constexpr std::uint64_t kTrapFlag = 1u << 8;

inline __attribute__((always_inline)) void begin_steps() {
  asm volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq" : : "i"(kTrapFlag) : "memory", "cc");
}
inline __attribute__((always_inline)) void end_steps() {
  asm volatile("pushfq\n\tandq %0, (%%rsp)\n\tpopfq" : : "i"(~kTrapFlag) : "memory", "cc");
}

constexpr unsigned kOperations = 16;  // a step takes 20 µs on a virtual machine
constexpr unsigned kBefore = 1000;    // tables grow to the size that they keep

struct Progress {
  unsigned operations = 0;  // of both threads
  bool over = false;
} progress;

// Read and written behind heddle's back: they are no part of what is measured.
NOT_COUNTED bool is_over() {
  ++progress.operations;
  return progress.over;
}
NOT_COUNTED unsigned so_far() { return progress.operations; }
NOT_COUNTED void set_over(bool over) { progress = {0, over}; }

// The flag stays set when the fiber of the other thread is switched to, so both threads are counted; creating
// a thread is not, because libc blocks all signals then.
template <typename Operation>
void report(std::FILE* file, const char* name, Operation operation) {
  set_over(false);
  std::thread other([&] {
    for (unsigned i = 0; !is_over(); ++i) operation(i);
  });
  for (unsigned i = 0; i < kBefore; ++i) operation(i);
  const unsigned before = so_far();
  steps = 0;
  begin_steps();
  for (unsigned i = 0; i < kOperations; ++i) operation(i);
  end_steps();
  const unsigned operations = kOperations + so_far() - before;
  set_over(true);
  other.join();
  std::fprintf(file, "%s %.1f\n", name, static_cast<double>(steps) / operations);
}

std::atomic<std::uint32_t> relaxed_load, relaxed_store, release_store, relaxed_update, seq_cst_update, mixed;
std::mutex mutex;
std::uint64_t plain[64];
// What the text functions of libc work on: each thread has its own, without its end 100 characters.
constexpr char kText[] =
    "The quick brown fox jumps over the lazy dog, and 0123456789 times it comes back. So it goes on: 100.";
static_assert(sizeof kText == 101);
thread_local char texts[2][sizeof kText];
// The compiler knows these functions, and would do without them.
std::size_t (*volatile length_of)(const char*) = std::strlen;
char* (*volatile copy_of)(char*, const char*) = std::strcpy;
int (*volatile compared)(const char*, const char*) = std::strcmp;

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::thread([] {}).join();  // from here on this is the execution's own process
  install();
  std::FILE* file = std::fopen(argv[1], "w");
  if (file == nullptr) return 2;
  report(file, "load_relaxed", [](unsigned) { relaxed_load.load(std::memory_order_relaxed); });
  report(file, "store_relaxed", [](unsigned i) { relaxed_store.store(i, std::memory_order_relaxed); });
  report(file, "store_release", [](unsigned i) { release_store.store(i, std::memory_order_release); });
  report(file, "update_relaxed", [](unsigned) { relaxed_update.fetch_add(1, std::memory_order_relaxed); });
  report(file, "update_seq_cst", [](unsigned) { seq_cst_update.fetch_add(1); });
  report(file, "mixed_acq_rel", [](unsigned i) {
    if (i % 2 == 0) {
      mixed.load(std::memory_order_acquire);
    } else {
      mixed.store(i, std::memory_order_release);
    }
  });
  report(file, "mutex_pair", [](unsigned) { const std::lock_guard<std::mutex> lock(mutex); });
  report(file, "plain_write_in_lock", [](unsigned i) {
    const std::lock_guard<std::mutex> lock(mutex);
    plain[i % 64] = i;
  });
  report(file, "strlen_100", [](unsigned) {
    if (texts[0][0] == '\0') copy_of(texts[0], kText);
    length_of(texts[0]);
  });
  report(file, "strcpy_100", [](unsigned i) { copy_of(texts[i % 2], kText); });
  report(file, "strcmp_100", [](unsigned) {
    if (texts[0][0] == '\0') copy_of(texts[0], kText);
    compared(texts[0], kText);
  });
  std::fclose(file);
}
