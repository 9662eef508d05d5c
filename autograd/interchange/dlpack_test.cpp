// DLPack: zero copies, lifetimes on both sides, and structures that lie.
#include "autograd/interchange/dlpack.h"

#include <cstddef>
#include <thread>

#include "autograd/interchange/dlpack_abi.h"
#include "autograd/interchange/testing/scratch.h"
#include "ops/ops.h"

namespace notape {
namespace {

using namespace notape::testing;

// The published layout on 64-bit machines.
static_assert(sizeof(DLTensor) == 48 && offsetof(DLTensor, shape) == 24);
static_assert(sizeof(DLManagedTensor) == 64 && offsetof(DLManagedTensor, deleter) == 56);
static_assert(sizeof(DLManagedTensorVersioned) == 80 &&
              offsetof(DLManagedTensorVersioned, flags) == 24 &&
              offsetof(DLManagedTensorVersioned, dl_tensor) == 32);

/// Another library's array: it counts how often it was given back.
struct Producer {
  alignas(8) float values[6] = {0, 1, 2, 3, 4, 5};
  int64_t shape[2] = {2, 3}, strides[2] = {3, 1};
  int given_back = 0;
  DLManagedTensor plain{};
  DLManagedTensorVersioned versioned{};

  Producer() {
    plain.dl_tensor = {values, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape, strides, 0};
    plain.manager_ctx = versioned.manager_ctx = this;
    plain.deleter = [](DLManagedTensor* self) {
      ++static_cast<Producer*>(self->manager_ctx)->given_back;
    };
    versioned.version = {1, 0};
    versioned.deleter = [](DLManagedTensorVersioned* self) {
      ++static_cast<Producer*>(self->manager_ctx)->given_back;
    };
    versioned.dl_tensor = plain.dl_tensor;
  }
};

TEST(ToDLPack, DescribesTheTensorsOwnMemory) {
  const Tensor x = arange(24, kInt64).reshape({2, 3, 4}).narrow(1, 1, 2).transpose(0, 2);
  DLManagedTensor* managed = to_dlpack(x);
  const DLTensor& view = managed->dl_tensor;
  EXPECT_EQ(view.data, x.data_ptr());
  EXPECT_EQ(view.byte_offset, 0u);
  EXPECT_EQ(view.device.device_type, kDLCPU);
  EXPECT_EQ(view.device.device_id, 0);
  ASSERT_EQ(view.ndim, 3);
  EXPECT_THAT(std::vector<int64_t>(view.shape, view.shape + 3), ElementsAre(4, 2, 2));
  EXPECT_THAT(std::vector<int64_t>(view.strides, view.strides + 3), ElementsAre(1, 4, 12));
  managed->deleter(managed);
}

TEST(ToDLPack, EveryDtype_HasItsCode) {
  const struct {
    ScalarType type;
    int code, bits;
  } cases[] = {{kBool, kDLBool, 8},      {kUInt8, kDLUInt, 8},    {kInt8, kDLInt, 8},
               {kInt16, kDLInt, 16},     {kInt32, kDLInt, 32},    {kInt64, kDLInt, 64},
               {kFloat32, kDLFloat, 32}, {kFloat64, kDLFloat, 64}};
  for (const auto& [type, code, bits] : cases) {
    const Tensor x = random_bits({2, 0, 3}, type), y = random_bits({}, type);
    DLManagedTensor* managed = to_dlpack(x);
    EXPECT_EQ(managed->dl_tensor.dtype.code, code);
    EXPECT_EQ(managed->dl_tensor.dtype.bits, bits);
    EXPECT_EQ(managed->dl_tensor.dtype.lanes, 1);
    expect_same_bits(from_dlpack(managed), x);
    expect_same_bits(from_dlpack(to_dlpack_versioned(y)), y);
  }
}

TEST(ToDLPack, MemoryOutlivesTheTensor_UntilTheDeleter) {
  const NothingLeaks nothing_leaks;
  DLManagedTensor* managed = to_dlpack(arange(1000, kFloat64));
  EXPECT_EQ(static_cast<double*>(managed->dl_tensor.data)[999], 999);
  std::thread([&] { managed->deleter(managed); }).join();
}

TEST(ToDLPack, TensorOutlivesTheExport) {
  const Tensor x = ones({3});
  EXPECT_FALSE(x.impl().storage()->is_foreign());
  DLManagedTensorVersioned* managed = to_dlpack_versioned(x);
  EXPECT_EQ(managed->version.major, 1u);
  EXPECT_EQ(managed->flags, 0u);
  static_cast<float*>(managed->dl_tensor.data)[1] = 7;
  managed->deleter(managed);
  expect_values(x, {1, 7, 1});
  EXPECT_TRUE(x.impl().storage()->is_foreign());
}

TEST(ToDLPack, RoundTrip_SharesTheMemoryButIsANewFamily) {
  const NothingLeaks nothing_leaks;
  const Tensor x = zeros({2, 2});
  const Tensor y = from_dlpack(to_dlpack(x.t()));
  y.select(0, 1).fill_(5);
  expect_values(x, {0, 5, 0, 5});
  EXPECT_EQ(y.strides(), IntArrayRef({1, 2}));
  EXPECT_FALSE(y.is_view());
  EXPECT_TRUE(y.is_leaf());
  EXPECT_FALSE(y.is_alias_of(x));
}

TEST(ToDLPack, RefusesWhatItCannotDescribe) {
  const NothingLeaks nothing_leaks;
  const char* wanted = "Can't export tensors that require gradient, use tensor.detach()";
  const Tensor x = ones({2}, requires_grad());
  expect_error<RequiresGradError>(wanted, [&] { to_dlpack(x); });
  expect_error<RequiresGradError>(wanted, [&] { to_dlpack_versioned(x * 2); });
  EXPECT_FALSE(x.impl().storage()->is_foreign());
  expect_error<UndefinedTensor>("", [] { to_dlpack(Tensor()); });
  DLManagedTensor* managed = to_dlpack(x.detach());
  managed->deleter(managed);
}

TEST(FromDLPack, UsesTheProducersMemory_AndGivesItBackOnce) {
  Producer producer;
  {
    const NothingLeaks nothing_leaks;
    Tensor x = from_dlpack(&producer.plain);
    EXPECT_EQ(x.data_ptr(), producer.values);
    EXPECT_TRUE(x.impl().storage()->is_foreign());
    expect_values(x, {0, 1, 2, 3, 4, 5});
    x.mul_(2);
    EXPECT_EQ(producer.values[5], 10);
    const Tensor row = x.select(0, 1);
    x.reset();
    EXPECT_EQ(producer.given_back, 0);
    expect_values(row, {6, 8, 10});
  }
  EXPECT_EQ(producer.given_back, 1);
}

TEST(FromDLPack, StridesOffsetAndMissingStrides_AreUnderstood) {
  Producer producer;
  producer.shape[0] = producer.shape[1] = producer.strides[0] = 1;
  producer.shape[0] = 2;
  producer.strides[1] = 2;
  producer.shape[1] = 2;
  producer.plain.dl_tensor.byte_offset = 4;
  expect_values(from_dlpack(&producer.plain), {1, 3, 2, 4});
  producer.plain.dl_tensor.strides = nullptr;
  expect_values(from_dlpack(&producer.plain), {1, 2, 3, 4});
  producer.plain.dl_tensor.ndim = 0;
  producer.plain.dl_tensor.shape = nullptr;
  expect_values(from_dlpack(&producer.plain), {1});
  EXPECT_EQ(producer.given_back, 3);
}

TEST(FromDLPack, EmptyTensorWithoutMemoryOrDeleter_IsFine) {
  Producer producer;
  producer.shape[0] = 0;
  producer.plain.dl_tensor.data = nullptr;
  producer.plain.deleter = nullptr;
  EXPECT_EQ(from_dlpack(&producer.plain).sizes(), IntArrayRef({0, 3}));
}

TEST(FromDLPack, MayRequireGrad) {
  Producer producer;
  {
    const Tensor x = from_dlpack(&producer.plain).requires_grad_();
    (x * x).sum().backward();
    expect_values(x.grad(), {0, 2, 4, 6, 8, 10});
  }
  EXPECT_EQ(producer.given_back, 1);
}

TEST(FromDLPack, ReadOnlyMemory_RefusesWritesAndStaysReadOnlyWhenPassedOn) {
  Producer producer;
  producer.versioned.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  Tensor x = from_dlpack(&producer.versioned);
  expect_error<ReadOnlyWrite>("read-only", [&] { x.add_(1); });
  expect_error<ReadOnlyWrite>("read-only", [&] { x.t().select(0, 1).zero_(); });
  expect_values(x, {0, 1, 2, 3, 4, 5});
  expect_error<ReadOnlyWrite>("use to_dlpack_versioned", [&] { to_dlpack(x); });
  Tensor y = from_dlpack(to_dlpack_versioned(x));
  expect_error<ReadOnlyWrite>("read-only", [&] { y.add_(1); });
}

TEST(FromDLPack, ReadOnlyGradient_IsReplacedNotWritten) {
  Producer producer;
  producer.versioned.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  const Tensor x = ones({2, 3}, requires_grad());
  x.set_grad(from_dlpack(&producer.versioned));
  x.sum().backward();
  expect_values(x.grad(), {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(producer.values[0], 0);
  EXPECT_EQ(producer.given_back, 1);
}

/// One way for a structure to be wrong, and what is said about it.
struct Malformed {
  std::function<void(DLTensor&, Producer&)> damage;
  std::function<void(const std::function<void()>&)> expect;
};

template <typename E>
Malformed malformed(const char* fragment, std::function<void(DLTensor&, Producer&)> damage) {
  return {std::move(damage),
          [fragment](const std::function<void()>& program) { expect_error<E>(fragment, program); }};
}

TEST(FromDLPack, MalformedStructure_IsRefusedAndGivenBack) {
  const int64_t big = int64_t{1} << 40;
  const Malformed cases[] = {
      malformed<ShapeError>("-1 were given", [](DLTensor& t, Producer&) { t.ndim = -1; }),
      malformed<ShapeError>("65 were given", [](DLTensor& t, Producer&) { t.ndim = 65; }),
      malformed<ValueError>("shape is null", [](DLTensor& t, Producer&) { t.shape = nullptr; }),
      malformed<ShapeError>("negative dimension", [](DLTensor&, Producer& p) { p.shape[0] = -2; }),
      malformed<ShapeError>("too large",
                            [&](DLTensor&, Producer& p) { p.shape[0] = p.shape[1] = big; }),
      malformed<ShapeError>("too large",
                            [](DLTensor&, Producer& p) { p.strides[0] = int64_t{1} << 62; }),
      malformed<ShapeError>("negative strides", [](DLTensor&, Producer& p) { p.strides[1] = -1; }),
      malformed<ValueError>("data pointer is null",
                            [](DLTensor& t, Producer&) { t.data = nullptr; }),
      malformed<ValueError>("not aligned", [](DLTensor& t, Producer&) { t.byte_offset = 2; }),
      malformed<ShapeError>("leave the address space",
                            [](DLTensor& t, Producer&) { t.byte_offset = UINT64_MAX - 3; }),
      malformed<DtypeError>("lanes", [](DLTensor& t, Producer&) { t.dtype.lanes = 4; }),
      malformed<DtypeError>("Unsupported kDLFloat bits 8",
                            [](DLTensor& t, Producer&) { t.dtype.bits = 8; }),
      malformed<DtypeError>("Unsupported kDLComplex bits 64",
                            [](DLTensor& t, Producer&) {
                              t.dtype = {kDLComplex, 64, 1};
                            }),
      malformed<DtypeError>("Unsupported code 77",
                            [](DLTensor& t, Producer&) { t.dtype.code = 77; }),
      malformed<DeviceError>("Unsupported device_type: 4",
                             [](DLTensor& t, Producer&) { t.device.device_type = kDLOpenCL; }),
      malformed<DeviceError>("cuda:100",
                             [](DLTensor& t, Producer&) {
                               t.device = {kDLCUDA, 100};
                             }),
      malformed<DeviceError>("cuda:-1",
                             [](DLTensor& t, Producer&) {
                               t.device = {kDLCUDA, -1};
                             }),
  };
  const NothingLeaks nothing_leaks;
  for (const Malformed& wrong : cases) {
    Producer plain, versioned;
    wrong.damage(plain.plain.dl_tensor, plain);
    wrong.damage(versioned.versioned.dl_tensor, versioned);
    wrong.expect([&] { from_dlpack(&plain.plain); });
    wrong.expect([&] { from_dlpack(&versioned.versioned); });
    EXPECT_EQ(plain.given_back, 1);
    EXPECT_EQ(versioned.given_back, 1);
  }
}

TEST(FromDLPack, NullAndOtherMajorVersions_AreRefused) {
  expect_error<ValueError>("null", [] { from_dlpack(static_cast<DLManagedTensor*>(nullptr)); });
  expect_error<ValueError>("null",
                           [] { from_dlpack(static_cast<DLManagedTensorVersioned*>(nullptr)); });
  Producer producer;
  producer.versioned.version = {2, 3};
  expect_error<ValueError>("version 2.3 is not supported",
                           [&] { from_dlpack(&producer.versioned); });
  EXPECT_EQ(producer.given_back, 1);
  producer.versioned.version = {1, 99};
  expect_values(from_dlpack(&producer.versioned), {0, 1, 2, 3, 4, 5});
}

TEST(FromDLPack, StridesThatMeanNothing_AreIgnored) {
  Producer producer;
  producer.shape[0] = 1;
  producer.shape[1] = 3;
  producer.strides[0] = -3;
  producer.strides[1] = 1;
  expect_values(from_dlpack(&producer.plain), {0, 1, 2});
  producer.strides[1] = -1;
  expect_error<ShapeError>("negative strides", [&] { from_dlpack(&producer.plain); });
  producer.shape[1] = 0;
  EXPECT_EQ(from_dlpack(&producer.plain).sizes(), IntArrayRef({1, 0}));
}

}  // namespace
}  // namespace notape
