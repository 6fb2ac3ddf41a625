// The edits of the source that a remedy stands for, where they are single words: memory orders, a notification of all, a
// wait that looks again. Their places come from the sources as they are now on this machine.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tool/edit/source_edit.h"
#include "tool/trace/explanation.h"

namespace heddle::report {

struct RemedyEdits {
  std::vector<edit::SourceEdit> edits;
  std::map<std::string, edit::SourceText> files;  // that were read for them
  std::vector<std::string>
      by_hand;  // what they leave to be done, a line each; all of it where there are no edits
};

RemedyEdits remedy_edits(const Explanation& explanation);

}  // namespace heddle::report
