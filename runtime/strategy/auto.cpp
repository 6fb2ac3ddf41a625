#include "runtime/strategy/auto.h"

#include <utility>

#include "core/trace/channel.h"

namespace heddle::strategy {

AutoStrategy::AutoStrategy(const StrategySpec& spec)
    : without_(spec.value("without", kPortfolioSize + 1) - 1),
      follower_(&random_),
      member_(&random_),
      pct_(PctStrategy::Parameters{}),
      pctwm_(PctwmStrategy::Parameters{}),
      long_runs_(0),
      surw_(false) {}

void AutoStrategy::attach(Learning* learning) {
  learning_ = learning;
  for (Follower* follower :
       {static_cast<Follower*>(&random_), static_cast<Follower*>(&pct_), static_cast<Follower*>(&pctwm_),
        static_cast<Follower*>(&pos_), static_cast<Follower*>(&places_), static_cast<Follower*>(&surw_),
        static_cast<Follower*>(&delays_), static_cast<Follower*>(&greybox_),
        static_cast<Follower*>(&long_runs_), static_cast<Follower*>(&exhaustive_)}) {
    follower->attach(learning);
    // What any of them shows is worth varying.
    follower->keep_picks(&picks_);
    if (follower != &random_) follower->share_tables(random_);
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
  if (index < kFirstExecutions || !probes()) return false;
  const SearchProgress& search = learning_->search();
  const std::uint64_t decided_at = search.decided_at.load(std::memory_order_acquire);
  if (decided_at == 0 || index < decided_at) return index < kProbedExecutions;
  return index % 2 == 0 && search.decision.load(std::memory_order_relaxed) == SearchProgress::kGoOn;
}

std::uint64_t AutoStrategy::needs(std::uint64_t index) const {
  const std::uint64_t round = round_begin(round_of(index));
  if (index < kFirstExecutions || !probes()) return round;
  // The decision is made before execution kProbedExecutions at the latest.
  if (learning_->search().decided_at.load(std::memory_order_acquire) == 0)
    return index < kProbedExecutions ? index : kProbedExecutions + (index > kProbedExecutions ? 1 : 0);
  return is_exhaustive(index) ? index : round;
}

// Before an execution: is exhaustive search worth going on with? An early estimate may be a thousand times
// that of later on, since alternatives that will turn out to be asleep count as much as others (seen where
// threads take several locks); it has to be out of reach by far more.
void AutoStrategy::judge_exhaustive(std::uint64_t index) {
  SearchProgress& search = learning_->search();
  const std::uint64_t done = index - kFirstExecutions;
  const bool is_last = index == kProbedExecutions;
  if (search.decided_at.load(std::memory_order_relaxed) != 0 || done < 8 || (done & (done - 1)) != 0) return;
  const double covered = exhaustive_.covered();
  const double total = static_cast<double>(done) / (covered > 1e-18 ? covered : 1e-18);
  const auto planned = static_cast<double>(learning_->planned.load(std::memory_order_relaxed));
  const double too_early =
      static_cast<double>(kProbedExecutions - kFirstExecutions) / static_cast<double>(done);
  const double leeway = too_early * too_early * too_early * too_early;
  const bool in_reach = total < planned / 2 * leeway;
  if (in_reach && !is_last) return;
  search.decision.store(in_reach ? SearchProgress::kGoOn : SearchProgress::kGiveUp,
                        std::memory_order_relaxed);
  search.decided_at.store(index, std::memory_order_release);
}

bool AutoStrategy::prepare_next(std::uint64_t index) {
  if (index > kFirstExecutions && index <= kProbedExecutions && probes()) judge_exhaustive(index);
  if (!is_exhaustive(index) || exhaustive_.prepare_next(index)) return true;
  if (exhaustive_.explored_all()) return false;
  // It has come to its end and not seen all there is: the others go on.
  learning_->search().decision.store(SearchProgress::kGiveUp, std::memory_order_relaxed);
  learning_->search().decided_at.store(index, std::memory_order_release);
  return true;
}

void AutoStrategy::find_standings(std::uint64_t index, Standing (&standings)[kDrawn]) {
  const std::uint32_t now = round_of(index < kJudged ? index : kJudged - 1);
  for (std::uint32_t r = 0; r < now && learning_ != nullptr; ++r) {
    const RoundRecord& round = learning_->judged_round(r);
    for (std::uint32_t m = 0; m < kDrawn; ++m) {
      const RoundRecord::Member& member = round.members[m];
      const auto add = [](double& sum, const std::atomic<std::uint64_t>& more) {
        sum = sum * kPortfolioForget + static_cast<double>(more.load(std::memory_order_relaxed));
      };
      add(standings[m].executions, member.executions);
      add(standings[m].fresh, member.fresh);
      add(standings[m].buggy, member.buggy);
      add(standings[m].steps, member.steps);
    }
  }
}

// Of members that run the same strategy all together count as one.
void AutoStrategy::find_shares(const Standing (&standings)[kDrawn], double (&shares)[kDrawn]) const {
  constexpr auto kWeights = [] {
    struct {
      double of[kDrawn] = {};
    } weights;
    [&]<std::size_t... m>(std::index_sequence<m...>) {
      ((weights.of[m] = 1.0 / portfolio_kin(m)), ...);
    }(std::make_index_sequence<kDrawn>());
    return weights;
  }();
  Standing all;
  for (const Standing& member : standings) {
    all.executions += member.executions;
    all.buggy += member.buggy;
    all.steps += member.steps;
  }
  // Who counts bugs plans nothing.
  const bool counts_bugs = all.buggy > 0 && learning_->planned.load(std::memory_order_relaxed) == 0;
  double scores[kDrawn];
  double sum_of_scores = 0, sum_of_weights = 0;
  for (std::uint32_t m = 0; m < kDrawn; ++m) {
    const Standing& member = standings[m];
    if (m == without_) {
      scores[m] = shares[m] = 0;
      continue;
    }
    // In executions of the usual length. What is not known of a member is taken to be as usual.
    const double cost = all.steps > 0 ? member.steps * all.executions / all.steps : member.executions;
    const double finds = (member.buggy + all.buggy / all.executions) / (cost + 1);
    scores[m] = kWeights.of[m] * (counts_bugs ? finds * finds : (member.fresh + 1) / (cost + 2));
    shares[m] = kWeights.of[m];
    sum_of_scores += scores[m];
    sum_of_weights += kWeights.of[m];
  }
  for (std::uint32_t m = 0; m < kDrawn; ++m)
    shares[m] =
        kPortfolioEven * shares[m] / sum_of_weights + (1 - kPortfolioEven) * scores[m] / sum_of_scores;
}

std::uint32_t AutoStrategy::draw_member(std::uint64_t seed, std::uint64_t index) {
  if (index < kFirstExecutions && kFirstMembers[index] != without_) return kFirstMembers[index];
  if (is_exhaustive(index)) return kPortfolioExhaustive;
  Standing standings[kDrawn];
  find_standings(index, standings);
  double shares[kDrawn];
  find_shares(standings, shares);
  Random random(mix(mix(seed, 0x6175746full), index));
  double at = random.unit();
  for (std::uint32_t m = 0; m < kDrawn; ++m) {
    at -= shares[m];
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
  if (spec.is("random") && spec.has("switch")) {
    long_runs_.set_mean(spec.value("switch", 0));
    return long_runs_;
  }
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
