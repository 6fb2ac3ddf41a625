// The structure trees of all operations of a program, learned from its executions (core/trace/code_facts.h).
// An operation is what a test of an object calls one (<heddle/lin.hpp>); what a thread does outside of these
// is an operation too, one for each thread.
#pragma once

#include "core/base/pages.h"
#include "core/trace/learning.h"
#include "runtime/strategy/structure_tree.h"
#include "runtime/strategy/thread_table.h"

namespace heddle::strategy {

class Structures {
 public:
  static constexpr std::uint32_t kOperations = 64;       // that have a tree: half of them of threads
  static constexpr std::uint32_t kCalled = kMaxThreads;  // operation i of an object; below: of a thread

  // Reserves memory; not before, since few executions use it.
  void prepare();
  // An execution begins: the trees are those of the rounds before its own.
  void begin(Learning* learning, std::uint64_t index);

  // nullptr: no earlier round has shown it.
  const StructureTree* tree(std::uint32_t operation) const;
  // Calls use(operation, tree) for all.
  template <typename Use>
  void for_each(Use use) const {
    for (std::uint32_t i = 0; i < trees_->count; ++i) use(trees_->operations[i], trees_->trees[i]);
  }

  // A thread's run of an operation: it begins, comes to a place, and ends.
  void enter(ThreadId thread, std::uint32_t operation);
  void visit(ThreadId thread, std::uint64_t place);
  void leave(ThreadId thread);

  // The execution is over, and a result was made of it that has this fingerprint.
  void mark(std::uint64_t fingerprint);
  // What the execution with this fingerprint has shown is left to later ones.
  void teach(Learning& learning, std::uint64_t index, std::uint64_t fingerprint);

 private:
  struct Trees {
    std::uint32_t round;  // 1 + the round they were built for; 0: none
    std::uint32_t count;
    std::uint32_t operations[kOperations];
    StructureTree trees[kOperations];
  };
  struct Run {
    static constexpr std::uint32_t kVisited = 64;  // places whose visits are counted
    std::uint32_t operation;
    std::uint32_t count;
    bool overflow;
    std::uint64_t latest;
    struct {
      std::uint64_t place;
      std::uint64_t times;
    } visited[kVisited];
  };
  // What this execution has shown that the worker has not left before.
  struct Mark {
    std::uint64_t fingerprint;
    std::uint32_t facts;
  };
  struct Shown {
    static constexpr std::uint32_t kFacts = 1024;
    static constexpr std::uint32_t kKeys = 1u << 14;
    Mark last, before;  // as in Follower
    std::uint32_t count;
    CodeFact facts[kFacts];
    std::uint64_t keys[kKeys];  // also of executions before
  };

  void build(Learning& learning, std::uint32_t round);
  StructureTree* make_tree(std::uint32_t operation);
  std::uint64_t* slot_of(std::uint64_t key) const;
  // Was it new?
  bool remember(std::uint64_t key);
  void note(const CodeFact& fact);
  void note_visits(const Run& run);

  // Shared: private memory is put back after each execution, and who runs one and who says that it is over
  // may be two processes.
  Trees* trees_ = nullptr;
  Shown* shown_ = nullptr;
  ThreadTable<Run> runs_;
};

}  // namespace heddle::strategy
