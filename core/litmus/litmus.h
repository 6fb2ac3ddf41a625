// Litmus tests as text. A file holds the variants of one shape:
//
//   # Store buffering.                        a comment
//   test SB+rlx                               begins a test; names are unique over all files
//   init x=1 y=0                              optional; locations are x, y, z, v3, … and start at 0
//   thread store x 1 rlx ; a = load y rlx     one line per thread, operations separated by ;
//   thread store y 1 rlx ; b = load x rlx
//   allowed a=0 b=0                           some execution ends so
//   forbidden a=1 b=1 x=2                     none does
//   limit a=1 b=1 : no load buffering         allowed by C++20, not shown by us, and why
//
// Operations: [r =] load X ORDER, store X V ORDER, [r =] add X V ORDER, [r =] exchange X V ORDER,
// [r =] cas X EXPECTED DESIRED SUCCESS FAILURE, likewise weak-cas, fence ORDER. Orders: rlx con acq rel ar
// sc. An outcome names registers, r.ok (1 if that CAS succeeded) and final values of locations; what it does
// not name may be anything. The order in which threads are created must not matter: whoever runs a test tries
// all permutations.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/litmus/program.h"

namespace heddle::litmus {

struct Condition {
  std::string text;
  std::string reason;                       // of a limit
  std::vector<std::pair<int, int>> values;  // position in the outcome, value

  bool holds(const Outcome& outcome) const {
    for (auto [position, value] : values) {
      if (outcome[static_cast<std::size_t>(position)] != value) return false;
    }
    return true;
  }
};

struct LitmusTest {
  Program program;
  std::string shape;  // the file's name without its extension
  std::vector<Condition> allowed, forbidden, limits;
};

// A program by its init and thread lines alone. Throws std::runtime_error like those below.
Program parse_program(const std::string& text);

// The tests of a text in the format of files. Throws likewise.
std::vector<LitmusTest> parse_tests(const std::string& text);

// Throws std::runtime_error with file and line where a file is malformed.
std::vector<LitmusTest> read_litmus_file(const std::string& path);
// All *.litmus files of a folder, sorted by name.
std::vector<LitmusTest> read_litmus_folder(const std::string& folder);

bool shows(const Outcomes& outcomes, const Condition& condition);

}  // namespace heddle::litmus
