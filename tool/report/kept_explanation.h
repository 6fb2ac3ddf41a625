// What `heddle explain` found out about an artifact, kept in a file beside it, so that the pages that are made of the
// artifact later show it: bug-1.why.json of bug-1.heddle.
#pragma once

#include <string>

#include <vector>

#include "tool/edit/source_edit.h"
#include "tool/report/json_parts.h"
#include "tool/trace/explanation.h"

namespace heddle::report {

// The file for an artifact of this name.
std::string explanation_path(const std::string& artifact);

// What to write into it: with the edits of the source that its remedy stands for (remedy_edits.h).
std::string explanation_to_keep(const Explanation& explanation,
                                const std::vector<edit::SourceEdit>& edits = {});

// What is in it; empty where there is none that can be read. Nothing is said of an artifact by that.
std::string read_explanation(const std::string& artifact);

// As the page needs it (page_explanation). null where `text` is no explanation, or one of another bug than that with
// this fingerprint. Nothing of it is trusted: it has exactly the parts that the page knows, each of its type.
Json kept_explanation(const std::string& text, const std::string& fingerprint);

// The change that was found, and its edits. Without edits where there are none, or where `text` is nothing that could be
// read; nothing of it is trusted here either.
struct KeptFix {
  std::string sentence;
  std::vector<edit::SourceEdit> edits;
};
KeptFix kept_fix(const std::string& text, const std::string& fingerprint);

}  // namespace heddle::report
