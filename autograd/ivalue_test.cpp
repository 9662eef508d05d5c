#include "autograd/ivalue.h"

#include <gtest/gtest.h>

#include <map>

#include "autograd/tensor/factories.h"

namespace notape {
namespace {

TEST(IValue, GivesBackWhatItHoldsUnderLibTorchsNames) {
  std::map<std::string, IValue> data;
  EXPECT_TRUE(data["nothing"].isNone());
  data["int"] = 3;
  data["long"] = int64_t{1} << 40;
  data["size"] = std::size_t{5};
  data["double"] = 2.5;
  data["float"] = 0.5f;
  data["bool"] = true;
  data["literal"] = "text";
  data["string"] = std::string("other");
  data["sizes"] = std::vector<int64_t>{2, 3};
  const Tensor x = ones({2});
  data["tensor"] = x;
  data["list"] = TensorList{x, x};
  EXPECT_EQ(data["int"].toInt(), 3);
  EXPECT_EQ(data["long"].toInt(), int64_t{1} << 40);
  EXPECT_EQ(data["size"].toInt(), 5);
  EXPECT_EQ(data["double"].toDouble(), 2.5);
  EXPECT_EQ(data["float"].toDouble(), 0.5);
  EXPECT_TRUE(data["bool"].toBool());
  EXPECT_EQ(data["literal"].toStringRef(), "text");
  EXPECT_EQ(data["string"].toStringRef(), "other");
  EXPECT_EQ(data["sizes"].toIntVector()[1], 3);
  EXPECT_TRUE(data["tensor"].toTensor().is_same(x));
  EXPECT_EQ(data["list"].toTensorVector().size(), 2u);
}

TEST(IValue, IsNothingButTheKindItWasGiven) {
  const IValue integer = 3, truth = true, number = 1.5;
  EXPECT_TRUE(integer.isInt());
  EXPECT_FALSE(integer.isDouble() || integer.isBool() || integer.isTensor() || integer.isNone());
  EXPECT_FALSE(truth.isInt());
  EXPECT_TRUE(number.isDouble());
  EXPECT_THROW(integer.toDouble(), ValueError);
  EXPECT_THROW(number.toInt(), ValueError);
  EXPECT_THROW(truth.toInt(), ValueError);
  EXPECT_THROW(IValue().toTensor(), ValueError);
  EXPECT_THROW(integer.toStringRef(), ValueError);
}

TEST(IValue, CopiesDoNotNest) {
  IValue first = 3;
  IValue second = first;
  second = first;
  EXPECT_EQ(second.toInt(), 3);
  EXPECT_EQ(std::any_cast<int>(second), 3);
  second = IValue();
  EXPECT_TRUE(second.isNone());
}

}  // namespace
}  // namespace notape
