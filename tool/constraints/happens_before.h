// Happens-before of one execution: an order of all actions and what each read.
//
//   sw = [release] ; ([F] ; sb)? ; rs ; rf ; [R] ; (sb ; [F])? ; [acquire], and creation → start, end → join,
//   unlock → lock and so on; hb = (sb ∪ sw)⁺
//
// Each edge that crosses threads knows what it rests on, so that a fact can be explained.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tool/constraints/structure.h"

namespace heddle::constraints {

class HappensBefore {
 public:
  // What an edge rests on besides the trace itself.
  struct Edge {
    ActionId from = kNoAction;
    // Synchronisation: that `from` comes before `to` in the order (true), or a chain of reads (false), the
    // first read of it being `read`: it reads a write that `from` is or heads, each update on the way having
    // read the one before it.
    bool by_order = true;
    ActionId read = kNoAction;
    ActionId head = kNoAction;  // the write at which the chain ends
  };

  HappensBefore(const Structure& structure, std::span<const ActionId> order,
                std::span<const ActionId> sources);

  bool before(ActionId a, ActionId b) const {
    return a != b && s_.ordinal(a) < clocks_[std::size_t{b} * width_ + s_.thread_index(a)];
  }

  // The edges of a path from `a` to `b`, each with where it leads. REQUIRES: before(a, b).
  struct Step {
    Edge edge;
    ActionId to = kNoAction;
  };
  std::vector<Step> path(ActionId a, ActionId b) const;

  // The update chain from what `read` read back to `head`: the reads on the way, `read` first.
  std::vector<ActionId> chain(ActionId read, ActionId head) const;

 private:
  void add_edges(ActionId id);
  void synchronise_object(ActionId id);
  void add_heads(ActionId read, ActionId acquirer);
  ActionId source_of(ActionId read) const { return sources_[s_.first_part(read)]; }

  struct Object {
    ActionId last_release = kNoAction;  // of one who held it alone
    std::vector<ActionId> shared;       // by readers since, or posts
  };

  const Structure& s_;
  std::span<const ActionId> sources_;
  std::size_t width_;
  std::vector<std::uint32_t> clocks_;
  std::vector<std::vector<Edge>> edges_;  // into each action, from other threads
  std::vector<Object> objects_;
  std::vector<ActionId> last_release_fence_;             // by thread
  std::vector<ActionId> release_fence_;                  // by write: the fence before it in its thread
  std::vector<std::vector<ActionId>> unacquired_reads_;  // by thread: atomic reads since it began
  std::vector<std::vector<ActionId>> forced_before_;
};

}  // namespace heddle::constraints
