// What strategies have in common that follow the execution: they count events, notice threads that spin, and
// give each execution a fingerprint that does not depend on the order of independent operations.
//
// An event is counted once, when its thread is first about to perform it: at a choice of threads, at the
// choice of a store, or at the latest when it was performed, where there was nothing to choose. Events count
// only while there is more than one thread: "these accesses never execute concurrently" (thesis, 7.1.4).
#pragma once

#include "core/base/random.h"
#include "runtime/strategy/choice_record.h"
#include "runtime/strategy/independence.h"
#include "runtime/strategy/read_pairs.h"
#include "runtime/strategy/strategy.h"
#include "runtime/strategy/thread_table.h"

namespace heddle::strategy {

class Follower : public Strategy, public Observer {
 public:
  void attach(Learning* learning) override { learning_ = learning; }
  void begin(std::uint64_t seed, std::uint64_t index, const View& view) override;
  Observer* observer() override { return this; }
  void performed(const Operation& operation) override;
  bool may_break_off() const override { return false; }
  void end(ExecutionResult& result) override;
  void teach(const ExecutionResult& result) override;
  // Where the picks of executions are recorded that are worth varying if they show something new.
  void keep_picks(ChoiceRecord* record) { record_ = record; }
  // Of several that take turns one set of tables is enough: fewer pages are touched.
  void share_tables(const Follower& other) { pairs_.share(other.pairs_); }
  std::uint64_t needs(std::uint64_t index) const override { return round_begin(round_of(index)); }

 private:
  static constexpr std::uint32_t kSpinReads = 12;
  static constexpr std::uint32_t kPlaces = 4;
  struct Record {
    std::uint64_t hash;  // of what the thread has read
    std::uint32_t places[kPlaces];
    std::uint32_t repeated;
    bool counted;
  };

 protected:
  ~Follower() = default;

  // Draws what the execution needs.
  virtual void start() {}
  // The thread is about to perform this event for the first time. True: it is put off, and another thread may
  // have become the one to run.
  virtual bool meet(ThreadId, const NextOperation&) { return false; }
  virtual void after(const Operation&) {}

  // Counts the thread's next operation unless that has been done. True: it was put off.
  bool encounter(ThreadId thread) {
    Record& record = threads_[thread];
    return !record.counted && encounter_anew(record, thread);
  }

  // Is the running thread about to do what commutes with everything (independence.h)? Then it goes on:
  // threads are created before those that exist end, and no behaviour is lost.
  bool continues_locally(const ChoicePoint& point) const {
    return point.thread_can_continue && is_local(view_->next_operation(point.thread).kind);
  }

  // Has the thread read the same stores at the same places over and over?
  bool is_spinning(ThreadId thread) { return threads_[thread].repeated >= kSpinReads; }
  void stop_spinning(ThreadId thread) { threads_[thread].repeated = 0; }

  // What earlier rounds have shown; 0: nothing yet.
  std::uint32_t learned_events() const;
  std::uint32_t learned_communications() const;

  std::uint32_t below(std::uint32_t bound) { return random_.below(bound); }

  Random random_;
  const View* view_ = nullptr;
  Learning* learning_ = nullptr;
  std::uint64_t seed_ = 0;
  std::uint64_t index_ = 0;
  std::uint32_t events_ = 0;
  std::uint32_t communications_ = 0;
  ChoiceRecord* record_ = nullptr;

 private:
  static constexpr std::uint32_t kTurns = 256;

  bool encounter_anew(Record& record, ThreadId thread);
  // Has the thread just read the same store there?
  bool watch_spin(Record& thread, const Operation& operation);

  ThreadTable<Record> threads_;
  ReadPairs pairs_;

  // How far the execution had come when it was asked what it was like: at its end, and before that at its
  // last check, after which nothing counts (runtime/session/checks.h). Who says that it is over may be
  // another process than the one that ran it.
  struct Mark {
    std::uint64_t fingerprint;
    std::uint32_t pairs;
    std::uint32_t picks;
  };
  struct Marks {
    Mark last, before;
  };
  Marks* marks_ = static_cast<Marks*>(map_shared_pages(sizeof(Marks)));
  std::uint32_t turns_[kTurns] = {};  // operations on synchronisation objects, by a hash of their address
};

}  // namespace heddle::strategy
