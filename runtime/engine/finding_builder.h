// FindingBuilder: writes one finding into the channel.
//
// Invariants: a finding is published when its builder ends, and not before; its signature is made of the kind
// and of the code places cited by parts of deciding roles, so that it is equal for one bug in all executions.
#pragma once

#include "core/trace/channel.h"
#include "runtime/engine/scene.h"

namespace heddle::engine {

class FindingBuilder {
 public:
  FindingBuilder(const Scene& scene, FindingKind kind, const char* message);
  ~FindingBuilder();
  FindingBuilder(const FindingBuilder&) = delete;
  FindingBuilder& operator=(const FindingBuilder&) = delete;

  FindingPart& part(PartRole role, const sched::Thread& thread, std::uint64_t pc);
  // A part that concerns a synchronisation object says what it is.
  FindingPart& object_part(PartRole role, const sched::Thread& thread, std::uint64_t pc,
                           const sched::SyncObject& object);
  // The wait of a blocked thread. Of a join the address is 0 and `other` the thread that it waits for.
  FindingPart& wait_part(PartRole role, const sched::Thread& thread);
  // Where each thread that holds the object took it; `owner` is the one that is waited for, where known.
  void cite_holders(const sched::SyncObject& object, ThreadId owner = kNoThread);
  // The thread's wait, and where those that it waits for took what it wants.
  void cite_wait(const sched::Thread& thread);
  // Where the object was made and destroyed.
  void cite_origin(const sched::SyncObject& object);
  // Where each other unfinished thread is, and where every cited thread was created.
  void cite_other_threads();
  void cite_creations();
  // What lies at this address of the program (memory_map.cpp): a heap block, a stack and the frame in it,
  // thread-local storage, or static storage.
  void describe_memory(Address address);
  Finding& finding() { return *finding_; }
  const Scene& scene() const { return scene_; }

 private:
  const Scene& scene_;
  Finding* finding_;
  Finding overflow_;  // taken where the channel has no room: the finding is then only counted
};

}  // namespace heddle::engine
