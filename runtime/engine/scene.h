// Scene: what findings are made from. Those who report read threads, objects, locks and stacks from here, and
// change nothing but the channel.
#pragma once

#include <cstdint>

#include "core/trace/channel.h"
#include "runtime/engine/stacks.h"
#include "runtime/sched/lock_graph.h"
#include "runtime/sched/scheduler.h"
#include "runtime/sched/sync_object.h"

namespace heddle::engine {

// Whom a finding tells that it begins.
class FindingHost {
 public:
  // The finding's event, at the place where the running thread is; nullptr when events are off.
  virtual Event* record_finding() = 0;

 protected:
  ~FindingHost() = default;
};

struct Scene {
  const Channel& channel;
  sched::Scheduler& scheduler;
  sched::SyncTable& objects;
  sched::LockGraph& locks;
  Stacks& stacks;
  FindingHost& host;

  sched::Thread& running() const { return scheduler.self(); }
  const sched::Thread& thread(ThreadId id) const { return scheduler.thread(id); }
  std::uint32_t text(const char* words) const { return channel.add_text(words, strlen(words)); }
};

// The kind of finding for wrong use of such an object.
FindingKind misuse_of(sched::SyncKind kind);

}  // namespace heddle::engine
