#!/usr/bin/env python3
"""What users rely on in `heddle explain`: an execution that passes beside the one that fails, and what to change,
tried before it is said."""
import json
import os
import unittest
import xml.etree.ElementTree as xml

from heddle_driver import BAD_INPUT, BUG, INCONCLUSIVE, NO_BUG, HeddleTest

ARTIFACT = "heddle-out/bug-1.heddle"

HEAD = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
"""


def two_threads(first, second, rest=""):
    return f"""{HEAD}{rest}
static void* first(void* p) {{ {first} return p; }}
static void* second(void* p) {{ {second} return p; }}
int main(void) {{
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}}
"""


MESSAGE = two_threads(
    """
  data = 42;
  atomic_store_explicit(&flag, 1, memory_order_relaxed);  // the store
""",
    """
  if (atomic_load_explicit(&flag, memory_order_acquire)) {
    int seen = data;
    assert(seen == 42);
  }""",
    "int data; atomic_int flag;",
)

# Store buffering: acquire and release are not enough.
STORE_BUFFERING = f"""{HEAD}
atomic_int x, y;
int saw_y, saw_x;
static void* first(void* p) {{
  atomic_store_explicit(&x, 1, memory_order_release);
  saw_y = atomic_load_explicit(&y, memory_order_acquire);
  return p;
}}
static void* second(void* p) {{
  atomic_store_explicit(&y, 1, memory_order_release);
  saw_x = atomic_load_explicit(&x, memory_order_acquire);
  return p;
}}
int main(void) {{
  pthread_t a, b;
  pthread_create(&a, 0, first, 0);
  pthread_create(&b, 0, second, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(saw_x || saw_y);
  return 0;
}}
"""

# One of two waiters can go on, and the other one may be woken.
WRONG_WAITER = two_threads(
    "await(&first_may);",
    "await(&second_may); post(&first_may);",
    """
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int first_may, second_may;
static void await(int* may) {
  pthread_mutex_lock(&lock);
  while (!*may) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}
static void post(int* may) {
  pthread_mutex_lock(&lock);
  *may = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&lock);
}
""",
).replace("  pthread_join(a, 0);", "  post(&second_may);\n  pthread_join(a, 0);")

# The thesis' running example (Fig. 4.2): the check and the use are two critical sections.
CHECK_AND_USE = two_threads(
    "get();",
    "get();",
    """
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int filled = 1;
static void get(void) {
  pthread_mutex_lock(&lock);
  int any = filled > 0;  // the check
  pthread_mutex_unlock(&lock);
  if (!any) return;
  pthread_mutex_lock(&lock);
  int left = filled;  // the use
  assert(left > 0);
  filled = left - 1;
  pthread_mutex_unlock(&lock);
}
""",
)

TOO_EARLY = two_threads(
    "atomic_store(&ready, 1);  // the store\n",
    "int seen = atomic_load(&ready); assert(seen == 1);",
    "atomic_int ready;",
)

DEADLOCK = two_threads(
    "pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);",
    "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;",
)

RACE = two_threads("counter = counter + 1;", "counter = counter + 1;", "int counter;")

# Two counters behind one lock; a look at both has to be one step, whichever of them is written last.
BOTH = two_threads(
    """
  atomic_store(&a, 1);  // the first
  atomic_store(&b, 1);  // the second
""",
    """
  int seen_a = atomic_load(&a);  // the look
  int seen_b = atomic_load(&b);
  assert(seen_a == seen_b);
""",
    "atomic_int a, b;",
)

# Store buffering once more: volatile accesses have no memory order.
VOLATILE_STORES = STORE_BUFFERING.replace("atomic_int x, y", "volatile int x, y").replace(
    "atomic_store_explicit(&x, 1, memory_order_release)", "x = 1").replace(
    "atomic_store_explicit(&y, 1, memory_order_release)", "y = 1").replace(
    "atomic_load_explicit(&y, memory_order_acquire)", "y").replace(
    "atomic_load_explicit(&x, memory_order_acquire)", "x")

# The socket is closed before its reader has ended.
CLOSED_TOO_EARLY = """
#include <assert.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
static void* reader(void* p) {
  char byte;
  long size = read(*(int*)p, &byte, 1);
  assert(size >= 0);
  return p;
}
int main(void) {
  int ends[2];
  pthread_t t;
  socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  pthread_create(&t, 0, reader, ends);
  shutdown(ends[0], SHUT_RDWR);
  close(ends[0]);  // the end
  pthread_join(t, 0);
  return 0;
}
"""

# Who waits for room keeps the lock that the other thread needs to make some.
WAITS_WITH_A_LOCK = two_threads(
    """
  pthread_mutex_lock(&outer);
  pthread_mutex_lock(&m);
  while (!room) pthread_cond_wait(&changed, &m);  // the wait
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&outer);
""",
    """
  pthread_mutex_lock(&outer);
  pthread_mutex_unlock(&outer);
  pthread_mutex_lock(&m);
  room = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&m);
