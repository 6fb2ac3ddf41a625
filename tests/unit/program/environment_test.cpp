#include "tool/program/environment.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Environment, WhatLoadsCodeWritesFilesOrIsRunSteers) {
  for (const char* name : {"LD_PRELOAD",
                           "LD_LIBRARY_PATH",
                           "LD_AUDIT",
                           "LD_BIND_NOW",
                           "PATH",
                           "GCONV_PATH",
                           "LOCPATH",
                           "NLSPATH",
                           "PYTHONPATH",
                           "ASAN_OPTIONS",
                           "TSAN_OPTIONS",
                           "UBSAN_OPTIONS",
                           "HEDDLE_OPTIONS",
                           "JAVA_TOOL_OPTIONS",
                           "GTEST_OUTPUT",
                           "XML_OUTPUT_FILE",
                           "TEST_WARNINGS_OUTPUT_FILE",
                           "GTEST_SHARD_STATUS_FILE",
                           "MALLOC_TRACE",
                           "MALLOC_PERTURB_",
                           "GLIBC_TUNABLES",
                           "BASH_ENV",
                           "BASH_FUNC_x%%",
                           "ENV",
                           "PYTHONSTARTUP",
                           "PERL5OPT",
                           "PERL5LIB",
                           "RUBYOPT",
                           "NODE_OPTIONS",
                           "EVIL_PRELOAD",
                           "HOME",
                           "TMPDIR",
                           "XDG_CONFIG_HOME",
                           "LESSOPEN",
                           "GIT_SSH_COMMAND",
                           "LLVM_PROFILE_FILE",
                           "GCOV_PREFIX",
                           "CPUPROFILE",
                           "HEDDLE_CHANNEL",
                           "HOSTALIASES",
                           "http_proxy",
                           "EDITOR",
                           "IFS",
                           "QT_PLUGIN_PATH",
                           "GTK_MODULES",
                           "OMP_TOOL_LIBRARIES",
                           "KMP_AFFINITY"}) {
    EXPECT_FALSE(steering_reason(name).empty()) << name;
  }
}

TEST(Environment, WhatTheProgramAsksForDoesNot) {
  for (const char* name :
       {"MODE", "LANG", "LC_ALL", "TZ", "OMP_NUM_THREADS", "THREADS", "INPUT", "SEED", "DEBUG", "LOG_LEVEL",
        "GTEST_FILTER", "APP_CACHE_SIZE", "LDAP", "PATHOLOGY", "OPTIONS_SET"}) {
    EXPECT_TRUE(steering_reason(name).empty()) << name << ": " << steering_reason(name);
  }
}

TEST(Environment, LibcAsksByItself) {
  EXPECT_TRUE(is_read_by_libc("LANG"));
  EXPECT_TRUE(is_read_by_libc("LC_NUMERIC"));
  EXPECT_TRUE(is_read_by_libc("LD_LIBRARY_PATH"));
  EXPECT_FALSE(is_read_by_libc("AWS_SECRET_ACCESS_KEY"));
  EXPECT_FALSE(is_read_by_libc("HOME"));
}

}  // namespace
}  // namespace heddle
