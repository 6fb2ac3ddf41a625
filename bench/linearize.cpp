// Linearizability checking by length, threads, object and verdict: CPU time of one check and the peak of
// memory.
//
//   build/bin/linearize_bench            the table of docs/measurements/speed.md
//   build/bin/linearize_bench 100000     histories of this length only
//
// Each check runs in a child process, so that its memory is its own. A linearizable history comes from a
// sequential object whose operations take effect at random points; a violating one has one wrong result in
// its middle (two removals that changed places, for queues and stacks). The verdict is checked.
#include <fmt/core.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "core/linearize/check.h"

namespace heddle::linearize {
namespace {

constexpr int kRepetitions = 5;
constexpr const char* kDistinctRegister = "register, distinct";

struct Wish {
  std::string object;
  std::uint32_t operations;
  std::uint32_t threads;
  bool violating;
};

class MakeHistory {
 public:
  explicit MakeHistory(const Wish& wish) : wish_(wish), random_(wish.operations * 31 + wish.threads) {}

  template <typename Spec>
  CallHistory make() {
    std::map<Value, Spec> objects;  // one for each part
    CallHistory history;
    struct Thread {
      std::optional<OperationIndex> open;
      std::optional<Reply> reply;
    };
    std::vector<Thread> threads(wish_.threads);
    std::uint32_t called = 0;
    std::uint32_t returned = 0;
    while (returned < wish_.operations) {
      const std::uint32_t who = random_.below(wish_.threads);
      Thread& thread = threads[who];
      if (!thread.open) {
        if (called == wish_.operations) continue;
        ++called;
        thread.open = history.call(who, call());
      } else if (!thread.reply) {
        const Call& input = history[*thread.open].input;
        if constexpr (kHasParts<Spec>) {
          thread.reply = objects[*Spec::part(input)].step(input);
        } else {
          thread.reply = objects[0].step(input);
        }
      } else {
        if (wish_.violating && returned > wish_.operations / 2) spoil(*thread.reply);
        history.give_back(*thread.open, *thread.reply);
        thread = {};
        ++returned;
      }
    }
    return finish(history);
  }

 private:
  Call call() {
    const bool removes = random_.below(2) == 0;
    if (wish_.object == "queue") return removes ? Call{Name::kDeq} : Call{Name::kEnq, next_value_++};
    if (wish_.object == "stack") return removes ? Call{Name::kPop} : Call{Name::kPush, next_value_++};
    if (wish_.object == "register")
      return removes ? Call{Name::kRead} : Call{Name::kWrite, random_.below(16)};
    if (wish_.object == kDistinctRegister)
      return removes ? Call{Name::kRead} : Call{Name::kWrite, next_value_++};
    if (wish_.object == "counter") return {removes ? Name::kRead : Name::kInc};
    const Value key = random_.below(64);
    const Name names[] = {Name::kAdd, Name::kRemove, Name::kContains};
    return {names[random_.below(3)], key};
  }

  // From the middle on: five truths are turned round, the first value read was never written or is long gone,
  // and of two removals that are 50 removals apart each has the other's result, if they have different ones.
  void spoil(Reply& reply) {
    constexpr std::uint32_t kApart = 50;
    constexpr std::uint32_t kTruths = 5;  // one may still be right beside an operation that overlaps
    if (spoiled_ || (reply.kind != Reply::Kind::kTruth && reply.kind != Reply::Kind::kValue)) return;
    if (reply.kind == Reply::Kind::kTruth) {
      reply.value ^= 1;
      spoiled_ = ++apart_ == kTruths;
    } else if (wish_.object == "register" || wish_.object == kDistinctRegister || wish_.object == "counter") {
      reply.value = 17;
      spoiled_ = true;
    } else if (!kept_) {
      kept_ = reply.value;
      reply.value = -1;  // stands for the later one, put in by `finish`
    } else if (++apart_ == kApart) {
      later_ = std::exchange(reply.value, *kept_);
      spoiled_ = true;
    }
  }

  CallHistory finish(const CallHistory& history) const {
    if (!later_) return history;
    CallHistory result;
    for (const Event& event : history.events()) {
      const auto& operation = history[event.operation];
      if (!event.returns) {
        result.call(operation.thread, operation.input);
      } else {
        const bool is_kept = *operation.output == Reply::of(-1);
        result.give_back(event.operation, is_kept ? Reply::of(*later_) : *operation.output);
      }
    }
    return result;
  }

