// Piper: ordering violation. Who waits for a place in the pipe looks once whether there is one (if instead of
// while), and goes on although another has taken it.
// Here producers look only once; in bench/search consumers do, too, and come late.
#include <condition_variable>
#include <mutex>

#include "coop.h"

constexpr int kCapacity = 4;
constexpr int kSeats = 6;  // of each producer

std::mutex monitor;
std::condition_variable changed;
int pipe_places[kCapacity];
int filled;
int first, last;
int booked, sold;

void put() {
  for (int i = 0; i < kSeats; ++i) {
    std::unique_lock<std::mutex> lock(monitor);
    if (filled == kCapacity) changed.wait(lock);
    assert(filled < kCapacity);
    pipe_places[last] = i;
    last = (last + 1) % kCapacity;
    ++filled;
    ++booked;
    changed.notify_all();
    lock.unlock();
    work(30);
  }
}

void take() {
  for (int i = 0; i < 2 * kSeats; ++i) {
    std::unique_lock<std::mutex> lock(monitor);
    while (filled == 0) changed.wait(lock);
    const int seat = pipe_places[first];
    first = (first + 1) % kCapacity;
    --filled;
    sold += seat >= 0 ? 1 : 0;
    changed.notify_all();
    lock.unlock();
    work(30);
  }
}

int main() {
  run_threads(put, put, take);
  assert(booked == sold);
}
