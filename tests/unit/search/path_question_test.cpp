#include "tool/search/path_question_of.h"

#include <gtest/gtest.h>

#include "tool/search/waiting_rounds.h"

namespace heddle::search {
namespace {

Path steps(std::uint64_t first, std::size_t count) {
  Path path;
  for (std::size_t i = 0; i < count; ++i) path.push_back(Step::make(first + i, false));
  return path;
}

TEST(PathQuestion, HasParentsBeforeTheirChildren) {
  const auto question = path_question_of({{"0", steps(1, 1)},
                                          {"0.10", steps(2, 2)},
                                          {"0.2", steps(4, 1)},
                                          {"0.10.1", steps(5, 1)},
                                          {"0.2!", steps(6, 1)},
                                          {"0.7.1", steps(7, 1)}});
  // Signal handlers are left out, and so is a thread whose parent is not there.
  ASSERT_EQ(question->paths, 4u);
  EXPECT_EQ(question->path[1].child, 1u);
  EXPECT_EQ(question->path[2].child, 9u);
  EXPECT_EQ(question->path[2].steps, 2u);
  EXPECT_EQ(question->path[3].parent, 2u);
  EXPECT_EQ(question->step[question->path[3].first_step], Step::make(5, false).bits);
}

TEST(PathQuestion, HasManyEqualRoundsOnce) {
  Path path = steps(1, 3);
  for (std::size_t i = 0; i < 1000; ++i)
    path.insert(path.end(), {Step::make(50, false), Step::make(51, true)});
  path.push_back(Step::make(60, false));
  const auto question = path_question_of({{"0", path}});
  ASSERT_EQ(question->path[0].steps, 3u + 2u + 1u);
  ASSERT_EQ(question->path[0].loops, 1u);
  EXPECT_EQ(question->loop[0].begin, 3u);
  EXPECT_EQ(question->loop[0].end, 5u);
  // Few rounds are rounds that count.
  Path few(kManyRounds - 1, Step::make(50, false));
  EXPECT_EQ(path_question_of({{"0", few}})->path[0].steps, kManyRounds - 1);
}

TEST(PathQuestion, CutsPathsThatAreTooLong) {
  const auto question = path_question_of({{"0", steps(1, PathQuestion::kMostSteps)}, {"0.1", steps(9, 10)}});
  ASSERT_EQ(question->paths, 2u);
  EXPECT_EQ(question->path[0].steps, PathQuestion::kMostSteps / 2);
  EXPECT_EQ(question->path[1].steps, 10u);
}

}  // namespace
}  // namespace heddle::search