  std::optional<Value> kept_;
  std::optional<Value> later_;
  std::uint32_t apart_ = 0;
  const Wish& wish_;
  Random random_;
  Value next_value_ = 1;
  bool spoiled_ = false;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Measured {
  double seconds = 0;
  Verdict verdict = Verdict::kUnknown;
};

// The order respects real time and gives the results that were seen.
template <typename Spec>
bool is_linearization(const CallHistory& history, const std::vector<OperationIndex>& order) {
  std::map<Value, Spec> objects;
  Position latest = 0;  // call so far: nothing that is still to come may have returned before it
  for (const OperationIndex index : order) {
    const auto& operation = history[index];
    if (operation.returned < latest) return false;
    latest = std::max(latest, operation.called);
    Value part = 0;
    if constexpr (kHasParts<Spec>) part = *Spec::part(operation.input);
    if (objects[part].step(operation.input) != *operation.output) return false;
  }
  return order.size() == history.operations().size();
}

template <typename Spec>
Measured measure_here(const Wish& wish) {
  const CallHistory history = MakeHistory(wish).make<Spec>();
  const double before = cpu_seconds();
  const Answer answer = check(Spec{}, history);
  const double seconds = cpu_seconds() - before;
  const bool linearizable = answer.verdict == Verdict::kLinearizable;
  if (linearizable && !is_linearization<Spec>(history, answer.order)) return {seconds, Verdict::kUnknown};
  return {seconds, answer.verdict};
}

Measured measure_here(const Wish& wish) {
  if (wish.object == "queue") return measure_here<QueueSpec>(wish);
  if (wish.object == "stack") return measure_here<StackSpec>(wish);
  if (wish.object == "set") return measure_here<SetSpec>(wish);
  if (wish.object == "counter") return measure_here<CounterSpec>(wish);
  return measure_here<RegisterSpec>(wish);
}

bool print_row(const Wish& wish) {
  std::vector<double> seconds;
  long kilobytes = 0;
  bool right = true;
  for (int i = 0; i < kRepetitions; ++i) {
    int ends[2];
    if (pipe(ends) != 0) return false;
    const pid_t child = fork();
    if (child == 0) {
      const Measured measured = measure_here(wish);
      const bool written = write(ends[1], &measured, sizeof measured) == sizeof measured;
      _exit(written ? 0 : 1);
    }
    close(ends[1]);
    Measured measured;
    const bool told = read(ends[0], &measured, sizeof measured) == sizeof measured;
    close(ends[0]);
    rusage usage{};
    wait4(child, nullptr, 0, &usage);
    const Verdict expected = wish.violating ? Verdict::kNotLinearizable : Verdict::kLinearizable;
    right = right && told && measured.verdict == expected;
    seconds.push_back(measured.seconds);
    kilobytes = std::max(kilobytes, usage.ru_maxrss);
  }
  std::sort(seconds.begin(), seconds.end());
  fmt::print("| {} | {} | {} | {} | {:.4f} ({:.4f} to {:.4f}) | {} |{}\n", wish.object, wish.operations,
             wish.threads, wish.violating ? "violating" : "linearizable", seconds[seconds.size() / 2],
             seconds.front(), seconds.back(), kilobytes / 1024, right ? "" : " WRONG VERDICT");
  return right;
}

}  // namespace
}  // namespace heddle::linearize

int main(int argc, char** argv) {
  using heddle::linearize::print_row;
  std::vector<std::uint32_t> lengths = {100, 1000, 10000, 100000};
  if (argc > 1) lengths = {static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10))};
  fmt::print("| object | operations | threads | history | CPU seconds, median of 5 (range) | peak MB |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  bool right = true;
  for (const char* object : {"queue", "stack", "set", "register", "register, distinct", "counter"}) {
    for (const std::uint32_t length : lengths) {
      for (const std::uint32_t threads : {2u, 4u, 8u}) {
        for (const bool violating : {false, true}) right &= print_row({object, length, threads, violating});
      }
    }
  }
  return right ? 0 : 1;
}
