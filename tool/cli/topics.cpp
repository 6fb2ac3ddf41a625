#include "tool/cli/topics.h"

#include "tool/cli/run_values.h"

namespace heddle::cli {
namespace {

std::string strategies() {
  return R"(STRATEGIES

A strategy decides which thread performs the next operation, and which store a
load reads. `heddle run -s NAME:parameter=value,…` chooses one. The default,
auto, is right unless you have a reason.

  heddle run -s exhaustive -- ./small_test     every execution that there is
  heddle run -s pct:d=4 -- ./test              bugs of depth 4, with a guarantee
  heddle run -s random --max-failures 0 -- ./test     how often does it fail?

The strategies and their parameters, with defaults in brackets:
)" + strategy_help() +
         "\nMore: docs/guide/strategies.md\n";
}

std::string suppressions() {
  return R"(SUPPRESSIONS

`heddle run --suppressions FILE` leaves out findings that you know and accept.
The file has ThreadSanitizer's format: a line for each, TYPE:NAME. A line that
starts with # is a comment. The option may be given more than once.

  race:NAME             a race. NAME is a function on one of the stacks, its
                        file or library, or the global variable
  race_top:NAME         a race, where NAME is the innermost function
  deadlock:NAME         a deadlock, or a lock-order inversion
  mutex:NAME            misuse of a mutex, condition variable, rwlock, barrier
                        or semaphore
  thread:NAME           a leaked thread, by the function that created it
  called_from_lib:NAME  what a library of this name does itself, through memcpy
                        and functions like it
  signal:NAME           accepted, and never needed

NAME matches a part of a name. * stands for anything, ^ for the beginning and $
for the end of the name.

An example:

  # The counter is a statistic, and may be wrong.
  race:^count_hits$
  race:third_party/*.h

A suppressed finding does not end an execution. The summary counts it.

Other ways to live with a bug that you know:
  --known DIR        bugs whose artifacts are in DIR do not fail the command; it
                     says what is new, what is known and what is gone
  --allow-exit N     exit status N of the program is no bug
  --trust-library N  a library built without heddle that hands data on between
                     threads: calls into it order memory accesses

More: docs/guide/memory-model.md
)";
}

std::string exit_codes() {
  return R"(EXIT CODES

  0   no bug in what was asked for
  66  a bug was found, or reproduced
  1   inconclusive: nothing could be explored, no execution came to its end, it
      was interrupted before a bug was found, or a replay did not reproduce
  2   bad command line or bad input; the message says which. Also a limit of
      heddle that the program reached; the message names the limit
  3   an error of heddle itself

These are the codes of run, test, replay, lin, search, reconstruct and merge.
Of fixed, 66 means that the bug is still there, 0 that it is gone, and 1 that
nothing can be said. explain answers 0 with a remedy that was tried, and 1
without. minimize, report and show answer 0 when they are done. record answers
the program's own code, cc and c++ the compiler's.

`heddle run --exit-code N` answers N instead of 66. It is 66 also if a
report could not be written.

In a script:

  heddle run -t 30s -- ./test || [ $? -ne 66 ] || echo "a bug was found"

More: docs/guide/commands.md
)";
}

std::string environment() {
  return R"(ENVIRONMENT VARIABLES

  HEDDLE_OPTIONS   options of run, test and lin run, as "name=value:name=value"
                   with their long names: HEDDLE_OPTIONS="time=5m:jobs=4". The
                   command line comes after them and wins. ThreadSanitizer's
                   halt_on_error, exitcode, log_path, suppressions, verbosity,
                   color and strip_path_prefix are understood
  HEDDLE_CC        the compiler that `heddle cc` calls [cc]
  HEDDLE_CXX       the compiler that `heddle c++` calls [c++]
  HEDDLE_RECORD    what a program of `heddle c++ --full` records when it runs by
                   itself: path:DIR, vars:DIR or blocks:DIR. More may follow:
                   vars:DIR,share=25,limit=64M
  TMPDIR           where temporary files go [/tmp]
  NO_COLOR         if it is not empty: no colours, unless --color says otherwise
  PAGER            what shows long help on a terminal [less]; cat: nothing does

`heddle test` honours GTEST_TOTAL_SHARDS, GTEST_SHARD_INDEX and
GTEST_SHARD_STATUS_FILE, which divide the test cases between machines.

A program under heddle sees the environment of the command. Variables that it
reads are kept with a bug, and `heddle replay` sets them again. --keep-env NAME
keeps one more.

More: docs/guide/commands.md, docs/guide/production.md
)";
}

std::string report() {
  return R"(HOW TO READ A REPORT

A report begins with what happened:

  WARNING: heddle: KIND    what kind of bug it is. Then the threads (T0 is the
                           main thread), the variable, and lines of your source
  SUMMARY: heddle: KIND    the same in one line, for scripts
  reproduce: heddle replay heddle-out/bug-1.heddle
                           runs this very execution again, as often as you like

Then comes the trace: the execution in which the bug showed, made as small as
possible. Time goes down, and each thread has its own column.

  ▸  the processor goes to another thread here
  ◆  the same, and without it the bug does not happen: look here first
  !  an event that the report is about
  ←  where a load's value comes from: a store, or the initial value
  STALE  the load does not read the newest store. C++ allows that here; weaker
         memory orders, or a missing lock, are the reason

Then come the stacks of the threads, and where memory and threads come from.
Frames of libraries are left out of the first block; -v shows everything, -q
only the first block.

At the end stands the summary: how many executions were run, which bugs showed
and how often, the seed, and what is left: how likely the next execution is to
show something new. That is an estimate. "all N executions were explored" is
certain.

What next:

  heddle explain BUG     why it happens, and what to change
  heddle replay --gdb BUG    look at the variables at any moment
  heddle report          a page for a browser, with the timeline

More: docs/guide/reports.md, docs/guide/findings.md
)";
}

std::string memory_model() {
  return R"(THE MEMORY MODEL

An atomic load may return any value that the C++20 memory model allows at that
point, also an old one. The strategy picks the value. So heddle finds bugs that
your processor never shows, but another one, or another compiler, may.

  int data; std::atomic<bool> ready;
  // thread 1                                // thread 2
  data = 42;                                 while (!ready.load(relaxed)) {}
  ready.store(true, relaxed);                use(data);   // a data race

What orders two accesses in different threads ("happens before"):
  a release store and an acquire load that reads it; fences; seq_cst operations;
  unlocking a mutex and locking it later; creating and joining a thread;
  call_once, barriers, semaphores, condition variables with their mutex

A data race is two accesses of the same byte that nothing orders, if one of them
writes and one of them is not atomic. It is an error, whatever the values are.

What is modelled:
  --model c++20      as above [the default]
  --model c++20-words  without the repair of LWG 3941, for comparison
  --model sc         every load reads the newest store
  --model c11tester  the rules of that paper, for comparison
  --volatile V       volatile accesses are relaxed, acqrel or plain [relaxed]

What is not: a load never reads a store that is executed later (load buffering).
Code that heddle did not compile is not seen: its locks are, its own atomics are
not. `--trust-library NAME` says that a library hands data on correctly.

`heddle bench litmus` shows what is allowed and what is forbidden, test by test.

More: docs/guide/memory-model.md
)";
}

}  // namespace

const std::vector<Topic>& topics() {
  static const std::vector<Topic> kTopics = {
      {"strategies", "how executions are chosen: the values of -s", strategies},
      {"suppressions", "findings that are not to be reported", suppressions},
      {"exit-codes", "what commands answer to scripts", exit_codes},
      {"environment", "variables that heddle reads", environment},
      {"report", "how to read a report", report},
      {"memory-model", "which values a load may return, and what a data race is", memory_model},
  };
  return kTopics;
}

}  // namespace heddle::cli
