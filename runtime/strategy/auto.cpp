#include "runtime/strategy/auto.h"

#include "core/trace/channel.h"
#include "core/trace/portfolio.h"

namespace heddle::strategy {
namespace {

// From the shallowest bugs on, and each kind of strategy early.
constexpr std::uint8_t kFirstMembers[] = {15, 15, 15, 15, 0, 15, 10, 15, 9, 15, 12, 2, 11, 13, 0, 4};

constexpr double kForget = 0.9;  // what a round counts for, against the one after it
constexpr double kEven = 0.3;    // the part of executions that is shared evenly

}  // namespace

AutoStrategy::AutoStrategy(const StrategySpec& spec)
    : without_(spec.value("without", kPortfolioSize + 1) - 1),
      follower_(&random_),
      member_(&random_),
      pct_(PctStrategy::Parameters{}),
      pctwm_(PctwmStrategy::Parameters{}),
      surw_(false) {}

void AutoStrategy::attach(Learning* learning) {
  learning_ = learning;
  for (Follower* follower :
       {static_cast<Follower*>(&random_), static_cast<Follower*>(&pct_), static_cast<Follower*>(&pctwm_),
        static_cast<Follower*>(&pos_), static_cast<Follower*>(&places_), static_cast<Follower*>(&surw_),
        static_cast<Follower*>(&delays_), static_cast<Follower*>(&greybox_),
        static_cast<Follower*>(&exhaustive_)}) {
    follower->attach(learning);
    // What any of them shows is worth varying.
    follower->keep_picks(&picks_);
  }
}

bool AutoStrategy::probes() const {
  return learning_ != nullptr && without_ != kPortfolioExhaustive &&
         learning_->planned.load(std::memory_order_relaxed) >= kWorthProbing;
}

// After its first executions exhaustive search goes on if it is expected to end within what is planned, in
// every second one: the estimate may be far too low, and a bug of a tree that is not small is rather found by
// others. It is looked at once, so that what follows is a function of the executions before.
bool AutoStrategy::is_exhaustive(std::uint64_t index) const {
  if (index < kFixed || !probes()) return false;
  if (index < kProbed) return true;
  return index % 2 == 0 &&
         learning_->search().decision.load(std::memory_order_acquire) == SearchProgress::kGoOn;
}

std::uint64_t AutoStrategy::needs(std::uint64_t index) const {
  const std::uint64_t round = round_begin(round_of(index));
  if (index < kFixed || !probes()) return round;
  // The decision is made before execution kProbed.
  if (index > kProbed && learning_->completed() <= kProbed) return kProbed + 1;
  return index <= kProbed || is_exhaustive(index) ? index : round;
}

bool AutoStrategy::prepare_next(std::uint64_t index) {
  if (index == kProbed && probes()) {
    const double covered = exhaustive_.covered();
    const double total = static_cast<double>(kProbed - kFixed) / (covered > 1e-18 ? covered : 1e-18);
    const auto planned = static_cast<double>(learning_->planned.load(std::memory_order_relaxed));
    learning_->search().decision.store(total < planned / 2 ? SearchProgress::kGoOn : SearchProgress::kGiveUp,
                                       std::memory_order_release);
  }
  return !is_exhaustive(index) || exhaustive_.prepare_next(index);
}

std::uint32_t AutoStrategy::draw_member(std::uint64_t seed, std::uint64_t index) {
  if (index < kFixed && kFirstMembers[index] != without_) return kFirstMembers[index];
  if (is_exhaustive(index)) return kPortfolioExhaustive;
  double scores[kPortfolioExhaustive];
  double sum = 0;
  const std::uint32_t now = round_of(index < kJudged ? index : kJudged - 1);
  double fresh[kPortfolioExhaustive] = {};
  double executions[kPortfolioExhaustive] = {};
  for (std::uint32_t r = 0; r < now && learning_ != nullptr; ++r) {
    const RoundRecord& round = learning_->judged_round(r);
    for (std::uint32_t m = 0; m < kPortfolioExhaustive; ++m) {
      fresh[m] =
          fresh[m] * kForget + static_cast<double>(round.members[m].fresh.load(std::memory_order_relaxed));
      executions[m] = executions[m] * kForget +
                      static_cast<double>(round.members[m].executions.load(std::memory_order_relaxed));
    }
  }
  for (std::uint32_t m = 0; m < kPortfolioExhaustive; ++m)
    sum += scores[m] = m == without_ ? 0 : (fresh[m] + 1) / (executions[m] + 2);
  Random random(mix(mix(seed, 0x6175746full), index));
  double at = random.unit();
  for (std::uint32_t m = 0; m < kPortfolioExhaustive; ++m) {
    if (m == without_) continue;
    at -= kEven / (kPortfolioExhaustive - (without_ < kPortfolioExhaustive ? 1 : 0)) +
          (1 - kEven) * scores[m] / sum;
    if (at < 0) return m;
  }
  return without_ == 0 ? 1 : 0;
}

Follower& AutoStrategy::prepare_member(std::uint32_t member) {
  StrategySpec spec;
  TextBuffer<512> error;
  HEDDLE_CHECK(spec.parse(kPortfolio[member], error));
  if (spec.is("pct")) {
    pct_.set_parameters({spec.value("d", 3), 0, false});
    return pct_;
  }
  if (spec.is("pctwm")) {
    pctwm_.set_parameters({spec.value("d", 2), spec.value("h", 1), 0, false});
    return pctwm_;
  }
  if (spec.is("pos")) return pos_;
  if (spec.is("places")) return places_;
  if (spec.is("delays")) return delays_;
  if (spec.is("greybox")) return greybox_;
  if (spec.is("exhaustive")) return exhaustive_;
  if (spec.is("random")) return random_;
  surw_.select_stores(spec.is("surwm"));
  return surw_;
}

void AutoStrategy::begin(std::uint64_t seed, std::uint64_t index, const View& view) {
  index_ = index;
  profile_.clear();
  number_ = draw_member(seed, index);
  follower_ = &prepare_member(number_);
  member_ = follower_;
  follower_->begin(seed, index, view);
}

std::uint32_t AutoStrategy::choose(const ChoicePoint& point) {
  const std::uint32_t picked = member_->choose(point);
  if (member_ != &greybox_) picks_.add(point, picked);
  return picked;
}

void AutoStrategy::performed(const Operation& operation) {
  if (index_ < kProfiled) profile_.count(operation);
  follower_->performed(operation);
}

void AutoStrategy::end(ExecutionResult& result) {
  follower_->end(result);
  result.member = number_;
}

void AutoStrategy::teach(const ExecutionResult& result) {
  profile_.teach(learning_);
  if (result.member < kPortfolioSize) prepare_member(result.member).teach(result);
}

}  // namespace heddle::strategy
