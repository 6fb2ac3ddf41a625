// PCT on weak memory (thesis, Alg. 1): priorities, d − 1 change points drawn among k events for every
// execution, and reads uniform over the stores that are allowed. Under --model sc that is PCT (Burckhardt et
// al. 2010), which finds a bug of depth d among t threads with a probability of at least 1/(t·k^(d−1)).
#pragma once

#include "core/trace/strategy_spec.h"
#include "runtime/strategy/priorities.h"

namespace heddle::strategy {

class PctStrategy final : public PriorityStrategy {
 public:
  struct Parameters {
    std::uint32_t depth = 3;
    std::uint32_t events = 0;  // k; 0: learned
    bool once = false;
  };
  explicit PctStrategy(const Parameters& parameters) : parameters_(parameters) {}
  explicit PctStrategy(const StrategySpec& spec)
      : parameters_{spec.value("d", 3), spec.value("k", 0), spec.value("once", 0) != 0} {}
  void set_parameters(const Parameters& parameters) { parameters_ = parameters; }

 protected:
  void start() override;
  bool meet(ThreadId thread, const NextOperation& next) override;

 private:
  // Until anything is known.
  static constexpr std::uint32_t kFirstEvents = 32;

  Parameters parameters_;
};

}  // namespace heddle::strategy
