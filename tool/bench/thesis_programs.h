// Programs of Machado's thesis with its figures beside them: a folder with sources and thesis.json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tool/run/target.h"

namespace heddle::bench {

struct ThesisProgram {
  std::string name, source;
  std::vector<std::string> arguments;
  nlohmann::ordered_json thesis;  // its figures; null: it has none of this program
};

// `wanted`: only these; empty: all.
Result<std::vector<ThesisProgram>> read_thesis_programs(const std::string& folder,
                                                        const std::vector<std::string>& wanted);

// Compiles it with `heddle c++ --full` into `folder`.
Result<run::Target> build_thesis_program(const std::string& heddle, const std::string& library,
                                         const std::string& folder, const ThesisProgram& program);

}  // namespace heddle::bench
