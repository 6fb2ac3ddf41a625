// Programs of Machado's thesis with its figures beside them: a folder with sources and thesis.json.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tool/bench/child_process.h"
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

// Measures programs one after the other, in a folder for what they leave behind. Each row is shown as soon as
// it is there.
template <typename Row, typename Program, typename Measure>
Result<std::vector<Row>> measure_each(const std::vector<Program>& programs,
                                      const std::function<void(const Row&)>& show, const Measure& measure) {
  auto work = TemporaryFolder::make();
  if (!work) return work.error();
  std::vector<Row> rows;
  for (const Program& program : programs) {
    Result<Row> measured = measure(work->path(), program);
    if (!measured) return measured.error();
    show(*measured);
    rows.push_back(std::move(*measured));
  }
  return rows;
}

}  // namespace heddle::bench
