#include "tests/oracle/generate.h"

#include <array>

namespace oracle {
namespace {

using heddle::Random;

constexpr std::array kLoadOrders = {Order::kRelaxed, Order::kAcquire, Order::kSeqCst, Order::kConsume};
constexpr std::array kStoreOrders = {Order::kRelaxed, Order::kRelease, Order::kSeqCst};
constexpr std::array kUpdateOrders = {Order::kRelaxed, Order::kAcquire, Order::kRelease, Order::kAcqRel,
                                      Order::kSeqCst};
constexpr std::array kFenceOrders = {Order::kAcquire, Order::kRelease, Order::kAcqRel, Order::kSeqCst,
                                     Order::kSeqCst};

template <typename Array>
auto pick(Random& random, const Array& array) {
  return array[random.below(static_cast<std::uint32_t>(array.size()))];
}
bool one_in(Random& random, std::uint32_t n) { return random.below(n) == 0; }

Order random_order(Random& random, OpKind kind) {
  switch (kind) {
    case OpKind::kLoad:
      return pick(random, kLoadOrders);
    case OpKind::kStore:
      return pick(random, kStoreOrders);
    case OpKind::kFence:
      return pick(random, kFenceOrders);
    default:
      return pick(random, kUpdateOrders);
  }
}

Op random_op(Random& random, int locations, int& next_value) {
  constexpr std::array kKinds = {OpKind::kLoad,  OpKind::kLoad,     OpKind::kLoad,  OpKind::kLoad,
                                 OpKind::kStore, OpKind::kStore,    OpKind::kStore, OpKind::kAdd,
                                 OpKind::kAdd,   OpKind::kExchange, OpKind::kCas,   OpKind::kWeakCas,
                                 OpKind::kFence, OpKind::kFence};
  Op op;
  op.kind = pick(random, kKinds);
  op.order = random_order(random, op.kind);
  op.failure = pick(random, kLoadOrders);
  op.location = static_cast<int>(random.below(static_cast<std::uint32_t>(locations)));
  op.value = op.kind == OpKind::kAdd ? 10 : next_value++;
  op.expected = static_cast<int>(random.below(static_cast<std::uint32_t>(next_value)));
  return op;
}

int writes_to(const Program& program, int location) {
  int n = 0;
  for (const auto& thread : program.threads) {
    for (const Op& op : thread) {
      n += op.kind != OpKind::kLoad && op.kind != OpKind::kFence && op.location == location;
    }
  }
  return n;
}

bool fits(const Program& program, const GenerateLimits& limits) {
  for (std::size_t x = 0; x < program.initial.size(); ++x) {
    if (writes_to(program, static_cast<int>(x)) > limits.max_writes_per_location) return false;
  }
  return interleavings(program) <= limits.max_interleavings;
}

Op load(int x, Order o = Order::kRelaxed) { return {OpKind::kLoad, o, o, x, 0, 0, {}}; }
Op store(int x, int v, Order o = Order::kRelaxed) { return {OpKind::kStore, o, o, x, v, 0, {}}; }
Op add(int x, int v, Order o = Order::kRelaxed) { return {OpKind::kAdd, o, o, x, v, 0, {}}; }
Op fence(Order o) { return {OpKind::kFence, o, o, 0, 0, 0, {}}; }

constexpr int kX = 0, kY = 1, kZ = 2;
constexpr Order kSc = Order::kSeqCst;

using Threads = std::vector<std::vector<Op>>;

// The shapes whose weak outcomes tell the rules apart.
const std::vector<Threads>& skeletons() {
  static const std::vector<Threads> kSkeletons = {
      {{store(kX, 1), load(kY)}, {store(kY, 1), load(kX)}},                          // SB
      {{store(kX, 1), fence(kSc), load(kY)}, {store(kY, 1), fence(kSc), load(kX)}},  // SB+fences
      {{store(kX, 1), store(kY, 1)}, {load(kY), load(kX)}},                          // MP
      {{store(kX, 1), fence(Order::kRelease), store(kY, 1)}, {load(kY), fence(Order::kAcquire), load(kX)}},
      {{store(kX, 1), store(kY, 2)}, {store(kY, 1), store(kX, 2)}},  // 2+2W
      {{store(kX, 1, kSc), store(kY, 2, kSc)}, {store(kY, 1, kSc), store(kX, 2, kSc)}},
      {{store(kX, 1)}, {store(kY, 1)}, {load(kX), load(kY)}, {load(kY), load(kX)}},  // IRIW
      {{store(kX, 1)}, {store(kY, 1)}, {load(kX, kSc), load(kY, kSc)}, {load(kY, kSc), load(kX, kSc)}},
      {{store(kX, 1)}, {load(kX), load(kY)}, {store(kY, 1), load(kX)}},                          // RWC
      {{store(kX, 1)}, {load(kX), fence(kSc), load(kY)}, {store(kY, 1), fence(kSc), load(kX)}},  // RWC+fences
      {{store(kX, 1)}, {load(kX), store(kY, 1)}, {load(kY), load(kX)}},                          // WRC
      {{store(kX, 1), store(kY, 1)}, {load(kY), store(kZ, 1)}, {load(kZ), load(kX)}},            // ISA2
      {{store(kX, 2), store(kY, 1)}, {load(kY), store(kX, 1)}},                                  // S
      {{store(kX, 1), store(kY, 1)}, {store(kY, 2), load(kX)}},                                  // R
      {{store(kX, 1)}, {load(kX), load(kX)}, {store(kX, 2)}},                                    // CoRR
      {{store(kX, 1), add(kX, 1)}, {store(kX, 5), load(kX)}, {load(kX), load(kX)}},  // update cycle
      {{store(kX, 1)}, {add(kX, 10), load(kY)}, {store(kY, 1), add(kX, 10)}},
      {{store(kX, 1), store(kY, 1, kSc)}, {load(kY, kSc), load(kX)}, {store(kX, 2), load(kY)}},
      {{store(kX, 1), fence(kSc), load(kY)}, {store(kY, 1, kSc), load(kX, kSc)}},  // SB fence/access
      {{store(kX, 1)}, {load(kX), fence(kSc), store(kY, 1)}, {load(kY), fence(kSc), load(kX)}},  // WRC+fences
      {{store(kX, 1), store(kY, 1)}, {store(kY, 2), store(kZ, 1)}, {store(kZ, 2), load(kX)}},    // W+RWC-like
      {{store(kX, 1), load(kY)}, {store(kY, 1), load(kZ)}, {store(kZ, 1), load(kX)}},            // SB3
      {{store(kX, 1, Order::kRelease), add(kX, 1)},
       {load(kX, Order::kAcquire), load(kX)}},  // release sequence
      {{store(kX, 1, kSc)}, {store(kX, 2), load(kX, kSc)}, {load(kX), load(kX, kSc)}},
      // Seq_cst operations that others overtake in S.
      {{store(kX, 1, kSc), store(kY, 1)}, {load(kY), load(kX, kSc)}},
      {{add(kX, 1, kSc), store(kY, 1)}, {load(kY), add(kX, 8, kSc)}},
      {{store(kX, 1, kSc), store(kY, 1)}, {load(kY), store(kX, 2, kSc)}, {load(kX, kSc), load(kX)}},
      {{store(kX, 1, kSc), store(kY, 1, Order::kRelease)},
       {add(kY, 10, kSc), load(kY)},
       {store(kY, 3, kSc), load(kX, kSc)}},
      {{store(kX, 1, kSc), store(kY, 1)}, {load(kY), fence(kSc), load(kX)}},
      {{store(kX, 1), fence(kSc), store(kY, 1)},
       {load(kY), load(kX, kSc), load(kZ, kSc)},
       {store(kZ, 1, kSc), load(kX)}},
      {{store(kX, 1, kSc), store(kY, 1)}, {load(kY), store(kZ, 1, kSc)}, {load(kZ), load(kX, kSc)}},
      {{store(kX, 1, kSc)}, {load(kX, Order::kAcquire), load(kY, kSc)}, {store(kY, 1, kSc), load(kX, kSc)}},
      {{store(kZ, 1), fence(kSc), store(kX, 1), store(kY, 1)},
       {load(kY), store(kX, 2, kSc), load(kZ, kSc)},
       {load(kX)}},
      {{store(kX, 1, kSc), store(kY, 1)},
       {load(kY), fence(kSc), load(kZ)},
       {store(kZ, 1), fence(kSc), load(kX)}},
      // Loads that read back a store of their own thread.
      {{store(kX, 1), load(kX, kSc), load(kY, kSc)}, {store(kY, 1), load(kY, kSc), load(kX, kSc)}},
      {{store(kX, 1), load(kX, kSc), load(kY, kSc)}, {store(kY, 1, kSc), load(kX, kSc)}},
      {{store(kX, 1), load(kX, kSc), add(kY, 8, kSc)}, {store(kY, 1, kSc), load(kX, kSc)}},
      {{store(kX, 1)},
       {load(kX), store(kX, 2), load(kX, kSc), load(kY, kSc)},
       {store(kY, 1, kSc), load(kX, kSc)}},
  };
  return kSkeletons;
}

void mutate_order(Random& random, Program& p) {
  auto& thread = p.threads[random.below(static_cast<std::uint32_t>(p.threads.size()))];
  Op& op = thread[random.below(static_cast<std::uint32_t>(thread.size()))];
  op.order = random_order(random, op.kind);
  op.failure = pick(random, kLoadOrders);
}

void mutate(Random& random, Program& p, int& next_value) {
  auto& thread = p.threads[random.below(static_cast<std::uint32_t>(p.threads.size()))];
  const std::uint32_t at = random.below(static_cast<std::uint32_t>(thread.size()));
  const auto locations = static_cast<int>(p.initial.size());
  switch (random.below(8)) {
    case 0:  // a fence
      thread.insert(thread.begin() + at + random.below(2), fence(pick(random, kFenceOrders)));
      break;
    case 1:  // an update or a CAS for what was there
      if (thread[at].kind != OpKind::kFence) {
        constexpr std::array kUpdates = {OpKind::kAdd, OpKind::kExchange, OpKind::kCas, OpKind::kWeakCas};
        thread[at].kind = pick(random, kUpdates);
        thread[at].value = thread[at].kind == OpKind::kAdd ? 10 : next_value++;
        thread[at].expected = static_cast<int>(random.below(3));
        thread[at].order = pick(random, kUpdateOrders);
        thread[at].failure = pick(random, kLoadOrders);
      }
      break;
    case 2:  // an extra access
      thread.insert(thread.begin() + at + random.below(2), random_op(random, locations, next_value));
      break;
    case 3:  // another location
      thread[at].location = static_cast<int>(random.below(static_cast<std::uint32_t>(locations)));
      break;
    default:
      mutate_order(random, p);
  }
}

}  // namespace

Program random_program(Random& random, const GenerateLimits& limits) {
  for (;;) {
    Program p;
    p.name = "random";
    const int locations = 1 + static_cast<int>(random.below(3));
    p.initial.assign(static_cast<std::size_t>(locations), 0);
    const std::uint32_t threads = 2 + (one_in(random, 2) ? 0 : 1 + random.below(2));
    int next_value = 1;
    for (std::uint32_t t = 0; t < threads; ++t) {
      auto& thread = p.threads.emplace_back();
      const std::uint32_t length = threads == 2 ? 2 + random.below(3) : 1 + random.below(3);
      for (std::uint32_t i = 0; i < length; ++i) thread.push_back(random_op(random, locations, next_value));
    }
    if (fits(p, limits)) return p;
  }
}

Program mutated_skeleton(Random& random, const GenerateLimits& limits) {
  for (;;) {
    Program p;
    const auto which = random.below(static_cast<std::uint32_t>(skeletons().size()));
    p.name = "mutant of skeleton " + std::to_string(which);
    p.threads = skeletons()[which];
    int locations = 1;
    int next_value = 3;
    for (const auto& thread : p.threads) {
      for (const Op& op : thread) locations = std::max(locations, op.location + 1);
    }
    p.initial.assign(static_cast<std::size_t>(locations), 0);
    // One order for all is the shape's pure variant; half of the mutants start from one.
    if (one_in(random, 2)) {
      const bool strong = one_in(random, 2);
      for (auto& thread : p.threads) {
        for (Op& op : thread) {
          if (op.kind == OpKind::kFence) continue;
          op.order = strong ? kSc : op.kind == OpKind::kLoad ? Order::kAcquire : Order::kRelease;
        }
      }
    }
    for (std::uint32_t n = 1 + random.below(5); n > 0; --n) mutate(random, p, next_value);
    if (fits(p, limits)) return p;
  }
}

Program generated_program(std::uint64_t seed, std::uint64_t index, const GenerateLimits& limits) {
  Random random(heddle::mix(seed, index));
  Program p = index % 3 == 0 ? random_program(random, limits) : mutated_skeleton(random, limits);
  p.name += " (seed " + std::to_string(seed) + ", index " + std::to_string(index) + ")";
  return p;
}

}  // namespace oracle
