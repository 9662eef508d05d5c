// Freezing a base: Autograd mechanics note.
#include <gmock/gmock.h>

#include "paper_examples/programs.h"
#include "paper_examples/testing/output_of.h"

namespace notape::paper {
namespace {

using ::testing::HasSubstr;

TEST(Freeze, B03_NothingIsSavedBeforeTheNewLayerAndOnlyItIsTrained) {
  const Output output = output_of(freeze);
  EXPECT_EQ(output.status, 0);
  EXPECT_THAT(output.text, HasSubstr("before fc: 0 bytes in 0 nodes"));
  EXPECT_THAT(output.text, HasSubstr("gradients of fc.weight fc.bias, changed fc.weight fc.bias, a "
                                     "regular image gives requires_grad"));
}

}  // namespace
}  // namespace notape::paper
