// Histories of a real program, without an engine: each thread writes into memory of its own, and
// `heddle lin check FILE --spec S` judges the file later.
//
//   heddle::lin::Recorder recorder("queue.jsonl");
//   recorder.call("enq", {7}, [&] { queue.push(7); });
//   std::optional<int> v = recorder.call("deq", {}, [&] { return queue.pop(); });
//
// An operation's time is measured from before its call until after its return, by the system's monotonic
// clock; where two readings are equal the operations count as overlapping. So what is recorded as a violation
// is one. Operations that were never seen to return, as at a crash, are pending: for a history that is to
// survive one, ask for Keep::kEachEvent.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <initializer_list>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/lin/reply.hpp"

namespace heddle::lin {

enum class Keep : std::uint8_t {
  kUntilSaved,  // in memory; save() and the destructor write the file
  kEachEvent    // in the file at once, by a system call for each event
};

class Recorder {
 public:
  explicit Recorder(std::string path, Keep keep = Keep::kUntilSaved)
      : path_(std::move(path)), keep_(keep), number_(next_number()) {
    if (keep_ == Keep::kEachEvent)
      file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
  }
  ~Recorder() {
    save();
    if (file_ >= 0) ::close(file_);
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Calls `body` and gives back what it gave.
  template <typename Body>
  auto call(const char* method, std::initializer_list<Value> arguments, Body&& body) -> decltype(body()) {
    Lane& lane = own_lane();
    const std::uint64_t id = operations_.fetch_add(1, std::memory_order_relaxed);
    add(lane, {now(), id, lane.thread, false, method, arguments, {}});
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      add(lane, {now(), id, lane.thread, true, method, {}, Reply::nothing()});
    } else {
      auto result = body();
      add(lane, {now(), id, lane.thread, true, method, {}, reply_of(result)});
      return result;
    }
  }

  // Writes what all threads have recorded so far. REQUIRES: none of them is recording.
  // Answers whether it could be written.
  bool save() {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (keep_ == Keep::kEachEvent) return file_ >= 0;
    std::vector<const Event*> events;
    for (const Lane& lane : lanes_) {
      for (const Event& event : lane.events) events.push_back(&event);
    }
    std::sort(events.begin(), events.end(), [](const Event* a, const Event* b) {
      if (a->time != b->time) return a->time < b->time;
      // At one moment: calls first, so that the operations overlap; but an operation of the same thread that
      // began after another ended does not.
      if (a->thread == b->thread) return a < b;
      return !a->returns && b->returns;
    });
    std::FILE* file = std::fopen(path_.c_str(), "w");
    if (file == nullptr) return false;
    for (const Event* event : events) std::fputs(line_of(*event).c_str(), file);
    return std::fclose(file) == 0;
  }

 private:
  struct Event {
    std::uint64_t time;
    std::uint64_t id;
    std::uint32_t thread;
    bool returns;
    const char* method;
    std::vector<Value> arguments;
    Reply reply;
  };
  struct Lane {
    std::uint32_t thread;
    std::deque<Event> events;
  };

  static std::uint64_t next_number() {
    static std::atomic<std::uint64_t> latest{0};
    return ++latest;
  }

  static std::uint64_t now() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }

  Lane& own_lane() {
    struct Known {
      std::uint64_t recorder;
      Lane* lane;
    };
    thread_local std::vector<Known> known;
    for (const Known& entry : known) {
      if (entry.recorder == number_) return *entry.lane;
    }
    const std::lock_guard<std::mutex> guard(mutex_);
    lanes_.push_back({static_cast<std::uint32_t>(lanes_.size()), {}});
    known.push_back({number_, &lanes_.back()});
    return lanes_.back();
  }

  void add(Lane& lane, Event event) {
    if (keep_ == Keep::kUntilSaved) {
      lane.events.push_back(std::move(event));
      return;
    }
    const std::string line = line_of(event);
    if (file_ >= 0 && ::write(file_, line.data(), line.size()) < 0) {
      ::close(file_);
      file_ = -1;
    }
  }

  static std::string line_of(const Event& event) {
    const std::string id = ",\"op\":" + std::to_string(event.id);
    if (event.returns) return "{\"type\":\"return\"" + id + ",\"result\":" + json_of(event.reply) + "}\n";
    std::string arguments;
    for (const Value value : event.arguments)
      arguments += (arguments.empty() ? "" : ",") + std::to_string(value);
    return "{\"type\":\"invoke\"" + id + ",\"thread\":" + std::to_string(event.thread) + ",\"method\":\"" +
           event.method + "\",\"args\":[" + arguments + "]}\n";
  }

  std::string path_;
  Keep keep_;
  std::uint64_t number_;
  int file_ = -1;
  std::atomic<std::uint64_t> operations_{0};
  std::mutex mutex_;
  std::deque<Lane> lanes_;
};

}  // namespace heddle::lin
