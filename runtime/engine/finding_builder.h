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
