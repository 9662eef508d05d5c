#include "autograd/graph/write_ticket.h"

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(WriteTicket, MakesRawWritesKnownAtBothEnds) {
  const Tensor x = leaf({2, 3});
  Tensor y = x * 1;
  const Tensor before = y.square();
  Tensor during;
  {
    const WriteTicket ticket(y);
    EXPECT_EQ(y._version(), 1u);
    during = y.square();
    static_cast<double*>(ticket.data())[0] = 9;
  }
  EXPECT_EQ(y._version(), 2u);
  const Tensor after = y.square();
  for (const Tensor& lost : {before, during}) {
    try {
      lost.sum().backward();
      ADD_FAILURE() << "the raw write must be known";
    } catch (const SavedTensorModified& error) {
      EXPECT_THAT(error.to_json(), HasSubstr("\"through\": \"ticket\""));
    }
  }
  after.sum().backward();
  expect_values(x.grad(), {18, 6});
}

TEST(WriteTicket, WritesWhileItStandsAndWhenItIsGoneAreFoundAsThoseOfAnyPointer) {
  const Tensor w = leaf({2, 3}), y = constant({5, 7});
  double* pointer = nullptr;
  {
    const WriteTicket ticket(y);
    pointer = static_cast<double*>(ticket.data());
    const Tensor product = w * y;
    pointer[0] = 50;
    EXPECT_THROW(product.sum().backward(), SavedTensorModified);
  }
  const Tensor product = w * y;
  pointer[1] = 70;
  EXPECT_THROW(product.sum().backward(), SavedTensorModified);
  EXPECT_FALSE(w.grad().defined());
}

TEST(WriteTicket, AsksWhatAnyWriteIsAsked) {
  const Tensor expanded = zeros({1}).expand({3});
  EXPECT_THROW(WriteTicket ticket(expanded), MemoryOverlap);
  EXPECT_THROW(WriteTicket ticket{Tensor()}, UndefinedTensor);
}

}  // namespace
}  // namespace notape::testing
