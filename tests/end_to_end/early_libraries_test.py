#!/usr/bin/env python3
"""What users rely on when a shared library has constructors: what they did before the engine started is still there.
The dynamic loader runs them before those of libheddle.so, which must not lay its own tables anew afterwards."""
import os
import subprocess
import unittest

from heddle_driver import HEDDLE, NO_BUG, HeddleTest

LIBRARY = """
#include <pthread.h>
#include <semaphore.h>
#include <fcntl.h>
pthread_key_t early_key;
int early_value, early_prepared;
sem_t* early_semaphore;
static void prepare(void) { ++early_prepared; }
__attribute__((constructor)) static void start(void) {
  pthread_key_create(&early_key, 0);
  pthread_setspecific(early_key, &early_value);
  pthread_atfork(prepare, 0, 0);
  sem_unlink("/heddle-early");
  early_semaphore = sem_open("/heddle-early", O_CREAT | O_EXCL, 0600, 1);
}
"""

PROGRAM = """
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
extern pthread_key_t early_key;
extern int early_value, early_prepared;
extern sem_t* early_semaphore;
static void* work(void* key) {
  assert(pthread_getspecific(early_key) == 0);
  pthread_setspecific(*(pthread_key_t*)key, &key);
  assert(pthread_getspecific(early_key) == 0);
  assert(sem_wait(early_semaphore) == 0 && sem_post(early_semaphore) == 0);
  return 0;
}
int main(void) {
  pthread_key_t key;
  assert(pthread_key_create(&key, 0) == 0 && key != early_key);
  pthread_setspecific(key, &key);
  assert(pthread_getspecific(early_key) == &early_value && pthread_getspecific(key) == &key);
  pthread_t thread;
  pthread_create(&thread, 0, work, &key);
  pthread_join(thread, 0);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  int status;
  assert(waitpid(child, &status, 0) == child && status == 0);
  assert(early_prepared == 1);
  sem_t* again = sem_open("/heddle-early", 0);
  assert(again == early_semaphore);
  return 0;
}
"""


class EarlyLibraries(HeddleTest):
    def sh(self, *command):
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def test_what_a_constructor_made_is_kept(self):
        self.write("early.c", LIBRARY)
        self.write("program.c", PROGRAM)
        self.sh("gcc", "-fPIC", "-shared", "early.c", "-o", "libearly.so")
        self.sh(HEDDLE, "cc", "-g", "program.c", "-o", "program", "-L.", "-learly", "-Wl,-rpath,$ORIGIN")
        run = subprocess.run([HEDDLE, "run", "-j", "1", "-n", "20", "--seed", "1", "--", "./program"], cwd=self.folder,
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, NO_BUG, run.stdout + run.stderr)

    def test_nothing_of_the_runtime_is_initialised_by_code(self):
        """Such code would run after the constructors of other libraries, and undo what they did. A variable with an
        initial value that the compiler knows (constinit) needs none."""
        library = os.path.join(os.path.dirname(HEDDLE), "..", "lib", "heddle", "link", "libheddle.so.0")
        names = self.sh("nm", "--defined-only", library).split()
        self.assertIn("pthread_key_create", names)
        self.assertEqual([name for name in names if name.startswith(("_GLOBAL__sub_I", "_GLOBAL__I"))], [])


if __name__ == "__main__":
    unittest.main()
