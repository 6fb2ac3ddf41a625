#include "tool/search/guided_hunt.h"

#include <algorithm>

#include "tool/run/time_limit.h"
#include "tool/run/visible_race.h"

namespace heddle::search {
namespace {

using replay::Candidates;

constexpr std::size_t kMostElites = 24,
                      kMostAlike = 3;      // alike: the same thread left its path at the same place
constexpr std::uint32_t kBatch = 16;       // executions from one beginning
constexpr std::uint32_t kVain = 512;       // then an elite makes room for others
constexpr std::uint32_t kFromScratch = 8;  // one batch in so many begins at the beginning
constexpr std::uint32_t kStays[] = {0, 4, 16, 64, 256, 1024};

}  // namespace

GuidedHunt::GuidedHunt(const run::Target& target, const RunSpec& spec, std::vector<int> allowed_exits,
                       run::WantedFailure wanted, const LoggedPaths& log)
    : target_(target),
      spec_(spec),
      allowed_exits_(std::move(allowed_exits)),
      wanted_(std::move(wanted)),
      paths_(path_question_of(log)),
      random_(mix(spec.seed, 0x677569646564ull)) {
  for (std::uint32_t i = 0; i < paths_->paths; ++i) steps_ += paths_->path[i].steps;
}

Status GuidedHunt::start() {
  elites_.clear();
  elites_.reserve(kMostElites + kBatch);
  Trace original;
  original.spec = spec_;
  auto candidates = Candidates::start_along(target_, spec_, original, paths_);
  if (!candidates) return candidates.error();
  candidates->keep_logs();
  candidates_.emplace(std::move(*candidates));
  return Done{};
}

Result<std::optional<Trace>> GuidedHunt::run() {
  std::optional<Trace> found;
  const auto goes_on = [&] {
    return !run::time_is_up() && (!most_executions || executions_ < *most_executions);
  };
  while (!found && goes_on()) {
    if (!candidates_) {
      if (auto status = start(); !status) return status.error();
    }
    if (auto status = try_some(found); !status) return status.error();
  }
  return found;
}

// The furthest most often, but all now and then: who is furthest may be where no way leads on.
GuidedHunt::Elite* GuidedHunt::pick_elite() {
  if (elites_.empty() || random_.below(kFromScratch) == 0) return nullptr;
  const double at = random_.unit();
  return &elites_[static_cast<std::size_t>(at * at * at * static_cast<double>(elites_.size()))];
}

Status GuidedHunt::try_some(std::optional<Trace>& found) {
  const Elite* const picked = pick_elite();
  const std::uint32_t left_at = picked != nullptr ? picked->left_at : 0;
  if (picked != nullptr && !candidates_->set_log(picked->choices)) return Done{};
  const std::size_t number = picked != nullptr ? static_cast<std::size_t>(picked - elites_.data()) : 0;
  std::vector<Candidates::Outcome> outcomes;
  const std::uint64_t left = most_executions ? *most_executions - executions_ : kBatch;
  for (std::uint32_t i = 0; i < std::min<std::uint64_t>(kBatch, left) && !run::time_is_up(); ++i) {
    std::uint32_t back = 0;
    if (left_at != 0) {
      // Up to a power of two before, each power alike.
      std::uint32_t powers = 1;
      while ((1u << powers) < left_at && powers < 31) ++powers;
      back = 1 + random_.below(1u << random_.below(powers + 1));
    }
    Candidates::Drawn drawn;
    drawn.seed = random_.next();
    drawn.stay = kStays[random_.below(std::size(kStays))];
    drawn.newest = random_.below(2) == 0;
    auto outcome = candidates_->follow_beginning(left_at - std::min(back, left_at), drawn);
    if (!outcome) return outcome.error();
    ++executions_;
    // Before the exchange belongs to the next one.
    keep(*outcome, picked != nullptr && number < elites_.size() ? &elites_[number] : nullptr);
    if (auto status = look_at(*outcome, found); !status || found || !candidates_) return status;
  }
  std::stable_sort(elites_.begin(), elites_.end(),
                   [](const Elite& a, const Elite& b) { return a.together > b.together; });
  std::erase_if(elites_, [&](const Elite& e) { return e.vain >= kVain && elites_.size() > 1; });
  if (elites_.size() > kMostElites) elites_.resize(kMostElites);
  return Done{};
}

void GuidedHunt::keep(const Candidates::Outcome& outcome, Elite* from) {
  const PathQuestion& compared = candidates_->compared();
  if (from != nullptr) ++from->vain;
  if (outcome.cut || outcome.choices.empty()) return;
  Elite reached;
  reached.together = compared.together;
  reached.left_by = compared.left_by;
  reached.left_at = compared.left_by != PathQuestion::kNobody
                        ? std::min(compared.left_at, static_cast<std::uint32_t>(outcome.choices.size()))
                        : static_cast<std::uint32_t>(outcome.choices.size());
  if (from != nullptr && reached.together > from->together) from->vain = 0;
  if (reached.together > furthest_) {
    furthest_ = reached.together;
    if (on_step) on_step(furthest_, steps_);
  }
  const auto is_alike = [&](const Elite& e) {
    return e.left_by == reached.left_by && e.together == reached.together;
  };
  if (std::count_if(elites_.begin(), elites_.end(), is_alike) >= static_cast<long>(kMostAlike)) return;
  const auto is_less = [](const Elite& a, const Elite& b) { return a.together < b.together; };
  if (elites_.size() >= kMostElites) {
    if (reached.together <= std::min_element(elites_.begin(), elites_.end(), is_less)->together) return;
  }
  reached.choices = outcome.choices;
  reached.choices.resize(reached.left_at);
  elites_.push_back(std::move(reached));  // (there is room for those of a batch: `from` stays where it is)
}

// Something was found: what it is, an execution with events tells, of the code that campaigns run.
Status GuidedHunt::look_at(const Candidates::Outcome& outcome, std::optional<Trace>& found) {
  bool is_new = false;
  for (const std::uint64_t signature : run::signatures_of(outcome.result, allowed_exits_))
    is_new = !known_.contains(signature) || is_new;
  if (!is_new || outcome.cut) return Done{};
  RunSpec spec = spec_;
  spec.replay = ReplayKind::kExact;
  run::SingleOptions options;
  options.replay = outcome.choices;
  options.allowed_exits = allowed_exits_;
  auto run = run::run_single(target_, spec, options);
  if (!run) return run.error();
  for (const TraceFinding& finding : run->trace.findings) {
    if (!wanted_.is(run->trace, finding)) continue;
    found = std::move(run->trace);
    return Done{};
  }
  // The code that campaigns run may do in two accesses what the other one does in one: another schedule will do.
  constexpr std::uint32_t kMostInVain = 64;
  const bool came_again = run->result.ending != Ending::kDiverged && !run->trace.findings.empty();
  if (came_again || ++in_vain_ > kMostInVain) {
    for (const std::uint64_t signature : run::signatures_of(outcome.result, allowed_exits_))
      known_.insert(signature);
  }
  if (add_races(run->trace)) candidates_.reset();
  return Done{};
}

// By where the memory is: the code that is compared with the paths is not the one that campaigns run.
bool GuidedHunt::add_races(const Trace& trace) {
  bool is_new = false;
  for (const TraceFinding& finding : trace.findings)
    is_new = run::add_raced_memory(finding, spec_.visible) || is_new;
  if (is_new) spec_.visible.silence = VisiblePlaces::kVisibleOnes;
  return is_new;
}

}  // namespace heddle::search
