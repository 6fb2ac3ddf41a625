// `heddle` with the two commands that these tests are about.
#include <cstdio>
#include <string>
#include <vector>

#include "compiler/compile_command.h"

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command != "cc" && command != "c++") {
    std::fprintf(stderr, "usage: heddle cc|c++ ARGUMENTS...\n");
    return 2;
  }
  return heddle::compiler::compile_command(command == "c++", {argv + 2, argv + argc});
}
