// The commands of `heddle`, one file each. Each answers the exit code of the process.
#pragma once

#include <string>
#include <vector>

namespace heddle::cli {

using Arguments = std::vector<std::string>;  // what follows the command's name

int run_command(const Arguments& arguments);
int replay_command(const Arguments& arguments);
int merge_command(const Arguments& arguments);
int minimize_command(const Arguments& arguments);
int explain_command(const Arguments& arguments);
int fixed_command(const Arguments& arguments);
int reconstruct_command(const Arguments& arguments);
int search_command(const Arguments& arguments);
int show_command(const Arguments& arguments);
int bench_command(const Arguments& arguments);
int record_command(const Arguments& arguments);
int lin_command(const Arguments& arguments);
int test_command(const Arguments& arguments);
int report_command(const Arguments& arguments);
int completion_command(const Arguments& arguments);
int man_command(const Arguments& arguments);
int help_command(const Arguments& arguments);

}  // namespace heddle::cli
