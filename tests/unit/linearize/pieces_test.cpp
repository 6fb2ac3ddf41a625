#include "heddle/lin/pieces.hpp"

#include <gtest/gtest.h>

namespace heddle::lin {
namespace {

TEST(Pieces, CoverEachLaneInOrder) {
  for (std::uint64_t seed = 1; seed < 50; ++seed) {
    Draw draw(seed);
    const Pieces pieces(draw, 3, 20, 3, false);
    for (std::size_t thread = 0; thread < 3; ++thread) {
      std::size_t done = 0;
      for (std::size_t piece = 0; piece < pieces.count(); ++piece) {
        ASSERT_EQ(pieces.begin(thread, piece), done);
        const std::size_t end = pieces.end(thread, piece, 20);
        ASSERT_LE(end, done + 3);
        ASSERT_TRUE(end > done || done == 20);
        done = end;
      }
      EXPECT_EQ(done, 20u);
      EXPECT_EQ(pieces.operations(thread), 20u);
    }
  }
}

TEST(Pieces, OneThreadDoesASingleOperationInEach) {
  Draw draw(1);
  const Pieces pieces(draw, 2, 20, 3, true);
  EXPECT_EQ(pieces.operations(0), pieces.count());
  EXPECT_EQ(pieces.operations(1), 20u);
  for (std::size_t piece = 0; piece < pieces.count(); ++piece)
    EXPECT_EQ(pieces.end(0, piece, 20), pieces.begin(0, piece) + 1);
}

// Operations that would wait for ever are not drawn, so that a lane may be shorter than was wanted.
TEST(Pieces, OfAShorterLaneTheLastOnesAreEmpty) {
  Draw draw(1);
  const Pieces pieces(draw, 2, 20, 1, false);
  ASSERT_EQ(pieces.count(), 20u);
  EXPECT_EQ(pieces.end(0, 4, 7), 5u);
  EXPECT_EQ(pieces.end(0, 8, 7), 7u);
}

TEST(Pieces, WithoutAnyAllIsOne) {
  const Pieces pieces;
  EXPECT_EQ(pieces.count(), 1u);
  EXPECT_EQ(pieces.begin(1, 0), 0u);
  EXPECT_EQ(pieces.end(1, 0, 9), 9u);
}

}  // namespace
}  // namespace heddle::lin
