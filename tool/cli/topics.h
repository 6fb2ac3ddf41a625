// What `heddle help TOPIC` explains besides the commands.
#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

struct Topic {
  const char* name;
  const char* summary;
  std::string (*text)();  // whole lines of at most kScreenWidth columns
};
const std::vector<Topic>& topics();

}  // namespace heddle::cli
