// `heddle` with what these tests need: the compiler wrapper as it is, and `run` and `test` that execute the
// program once, natively, with the exit codes of a campaign.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include "compiler/compile_command.h"

namespace {

int run_once(char** argv) {
  while (*argv != nullptr && std::string(*argv) != "--") ++argv;
  if (*argv == nullptr || argv[1] == nullptr) return 2;
  const pid_t child = fork();
  if (child == 0) {
    execv(argv[1], argv + 1);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : 66;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "run" || command == "test") return run_once(argv + 2);
  if (command != "cc" && command != "c++") {
    std::fprintf(stderr, "usage: heddle cc|c++|run|test ARGUMENTS...\n");
    return 2;
  }
  return heddle::compiler::compile_command(command == "c++", {argv + 2, argv + argc});
}
