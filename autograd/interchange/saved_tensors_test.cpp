#include "autograd/interchange/saved_tensors.h"

#include <gtest/gtest.h>

#include <sstream>

#include "autograd/interchange/testing/scratch.h"
#include "ops/ops.h"

namespace notape {
namespace {

using namespace notape::testing;

TEST(SavedTensors, OneComesBackWithItsFlag) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.pt";
  for (const bool wanted : {false, true})
    for (const ScalarType type : {kFloat32, kFloat64, kFloat16, kBFloat16}) {
      const Tensor x = arange(6, type).view({2, 3}).t().detach().requires_grad_(wanted);
      save(x, path);
      Tensor y;
      load(y, path);
      EXPECT_TRUE(equal(x, y));
      EXPECT_EQ(y.dtype(), type);
      EXPECT_EQ(y.requires_grad(), wanted);
      EXPECT_TRUE(y.is_leaf());
    }
}

TEST(SavedTensors, ADefinedOneTakesOverTheDataAndKeepsItsFlags) {
  std::stringstream stream;
  save(full({2}, 7.0), stream);
  Tensor x = ones({3}).requires_grad_();
  const Tensor same = x;
  load(x, stream);
  EXPECT_EQ(values(x), (std::vector<double>{7, 7}));
  EXPECT_TRUE(x.requires_grad());
  EXPECT_TRUE(x.is_same(same));
}

TEST(SavedTensors, ListsComeBackInOrderBehindWhatIsThere) {
  const TemporaryFolder folder;
  std::vector<Tensor> list;
  for (int i = 0; i < 12; ++i) list.push_back(full({i, 2}, i, kInt64));
  save(list, folder / "list.pt");
  std::stringstream stream;
  save(list, stream);
  std::vector<Tensor> loaded = {ones({1})};
  load(loaded, folder / "list.pt");
  load(loaded, stream);
  ASSERT_EQ(loaded.size(), 25u);
  for (std::size_t i = 0; i < list.size(); ++i) {
    EXPECT_TRUE(equal(loaded[1 + i], list[i]));
    EXPECT_TRUE(equal(loaded[13 + i], list[i]));
  }
  save(std::vector<Tensor>(), folder / "none.pt");
  loaded.clear();
  load(loaded, folder / "none.pt", Device(kCPU));
  EXPECT_TRUE(loaded.empty());
}

TEST(SavedTensors, EveryTruncationIsAFileError) {
  std::stringstream whole;
  save(std::vector<Tensor>{ones({2}), zeros({3}, kInt64)}, whole);
  const std::string bytes = whole.str();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::stringstream part(bytes.substr(0, size));
    std::vector<Tensor> list = {ones({1})};
    EXPECT_THROW(load(list, part), FileError) << size;
    EXPECT_EQ(list.size(), 1u);
  }
  std::stringstream longer(bytes + "x");
  std::vector<Tensor> list;
  EXPECT_THROW(load(list, longer), FileError);
}

TEST(SavedTensors, ForeignFilesAreFileErrorsAndChangeNothing) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.pt";
  Tensor x = ones({2});
  const auto expect_refused = [&](std::string_view fragment) {
    expect_error<FileError>(fragment, [&] { load(x, path); });
    EXPECT_EQ(values(x), (std::vector<double>{1, 1}));
  };
  put_bytes(path, "PK\3\4 an archive as LibTorch writes it");
  expect_refused("a zip archive, as torch.save() writes them");
  save_npy(path, x);
  expect_refused("x.pt");
  save_safetensors(path, {{"0", x}});
  expect_refused("was not written by save()");
  save_safetensors(path, {{"weight", x}}, {{"requires_grad", "1"}});
  expect_refused("there is no tensor '0'");
  save_safetensors(path, {{"0", x}}, {{"requires_grad", "2"}});
  expect_refused("was not written by save()");
  save_safetensors(path, {{"0", ones({1}, kInt64)}}, {{"requires_grad", "1"}});
  expect_refused("wants a gradient");
  save(std::vector<Tensor>{x, x}, path);
  expect_refused("a list of 2 tensors");
  expect_error<FileError>("cannot be opened", [&] { load(x, folder / "missing.pt"); });
  save(ones({2}, kInt64), path);
  x.requires_grad_();
  EXPECT_THROW(load(x, path), SetDataError) << "integers for what wants a gradient";
  EXPECT_EQ(x.dtype(), kFloat32);
}

TEST(SavedTensors, WhatCannotBeSavedLeavesTheFileAsItWas) {
  const TemporaryFolder folder;
  const std::string path = folder / "x.pt";
  save(ones({2}), path);
  const std::string before = bytes_of(path);
  EXPECT_THROW(save(Tensor(), path), UndefinedTensor);
  EXPECT_THROW(save(std::vector<Tensor>{ones({1}), Tensor()}, path), UndefinedTensor);
  EXPECT_THROW(save(ones({1}), folder / "nowhere/x.pt"), FileError);
  EXPECT_EQ(bytes_of(path), before);
  std::ostringstream closed;
  closed.setstate(std::ios::badbit);
  EXPECT_THROW(save(ones({1}), closed), FileError);
}

}  // namespace
}  // namespace notape
