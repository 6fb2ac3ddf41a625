#include "tests/oracle/check_pctwm.h"

#include <map>
#include <set>
#include <vector>

#include "tests/oracle/trace_adapter.h"

namespace oracle {
namespace {

using heddle::EventKind;
using heddle::MemoryOrder;

constexpr int kInitialStore = -1;

// A view: the store of each location, by the number of its event.
using View = std::map<std::uint32_t, int>;

bool is_read(const heddle::Event& e) { return e.kind == EventKind::kAtomicLoad; }
bool is_write(const heddle::Event& e) { return e.kind == EventKind::kAtomicStore; }
bool is_fence(const heddle::Event& e) { return e.kind == EventKind::kFence; }
bool is_sc(const heddle::Event& e) {
  return (is_read(e) || is_write(e) || is_fence(e)) && heddle::is_seq_cst(e.order);
}
bool is_communication(const heddle::Event& e) {
  return is_read(e) || is_sc(e) || (is_fence(e) && heddle::is_acquire(e.order));
}

class Checker {
 public:
  Checker(std::span<const heddle::Event> trace, unsigned d, unsigned h)
      : trace_(trace), d_(d), h_(h), bags_(trace.size()), released_(trace.size()) {}

  PctwmVerdict check() {
    for (std::size_t i = 0; i < trace_.size() && verdict_.error.empty(); ++i) execute(static_cast<int>(i));
    if (verdict_.error.empty() && verdict_.external > d_)
      fail(0, std::to_string(verdict_.external) + " reads from outside their threads' views");
    return verdict_;
  }

 private:
  const heddle::Event& event(int i) const { return trace_[static_cast<std::size_t>(i)]; }
  void fail(int at, const std::string& what) {
    if (verdict_.error.empty()) verdict_.error = "event " + std::to_string(at) + ": " + what + "\n";
  }

  // ⊔mo: one thread writes each location, so the later event is the later store.
  static void join(View& into, const View& from) {
    for (const auto& [x, store] : from) {
      const auto [at, is_new] = into.emplace(x, store);
      if (!is_new && store > at->second) at->second = store;
    }
  }
  int known(const View& view, std::uint32_t x) const {
    const auto at = view.find(x);
    return at == view.end() ? kInitialStore : at->second;
  }

  // May event i read `store`, by the axioms, on all that was executed before?
  bool may_read(int i, int store) const {
    std::vector<heddle::Event> prefix(trace_.begin(), trace_.begin() + i + 1);
    prefix.back().reads_from =
        store == kInitialStore ? heddle::kNoEvent : heddle::EventId{static_cast<std::uint32_t>(store)};
    return violated_axiom(execution_of(prefix)).empty();
  }

  std::vector<int> stores_before(int i, std::uint32_t x) const {
    std::vector<int> stores{kInitialStore};
    for (int k = 0; k < i; ++k) {
      if (is_write(event(k)) && event(k).location == x) stores.push_back(k);
    }
    return stores;
  }

  // readLocal: the store of the view, or the nearest after it in modification order that may be read.
  int read_local(int i, const View& view) {
    const std::vector<int> stores = stores_before(i, event(i).location);
    const int local = known(view, event(i).location);
    for (const int store : stores) {
      if (store >= local && may_read(i, store)) return store;
    }
    return local;
  }

  void read(int i, View& view) {
    const heddle::Event& e = event(i);
    const int from =
        e.reads_from == heddle::kNoEvent ? kInitialStore : static_cast<int>(heddle::index_of(e.reads_from));
    const int local = known(view, e.location);
    if (from == read_local(i, view)) {
      ++(from == local ? verdict_.local : verdict_.forced);
    } else {
      ++verdict_.external;
      read_global(i, from);
    }
    if (from == kInitialStore) return;
    // isSync(e, b): an acquiring read of a store that releases, itself or by a fence before it.
    const bool releases = released_[static_cast<std::size_t>(from)].has_value;
    if (heddle::is_acquire(e.order) && releases) join(view, bags_[static_cast<std::size_t>(from)]);
    if (!heddle::is_acquire(e.order) && releases)
      join(to_acquire_[e.thread], released_[static_cast<std::size_t>(from)].view);
    join(view, {{e.location, from}});
  }

  void read_global(int i, int from) {
    unsigned later = 0;
    for (const int store : stores_before(i, event(i).location)) later += store > from ? 1 : 0;
    if (later >= h_) fail(i, "reads a store with " + std::to_string(later) + " after it");
    // Whoever is not through has been put off, too, and waits at its own communication event.
    std::set<heddle::ThreadId> waiting;
    for (int k = i + 1; k < static_cast<int>(trace_.size()); ++k) {
      const heddle::Event& next = event(k);
      const bool counts = is_read(next) || is_write(next) || is_fence(next);
      if (!counts || next.thread == event(i).thread || next.thread == heddle::kMainThread) continue;
      if (!waiting.insert(next.thread).second) continue;
      if (!is_communication(next))
        fail(i, "runs before event " + std::to_string(k) + ", which was not put off");
    }
    if (waiting.size() >= d_) fail(i, "runs while too many threads wait");
  }

  void execute(int i) {
    const heddle::Event& e = event(i);
    View& view = views_[e.thread];
    const auto at = static_cast<std::size_t>(i);
    if (is_sc(e)) join(view, sc_);
    if (is_read(e)) read(i, view);
    if (is_write(e)) view[e.location] = i;
    if (is_fence(e)) {
      if (heddle::is_acquire(e.order)) join(view, to_acquire_[e.thread]);
      if (heddle::is_release(e.order)) release_fences_[e.thread] = {true, view};
    }
    if (e.kind == EventKind::kThreadCreate) views_[e.other] = view;
    if (e.kind == EventKind::kThreadJoin) join(view, views_[e.other]);
    if (is_write(e))
      released_[at] = heddle::is_release(e.order) ? Released{true, view} : release_fences_[e.thread];
    bags_[at] = view;  // for every event
    if (is_sc(e)) sc_ = view;
  }

  struct Released {
    bool has_value = false;
    View view;
  };

  std::span<const heddle::Event> trace_;
  unsigned d_, h_;
  std::vector<View> bags_;
  std::vector<Released> released_;
  std::map<heddle::ThreadId, View> views_, to_acquire_;
  std::map<heddle::ThreadId, Released> release_fences_;
  View sc_;
  PctwmVerdict verdict_;
};

}  // namespace

PctwmVerdict check_pctwm(std::span<const heddle::Event> trace, unsigned d, unsigned h) {
  return Checker(trace, d, h).check();
}

}  // namespace oracle
