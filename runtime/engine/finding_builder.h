// Writes one finding into the channel.
#pragma once

#include "core/trace/channel.h"
#include "runtime/engine/execution.h"

namespace heddle::engine {

class FindingBuilder {
 public:
  FindingBuilder(Execution& execution, FindingKind kind, const char* message);
  // Publishes it. The signature is made of the kind and of the code places cited by parts of deciding roles.
  ~FindingBuilder();
  FindingBuilder(const FindingBuilder&) = delete;
  FindingBuilder& operator=(const FindingBuilder&) = delete;

  FindingPart& part(PartRole role, const sched::Thread& thread, std::uint64_t pc);
  // … that concerns a synchronisation object; says what it is.
  FindingPart& object_part(PartRole role, const sched::Thread& thread, std::uint64_t pc,
                           const sched::SyncObject& object);
  // The wait of a blocked thread. Of a join the address is 0 and `other` the thread that it waits for.
  FindingPart& wait_part(PartRole role, const sched::Thread& thread);
  // Where each thread that holds the object took it; `owner` is the one that is waited for, where known.
  void cite_holders(const sched::SyncObject& object, ThreadId owner = kNoThread);
  // Where the object was made and destroyed.
  void cite_origin(const sched::SyncObject& object);
  // Where each other unfinished thread is, and where every cited thread was created.
  void cite_other_threads();
  void cite_creations();
  Finding& finding() { return *finding_; }

 private:
  Execution& execution_;
  Finding* finding_;
  Finding overflow_;  // taken where the channel has no room: the finding is then only counted
};

}  // namespace heddle::engine