""",
    "pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;"
    "pthread_cond_t changed = PTHREAD_COND_INITIALIZER; int room;",
)

# Each worker looks at the others, which are made one after another.
STARTED_IN_A_LOOP = """
#include <pthread.h>
#include <stdlib.h>
struct worker { pthread_t thread; int* value; } workers[2];
static void* work(void* p) {
  int sum = 0;
  for (int i = 0; i < 2; ++i) sum += *workers[i].value;
  return sum != 3 ? p : 0;
}
int main(void) {
  for (int i = 0; i < 2; ++i) {
    workers[i].value = malloc(sizeof(int));  // is made
    *workers[i].value = i + 1;
    pthread_create(&workers[i].thread, 0, work, 0);  // is started
  }
  for (int i = 0; i < 2; ++i) pthread_join(workers[i].thread, 0);
  return 0;
}
"""

ALWAYS = HEAD + "int main(void) { assert(0); }"


def line_of(source, mark):
    return next(i + 1 for i, line in enumerate(source.split("\n")) if mark in line)


class ExplainTest(HeddleTest):
    def find(self, source):
        program = self.compile(source)
        self.report("--seed", "1", "-n", "20000", program, code=BUG)

    def explain(self, source, *options):
        self.find(source)
        answer = self.heddle("explain", "-q", "-n", "2000", "--json", "why.json", *options, ARTIFACT)
        self.assertEqual(answer.code, NO_BUG, answer.errors)
        with open(self.path("why.json"), encoding="utf-8") as file:
            return json.load(file), answer.output

    def test_a_missing_release_is_named_and_tried(self):
        why, text = self.explain(MESSAGE)
        self.assertEqual(why["remedy"]["kind"], "orders")
        (part,) = why["remedy"]["parts"]
        self.assertEqual((part["was"], part["order"]), ("relaxed", "release"))
        self.assertEqual(part["operation"]["frame"]["line"], line_of(MESSAGE, "// the store"))
        self.assertGreaterEqual(why["remedy"]["executions_without_bug"], 1)
        self.assertIn("release (it is relaxed)", text)

    def patched(self, source, words):
        why, _ = self.explain(source, "--patch", "fix.diff")
        self.assertEqual(len(why["remedy"]["edits"]), words)
        self.assertEqual(self.call("patch", "-p1", "-i", "fix.diff").code, 0)
        self.assertEqual(self.heddle("cc", "-g", "-O1", "program.c", "-o", "program").code, 0)
        self.report("--seed", "5", "-n", "20000", "./program", code=NO_BUG)

    def test_a_patch_of_one_order_makes_the_bug_go_away(self):
        self.patched(MESSAGE, 1)

    def test_a_patch_of_several_orders_makes_the_bug_go_away(self):
        self.patched(STORE_BUFFERING, 4)

    def test_a_patch_that_wakes_all_makes_the_bug_go_away(self):
        self.patched(WRONG_WAITER, 1)

    def test_sarif_has_the_fix_of_an_explained_bug(self):
        self.explain(MESSAGE)
        self.assertEqual(self.heddle("report", "--sarif", "r.sarif", "heddle-out").code, 0)
        with open(self.path("r.sarif"), encoding="utf-8") as file:
            (result,) = json.load(file)["runs"][0]["results"]
        (change,) = result["fixes"][0]["artifactChanges"]
        (replacement,) = change["replacements"]
        self.assertEqual(replacement["insertedContent"]["text"], "memory_order_release")
        self.assertEqual(replacement["deletedRegion"]["startLine"], line_of(MESSAGE, "// the store"))

    def test_a_change_of_more_than_words_is_no_patch(self):
        self.explain(CHECK_AND_USE, "--patch", "fix.diff")
        self.assertFalse(os.path.exists(self.path("fix.diff")))

    def test_store_buffering_needs_seq_cst(self):
        why, _ = self.explain(STORE_BUFFERING)
        self.assertEqual(why["remedy"]["kind"], "orders")
        self.assertEqual({part["order"] for part in why["remedy"]["parts"]}, {"seq_cst"})
        self.assertEqual(len(why["remedy"]["parts"]), 4)

    def test_check_and_use_should_be_one_step(self):
        why, text = self.explain(CHECK_AND_USE)
        self.assertEqual(why["remedy"]["kind"], "together")
        check, use = line_of(CHECK_AND_USE, "// the check"), line_of(CHECK_AND_USE, "// the use")
        self.assertRegex(why["remedy"]["sentence"],
                         rf"Keep lock locked from the read of filled at \S+:{check} to the read of filled at \S+:{use}")
        # The use reads what the other thread left, and in the execution that passes what was there.
        self.assertTrue(why["failing"]["flows"])
        self.assertLess(len(why["failing"]["events"]), why["all_events"])
        self.assertIn("fails", text)
        self.assertIn("passes", text)

    def test_what_comes_too_early_has_to_wait(self):
        why, _ = self.explain(TOO_EARLY)
        self.assertEqual(why["remedy"]["kind"], "after")
        (part,) = why["remedy"]["parts"]
        self.assertEqual(part["other"]["frame"]["line"], line_of(TOO_EARLY, "// the store"))

    def test_locks_of_a_deadlock_should_be_taken_together(self):
        why, _ = self.explain(DEADLOCK)
        self.assertEqual(why["remedy"]["kind"], "lock_order")
        self.assertIn("in the same order", why["remedy"]["sentence"])
        self.assertEqual(len(why["remedy"]["parts"]), 2)

    def test_an_update_that_races_is_one_step(self):
        why, _ = self.explain(RACE)
        self.assertEqual(why["remedy"]["kind"], "together")
        self.assertIn("Make the update of counter", why["remedy"]["sentence"])
        self.assertIsNone(why["passing"])

    def test_what_is_looked_at_as_a_whole_is_written_as_one(self):
        """To write one of them last is no remedy: the look at the other one may come before. Both sides need the lock."""
        why, _ = self.explain(BOTH)
        self.assertEqual(why["remedy"]["kind"], "lock")
        lines = {one[side]["frame"]["line"] for one in why["remedy"]["parts"] for side in ("operation", "other")}
        first, look = line_of(BOTH, "// the first"), line_of(BOTH, "// the look")
        self.assertEqual(lines, {first, first + 1, look, look + 1})

    def test_volatile_accesses_need_fences(self):
        why, _ = self.explain(VOLATILE_STORES)
        self.assertEqual(why["remedy"]["kind"], "fence")
        self.assertEqual([part["order"] for part in why["remedy"]["parts"]], ["seq_cst", "seq_cst"])

    def test_who_closes_a_socket_waits_for_its_reader(self):
        why, _ = self.explain(CLOSED_TOO_EARLY)
        self.assertEqual(why["remedy"]["kind"], "join_before")
        (part,) = why["remedy"]["parts"]
        self.assertEqual(part["operation"]["frame"]["line"], line_of(CLOSED_TOO_EARLY, "// the end"))

    def test_a_lock_is_given_back_before_a_wait(self):
        why, _ = self.explain(WAITS_WITH_A_LOCK)
        self.assertEqual(why["remedy"]["kind"], "lock_order")
        self.assertIn(f"Give outer back before the wait at program.c:{line_of(WAITS_WITH_A_LOCK, '// the wait')}",
                      why["remedy"]["sentence"])

    def test_threads_of_a_loop_are_started_when_all_is_made(self):
        why, _ = self.explain(STARTED_IN_A_LOOP)
        self.assertEqual(why["remedy"]["kind"], "start_later")
        for part in why["remedy"]["parts"]:
            self.assertEqual(part["first"]["frame"]["line"], line_of(STARTED_IN_A_LOOP, "// is started"))

    def test_the_picture_is_well_formed(self):
        self.explain(CHECK_AND_USE, "--no-remedy", "--svg", "why.svg")
        root = xml.parse(self.path("why.svg")).getroot()
        texts = "".join(root.itertext())
        self.assertIn("fails", texts)
        self.assertIn("filled", texts)

    def test_a_failure_whatever_the_threads_do_has_no_explanation(self):
        self.find(ALWAYS)
        answer = self.heddle("explain", "-q", "-n", "100", ARTIFACT)
        self.assertEqual(answer.code, INCONCLUSIVE, answer.errors)
        self.assertIn("whatever the threads do", answer.output)

    def test_what_another_thread_had_not_done_yet_is_solved_for(self):
        """The failing execution ends before the store: the others are let on after it."""
        self.compile(TOO_EARLY, flags=["--full"])
        self.report("--seed", "1", "-n", "2000", "./program", code=BUG)
        answer = self.heddle("explain", "-q", "--no-remedy", "--json", "why.json", ARTIFACT)
        self.assertEqual(answer.code, NO_BUG, answer.errors)
        self.assertIn("Found by solving", answer.output)

    def test_an_artifact_is_carried_over_to_a_full_build(self):
        self.find(CHECK_AND_USE)
        self.assertEqual(self.heddle("cc", "--full", "-g", "-O1", "program.c", "-o", "full").code, 0)
        answer = self.heddle("explain", "-q", "--no-remedy", "--program", self.path("full"), ARTIFACT)
        self.assertEqual(answer.code, NO_BUG, answer.errors)
        self.assertIn("Found by solving", answer.output)
        # One that has no such bug does not come to it; the old build is still there.
        self.write("program.c", CHECK_AND_USE.replace("int filled = 1", "int filled = 9"))
        self.assertEqual(self.heddle("cc", "-g", "-O1", "program.c", "-o", "other").code, 0)
        answer = self.heddle("explain", "-q", "--no-remedy", "--program", self.path("other"), ARTIFACT)
        self.assertEqual(answer.code, NO_BUG, answer.errors)
        self.assertIn("does not come to the same bug", answer.errors)
        self.assertIn("Found by intervention", answer.output)

    def test_no_artifact_is_bad_input(self):
        self.assertEqual(self.heddle("explain", "nothing.heddle").code, BAD_INPUT)



# Every execution has a race that has nothing to do with the assertion.
OTHER_RACE = """
#include <assert.h>
#include <pthread.h>
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int value, raced_for;
static void* add(void* p) {
  pthread_mutex_lock(&lock);
  int seen = value;
  pthread_mutex_unlock(&lock);
  pthread_mutex_lock(&lock);
  value = seen + 1;
  pthread_mutex_unlock(&lock);
  raced_for = 1;
  return p;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, NULL, add, NULL);
  pthread_create(&b, NULL, add, NULL);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  assert(value == 2);
  return 0;
}
"""

# The worker is started before what it uses is set: no lock mends that.
STARTED_TOO_EARLY = """
#include <pthread.h>
#include <stdlib.h>
int *config;
static void* work(void* p) { *(int*)p += *config; return p; }
int main(void) {
  int sum = 0;
  pthread_t t;
  pthread_create(&t, NULL, work, &sum);
  config = calloc(1, sizeof *config);
  pthread_join(t, NULL);
  free(config);
  return sum;
}
"""


class RacesBeside(HeddleTest):
    def test_a_race_in_every_execution_does_not_hide_those_that_pass(self):
        self.compile(OTHER_RACE)
        report, _ = self.report("--seed", "1", "-n", "400", "--max-failures", "0", "--consequences", "0", "--", "./program", code=BUG)
        failed = [finding["artifact"] for finding in report["findings"] if finding["kind"] == "assertion failure"]
        self.assertEqual(1, len(failed))
        answer = self.heddle("explain", "-t", "30s", failed[0])
        self.assertNotIn("No execution near this one passes", answer.output)
        self.assertIn("Keep lock locked from the read of value at program.c:8", " ".join(answer.output.split()))
        self.assertIn("Other bugs showed: data race at program.c:13", " ".join(answer.output.split()))

    def test_a_lock_that_leaves_the_null_pointer_is_no_remedy(self):
        self.compile(STARTED_TOO_EARLY)
        report, _ = self.report("--seed", "1", "-s", "random", "--", "./program", code=BUG)
        led_to = report["findings"][0]["consequences"]["found"][0]["artifact"]
        for artifact in (report["findings"][0]["artifact"], led_to):
            answer = self.heddle("explain", "-t", "30s", artifact, code=NO_BUG)
            self.assertRegex(" ".join(answer.output.split()),
                             r"Start the thread at program\.c:9 only after the \w+ of config at program\.c:10", artifact)


if __name__ == "__main__":
    unittest.main()
