#include "compiler/plugin/escapes.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/IR/Instructions.h>

namespace heddle::plugin {
namespace {

constexpr unsigned kMostUses = 100;

// The parameter that the use is an argument for, in a function of this module. What another module has in its
// place, if it may, comes of the same source: LLVM itself must not draw conclusions from one of several
// optimised copies, but whether the source gives a pointer away is the same for all.
const llvm::Argument* parameter_of(const llvm::Use& use) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
  if (call == nullptr || !call->isArgOperand(&use)) return nullptr;
  const llvm::Function* callee = call->getCalledFunction();
  if (callee == nullptr || callee->isDeclaration() || callee->isInterposable()) return nullptr;
  const unsigned number = call->getArgOperandNo(&use);
  return number < callee->arg_size() ? callee->getArg(number) : nullptr;
}

}  // namespace

class Escapes::Tracker : public llvm::CaptureTracker {
 public:
  Tracker(Escapes& all, bool by_return, unsigned depth) : all_(all), by_return_(by_return), depth_(depth) {}

  bool escaped() const { return escaped_; }

  void tooManyUses() override { escaped_ = true; }
  bool captured(const llvm::Use* use) override {
    if (llvm::isa<llvm::ReturnInst>(use->getUser()) && !by_return_) return false;
    const llvm::Argument* parameter = parameter_of(*use);
    escaped_ = depth_ == 0 || parameter == nullptr || all_.follow(parameter, true, depth_ - 1);
    return escaped_;
  }

 private:
  Escapes& all_;
  const bool by_return_;
  const unsigned depth_;
  bool escaped_ = false;
};

bool Escapes::follow(const llvm::Value* object, bool by_return, unsigned depth) {
  Tracker tracker(*this, by_return, depth);
  llvm::PointerMayBeCaptured(object, &tracker, kMostUses);
  return tracker.escaped();
}

bool Escapes::may_escape(const llvm::Value* object, bool by_return) {
  const auto [at, is_new] = known_.try_emplace(object, true);
  if (!is_new) return at->second;
  const bool answer = follow(object, by_return, kDeepestCalls);
  known_[object] = answer;
  return answer;
}

}  // namespace heddle::plugin
