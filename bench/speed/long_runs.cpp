// One long execution of one kind of operation, for `heddle bench speed`, which builds it natively, with
// ThreadSanitizer and with heddle:
//
//   long_runs FILE atomic OPERATION ORDER THREADS LOCATIONS COUNT
//   long_runs FILE mutex - - THREADS LOCATIONS COUNT
//   long_runs FILE plain LOOP BYTES COUNT
//
// Writes the CPU nanoseconds of one operation and the kilobytes of memory that the run took into FILE, unless
// that is "-". The time is the kernel's own: what libc tells is virtual under heddle.
#include <sys/syscall.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "race_loops.h"

namespace {

std::uint64_t cpu_nanoseconds() {
  timespec t{};
  long result;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(SYS_clock_gettime), "D"(CLOCK_PROCESS_CPUTIME_ID), "S"(&t)
               : "rcx", "r11", "memory");
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

bool measuring = true;

long resident_kilobytes() {
  long resident = 0;
  if (!measuring) return 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*d %ld", &resident) != 1) resident = 0;
    std::fclose(file);
  }
  return resident * 4;
}

struct alignas(64) Location {
  std::atomic<std::uint32_t> value{0};
  std::mutex mutex;
  std::uint64_t guarded = 0;
};

struct Work {
  std::vector<Location> locations;
  std::uint32_t each = 0;  // operations of a thread
};

template <typename Operation>
void repeat(Work& work, std::uint32_t thread, Operation operation) {
  const auto mask = static_cast<std::uint32_t>(work.locations.size() - 1);
  for (std::uint32_t i = 0; i < work.each; ++i) operation(work.locations[(i + thread) & mask], i);
}

constexpr std::memory_order load_order(std::memory_order order) {
  return order == std::memory_order_acq_rel ? std::memory_order_acquire : order;
}
constexpr std::memory_order store_order(std::memory_order order) {
  return order == std::memory_order_acq_rel ? std::memory_order_release : order;
}

template <std::memory_order kOrder>
void atomics(Work& work, std::uint32_t thread, const char* operation) {
  if (std::strcmp(operation, "load") == 0) {
    repeat(work, thread, [](Location& x, std::uint32_t) { x.value.load(load_order(kOrder)); });
  } else if (std::strcmp(operation, "store") == 0) {
    repeat(work, thread, [](Location& x, std::uint32_t i) { x.value.store(i, store_order(kOrder)); });
  } else if (std::strcmp(operation, "update") == 0) {
    repeat(work, thread, [](Location& x, std::uint32_t) { x.value.fetch_add(1, kOrder); });
  } else {
    // Half loads, a quarter stores, a quarter updates.
    repeat(work, thread, [](Location& x, std::uint32_t i) {
      if ((i & 1) == 0) {
        x.value.load(load_order(kOrder));
      } else if ((i & 2) == 0) {
        x.value.store(i, store_order(kOrder));
      } else {
        x.value.fetch_add(1, kOrder);
      }
    });
  }
}

void mutexes(Work& work, std::uint32_t thread) {
  repeat(work, thread, [](Location& x, std::uint32_t) {
    const std::lock_guard<std::mutex> lock(x.mutex);
    ++x.guarded;
  });
}

template <typename Body>
void run_threads(std::uint32_t count, Body body) {
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < count; ++t) threads.emplace_back(body, t);
  for (std::thread& thread : threads) thread.join();
}

// `count` sweeps over `bytes`; the operations of one sweep.
std::uint64_t plain(const char* loop, std::size_t bytes, std::uint32_t count, void* memory) {
  const auto sweep = [&](auto body) {
    for (std::uint32_t i = 0; i < count; ++i) body();
  };
  char* const half = static_cast<char*>(memory) + bytes / 2;
  if (std::strcmp(loop, "add") == 0) {
    sweep([&] { add_to_each(static_cast<int*>(memory), bytes / sizeof(int), 3); });
    return bytes / sizeof(int);
  }
  if (std::strcmp(loop, "fields") == 0 || std::strcmp(loop, "structs") == 0) {
    const std::size_t structs = bytes / 2 / sizeof(Particle);
    auto* to = reinterpret_cast<Particle*>(half);
    const auto* from = static_cast<const Particle*>(memory);
    const bool whole = loop[0] == 's';
    sweep([&] { whole ? copy_structs(to, from, structs) : copy_fields(to, from, structs); });
    return structs;
  }
  sweep([&] { fill(memory, 7, bytes); });
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  measuring = std::strcmp(argv[1], "-") != 0;
  // From here on threads have existed, and under heddle this is the execution's own process.
  std::thread([] {
    static std::atomic<int> first;
    first.store(1, std::memory_order_relaxed);
  }).join();

  Work work;
  std::uint64_t begin = 0, end = 0, operations = 0;
  long resident = 0;
  if (std::strcmp(argv[2], "plain") == 0) {
    const auto bytes = static_cast<std::size_t>(std::atol(argv[4]));
    const auto count = static_cast<std::uint32_t>(std::atol(argv[5]));
    void* memory = std::malloc(bytes);
    std::memset(memory, 0, bytes);
    plain(argv[3], bytes, 1, memory);  // touches memory and shadow
    resident = resident_kilobytes();
    begin = cpu_nanoseconds();
    operations = plain(argv[3], bytes, count, memory) * count;
    end = cpu_nanoseconds();
    std::free(memory);
  } else {
    const auto threads = static_cast<std::uint32_t>(std::atol(argv[5]));
    work.locations = std::vector<Location>(static_cast<std::size_t>(std::atol(argv[6])));
    work.each = static_cast<std::uint32_t>(std::atol(argv[7])) / threads;
    operations = std::uint64_t{work.each} * threads;
    resident = resident_kilobytes();
    begin = cpu_nanoseconds();
    run_threads(threads, [&](std::uint32_t t) {
      if (std::strcmp(argv[2], "mutex") == 0) {
        mutexes(work, t);
      } else if (std::strcmp(argv[4], "relaxed") == 0) {
        atomics<std::memory_order_relaxed>(work, t, argv[3]);
      } else if (std::strcmp(argv[4], "acq_rel") == 0) {
        atomics<std::memory_order_acq_rel>(work, t, argv[3]);
      } else {
        atomics<std::memory_order_seq_cst>(work, t, argv[3]);
      }
    });
    end = cpu_nanoseconds();
  }
  if (measuring) {
    const long grown = resident_kilobytes() - resident;
    std::FILE* file = std::fopen(argv[1], "w");
    if (file == nullptr) return 2;
    std::fprintf(file, "%.3f %ld\n", static_cast<double>(end - begin) / static_cast<double>(operations),
                 grown);
    std::fclose(file);
  }
  if (std::strcmp(argv[2], "mutex") == 0) {
    std::uint64_t sum = 0;
    for (const Location& x : work.locations) sum += x.guarded;
    if (sum != operations) return 3;
  }
  return 0;
}
