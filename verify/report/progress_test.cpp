// A progress bar is one line of the terminal, however narrow that is.
#include "verify/report/progress.h"

#include <gtest/gtest.h>

namespace notape::verify {
namespace {

TEST(Progress, ABarIsNarrowerThanTheTerminalAndSaysHowFarItIs) {
  const std::string what = "scaled_dot_product_attention float64";
  for (std::size_t columns = 1; columns < 200; ++columns)
    for (const std::size_t done : {0, 7, 176}) {
      const std::string text = bar_text(done, 176, what, columns);
      EXPECT_LT(text.size(), std::max<std::size_t>(columns, 2)) << text;
      if (columns >= 40) {
        EXPECT_NE(text.find(std::to_string(done) + "/176 "), std::string::npos) << text;
      }
    }
}

TEST(Progress, ABarFillsUp) {
  EXPECT_EQ(bar_text(0, 4, "tanh", 80), "[                              ] 0/4 tanh");
  EXPECT_EQ(bar_text(2, 4, "tanh", 80), "[===============               ] 2/4 tanh");
  EXPECT_EQ(bar_text(4, 4, "tanh", 80), "[==============================] 4/4 tanh");
  EXPECT_EQ(bar_text(2, 4, "tanh", 24), "[======      ] 2/4 tanh");
  EXPECT_EQ(bar_text(2, 4, "tanh", 12), "2/4 tanh");
  EXPECT_EQ(bar_text(5, 4, "tanh", 24), "[============] 5/4 tanh");
}

}  // namespace
}  // namespace notape::verify
