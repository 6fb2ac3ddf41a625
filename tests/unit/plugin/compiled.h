// A small module that clang 19 compiles with the pass of --full, and what the binary has to say.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/record/elements.h"
#include "tool/record/path_tables.h"

namespace heddle::plugin::testing {

struct NamedElement {
  std::uint64_t id = 0;
  record::ElementKind kind = record::ElementKind::kGlobal;
  std::string name;
  std::string place;
};

class Compiled {
 public:
  // `kind` is what clang calls the language: "ir" (compiled as it is), "c", "c++" (with -O1).
  Compiled(const std::string& source, const std::string& kind, const std::string& file = "source");

  // nullptr: there is none.
  const PathFunction* path(const std::string& function) const;
  // The table of a function as text, a line for each block and for each loop; "none" where there is none.
  std::string path_text(const std::string& function) const;
  const std::vector<NamedElement>& elements() const { return elements_; }
  // Names of elements of this kind, blocks of code apart.
  std::set<std::string> names(record::ElementKind kind) const;
  bool has_symbol(const std::string& name) const { return symbols_.contains(name); }
  const std::string& graph_section() const { return graph_; }

 private:
  std::vector<PathFunction> functions_;
  std::vector<NamedElement> elements_;
  std::set<std::string> symbols_;
  std::string graph_;
};

// Is there what it takes to compile?
bool can_compile();

}  // namespace heddle::plugin::testing
