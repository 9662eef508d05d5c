#include "autograd/tensor/storage.h"

#include <cstring>
#include <thread>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

TEST(Storage, GivesAlignedMemoryOfEverySize) {
  const NothingLeaks guard;
  for (std::size_t bytes : {0, 1, 63, 64, 65, 4096, 4097, 1 << 20}) {
    const Ref<Storage> storage = Storage::allocate(bytes, kCPU);
    EXPECT_EQ(storage->bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(storage->data()) % 64, 0u) << bytes;
    std::memset(storage->data(), 0x5a, bytes);
  }
}

TEST(Storage, CountsLiveBytesAndTensors) {
  const Counters before = counters();
  {
    const Tensor x = zeros({100});
    EXPECT_EQ(counters().live_bytes - before.live_bytes, 400);
    EXPECT_EQ(counters().live_storages - before.live_storages, 1);
    EXPECT_EQ(x.impl().storage()->tensors(), 1u);
    const Tensor handle = x;
    EXPECT_EQ(x.impl().storage()->tensors(), 1u) << "a second handle is the same tensor";
    const Tensor alias = x.detach();
    EXPECT_EQ(x.impl().storage()->tensors(), 2u);
    EXPECT_EQ(counters().live_tensors - before.live_tensors, 2);
  }
  EXPECT_EQ(counters().live_bytes, before.live_bytes);
}

TEST(Storage, SavedValuesAreReadersNotTensors) {
  const Tensor x = leaf({1, 2, 3});
  Tensor y = x * x;
  EXPECT_EQ(x.impl().storage()->tensors(), 1u);
  EXPECT_EQ(x.impl().storage()->readers(), 2u);
  y.reset();
  EXPECT_EQ(x.impl().storage()->readers(), 0u);
}

TEST(Storage, WritesAdvanceTheVersionAndNothingElseDoes) {
  Tensor x = constant({1, 2, 3, 4});
  EXPECT_EQ(x._version(), 0u);
  Tensor half = as_strided(x, {2}, {1});
  const Tensor other = x.detach(), saved = leaf({1, 1, 1, 1}) * x;
  EXPECT_EQ(x._version(), 0u) << "views, aliases and saving do not write";
  x.add_(1);
  EXPECT_EQ(x._version(), 1u);
  half.mul_(2);
  EXPECT_EQ(other._version(), 2u) << "all aliases share the counter";
  {
    const NoGradGuard no_grad;
    x.zero_();
  }
  EXPECT_EQ(half._version(), 3u);
  EXPECT_EQ(x.clone()._version(), 0u);
}

TEST(Storage, NobodyWhoCouldAskMeansNoLog) {
  Tensor x = constant({1, 2, 3, 4});
  x.add_(1);
  EXPECT_EQ(x.impl().storage()->write_log(), nullptr);
  Tensor view = as_strided(x, {2}, {1});
  x.add_(1);
  EXPECT_NE(x.impl().storage()->write_log(), nullptr);
  view.reset();
  x.add_(1);
  EXPECT_EQ(x.impl().storage()->write_log(), nullptr);
  EXPECT_EQ(x._version(), 3u);
}

TEST(Storage, TooMuchMemoryIsANamedErrorAndLeaksNothing) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's allocator ends the program instead";
#endif
  const NothingLeaks guard;
  expect_error<OutOfMemory>("bytes", [] { empty({int64_t{1} << 55}, kFloat64); });
}

TEST(Storage, ForeignMemoryIsGivenBackOnceAfterTheLastAlias) {
  const NothingLeaks guard;
  int calls = 0;
  void* seen = nullptr;
  double memory[4] = {1, 2, 3, 4};
  {
    Tensor x = from_blob(
        memory, {2, 2},
        [&](void* data) {
          ++calls;
          seen = data;
        },
        dtype(kFloat64));
    Tensor view = as_strided(x, {2}, {2});
    const Tensor saved = leaf({1, 1}) * view;
    x.reset();
    EXPECT_EQ(calls, 0);
    view.fill_(7);
    EXPECT_EQ(memory[0], 7);
    EXPECT_EQ(memory[2], 7);
    view.reset();
    EXPECT_EQ(calls, 0) << "a saved value still needs it";
  }
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(seen, memory);
}

TEST(Storage, ForeignMemoryIsGivenBackWhenTheTensorCannotBeMade) {
  int calls = 0;
  int64_t memory[2] = {};
  const auto count_call = [&](void*) { ++calls; };
  EXPECT_THROW(from_blob(memory, {2}, count_call, TensorOptions(kInt64).requires_grad(true)),
               RequiresGradError);
  EXPECT_EQ(calls, 1);
}

TEST(Storage, ReadOnlyMemoryRefusesWrites) {
  double memory[2] = {1, 2};
  Tensor x = from_blob(memory, {2}, dtype(kFloat64));
  x.impl().storage()->set_read_only();
  const Unchanged before({x});
  expect_error<ReadOnlyWrite>("the written-to tensor refers to read-only memory",
                              [&] { x.add_(1); });
  before.check();
  expect_values(x + 1, {2, 3});
}

TEST(Counters, AddUpOverThreadsThatEnded) {
  const Counters before = counters();
  Tensor kept;
  std::thread([&] {
    kept = zeros({10});
    zeros({20});
  }).join();
  EXPECT_EQ(counters().live_bytes - before.live_bytes, 40);
  kept.reset();
  EXPECT_EQ(counters().live_bytes, before.live_bytes);
  EXPECT_EQ(counters().live_tensors, before.live_tensors);
}

}  // namespace
}  // namespace notape::testing
