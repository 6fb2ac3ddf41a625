// What every litmus program does around its operations, as a tested program: threads are created, parked,
// released and joined such that the choices of an execution are those of the litmus program and no others.
// All of it happens inside scopes that are not explored, and each thread performs its first operation in the
// very step in which it is chosen. So exhaustive exploration visits each interleaving of the operations once
// for each way to read.
#pragma once

#include <heddle/heddle.h>
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <vector>

namespace heddle::bench {

class Semaphore {
 public:
  Semaphore() { sem_init(&semaphore_, 0, 0); }
  ~Semaphore() { sem_destroy(&semaphore_); }
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;
  void post() { sem_post(&semaphore_); }
  void wait() {
    while (sem_wait(&semaphore_) != 0) {
    }
  }

 private:
  sem_t semaphore_;
};

class LitmusRun {
 public:
  // Performs operation `step` of the calling thread, number `thread`; false: there is none.
  using Body = bool (*)(LitmusRun& run, std::size_t thread, std::size_t step);

  LitmusRun(std::size_t threads, std::size_t outcome_size, const std::vector<int>& initial, Body body,
            const void* program = nullptr)
      : outcome_(outcome_size),
        locations_(initial.size()),
        threads_(threads),
        body_(body),
        program_(program),
        left_(static_cast<int>(threads)) {
    for (std::size_t x = 0; x < initial.size(); ++x) {
      std::atomic_init(&locations_[x].value, initial[x]);
      locations_[x].name[0] = static_cast<char>('x' + x);
      heddle_name(&locations_[x].value, sizeof(int), locations_[x].name);
    }
  }

  std::atomic<int>& location(std::size_t x) { return locations_[x].value; }
  void note(std::size_t position, int value) { outcome_[position] = value; }
  const void* program() const { return program_; }

  // What was read, then the final values.
  const std::vector<int>& run() {
    AtomicScope scope;
    // No std::thread, which allocates: where a block has been freed, malloc has a choice.
    for (Thread& thread : threads_) {
      thread.run = this;
      if (pthread_create(&thread.handle, nullptr, start_thread, &thread) != 0) std::abort();
      parked_.wait();
    }
    for (Thread& thread : threads_) thread.go.post();
    all_done_.wait();  // here the threads run
    for (Thread& thread : threads_) thread.done.wait();
    const std::size_t finals = outcome_.size() - locations_.size();
    for (std::size_t x = 0; x < locations_.size(); ++x)
      outcome_[finals + x] = locations_[x].value.load(std::memory_order_relaxed);
    for (Thread& thread : threads_) {
      thread.go.post();
      pthread_join(thread.handle, nullptr);
    }
    return outcome_;
  }

 private:
  struct alignas(64) Location {
    std::atomic<int> value;
    char name[2] = {};
  };
  struct Thread {
    LitmusRun* run = nullptr;
    pthread_t handle{};
    Semaphore go, done;
  };

  static void* start_thread(void* argument) {
    auto& thread = *static_cast<Thread*>(argument);
    thread.run->run_thread(thread);
    return nullptr;
  }

  void run_thread(Thread& thread) {
    const auto number = static_cast<std::size_t>(&thread - threads_.data());
    heddle_atomic_begin();
    parked_.post();
    thread.go.wait();
    for (std::size_t step = 0; body_(*this, number, step); ++step) {
      if (step == 0) heddle_atomic_end();
    }
    heddle_atomic_begin();
    thread.done.post();
    if (left_.fetch_sub(1, std::memory_order_relaxed) == 1) all_done_.post();
    thread.go.wait();  // its end would be one more step: it comes when all are done
  }

  std::vector<int> outcome_;
  std::vector<Location> locations_;
  std::vector<Thread> threads_;
  Body body_;
  const void* program_;
  std::atomic<int> left_;
  Semaphore parked_, all_done_;
};

// "1 0 -2", after a number that is not negative. Not instrumented: it would cost as much as the litmus
// program itself.
__attribute__((no_sanitize("thread"), noinline)) inline void tell_outcome(const std::vector<int>& outcome,
                                                                          int number = -1) {
  const int* values = outcome.data();
  const std::size_t count = outcome.size();
  constexpr std::size_t kLongest = 12;  // of one number, with what separates it
  char text[512];
  std::size_t used = 0;
  for (std::size_t i = number < 0 ? 1 : 0; i <= count && used + kLongest < sizeof text; ++i) {
    const int value = i == 0 ? number : values[i - 1];
    if (used != 0) text[used++] = ' ';
    if (value < 0) text[used++] = '-';
    unsigned left = value < 0 ? 0u - static_cast<unsigned>(value) : static_cast<unsigned>(value);
    std::size_t digits = 1;
    for (unsigned rest = left; rest >= 10; rest /= 10) ++digits;
    for (std::size_t digit = used + digits; digit-- > used; left /= 10)
      text[digit] = static_cast<char>('0' + left % 10);
    used += digits;
  }
  text[used] = '\0';
  heddle_outcome(text);
}

}  // namespace heddle::bench
