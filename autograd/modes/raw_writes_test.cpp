// Writes that nothing reports to the library: through data_ptr(), or by an owner of lent memory.
#include "autograd/graph/write_ticket.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::grad;

constexpr AliasPolicy kCheckedBy[] = {AliasPolicy::Default, AliasPolicy::Paper2017,
                                      AliasPolicy::CowSave, AliasPolicy::Guarded};
constexpr const char* kFragment = "has been modified by a write through a raw pointer";

/// A value that is saved and may then be written by somebody outside.
struct Borrowed {
  const char* name;
  /// Fills `memory`, of 3 numbers, with 2, 3, 4 and gives the tensor that shows it; `pointer` is
  /// where to write, or null if it is to be asked for after the save.
  Tensor (*make)(double* memory, double*& pointer);
};

Tensor computed() { return leaf({1, 2, 3}) + 1; }

const Borrowed kBorrowed[] = {
    {"a pointer taken before the save",
     [](double*, double*& pointer) {
       const Tensor y = computed();
       pointer = y.data_ptr<double>();
       return y;
     }},
    {"a pointer taken after the save", [](double*, double*&) { return computed(); }},
    {"an untyped pointer",
     [](double*, double*& pointer) {
       const Tensor y = computed();
       pointer = static_cast<double*>(y.data_ptr());
       return y;
     }},
    {"a pointer of a view's base",
     [](double*, double*& pointer) {
       const Tensor y = computed();
       pointer = y.data_ptr<double>();
       return y.view({3, 1}).select(1, 0);
     }},
    {"a pointer of a detached alias",
     [](double*, double*& pointer) {
       const Tensor y = computed();
       pointer = y.detach().data_ptr<double>();
       return y;
     }},
    {"mutable_data_ptr used too late",
     [](double*, double*& pointer) {
       const Tensor y = computed();
       pointer = y.mutable_data_ptr<double>();
       return y;
     }},
    {"from_blob",
     [](double* memory, double*& pointer) {
       pointer = memory;
       return from_blob(memory, {3}, kFloat64).requires_grad_();
     }},
    {"a column of from_blob",
     [](double* memory, double*& pointer) {
       pointer = memory;
       return from_blob(memory, {3, 1}, kFloat64).requires_grad_().select(1, 0);
     }},
};

TEST(RawWrites, BetweenSaveAndBackwardAreErrorsUnderEveryPolicyThatChecks) {
  for (const AliasPolicy policy : kCheckedBy)
    for (const Borrowed& borrowed : kBorrowed) {
      SCOPED_TRACE(std::string(borrowed.name) + ", policy " +
                   std::to_string(static_cast<int>(policy)));
      const AliasPolicyGuard guard(policy);
      const NothingLeaks nothing_leaks;
      double memory[3] = {2, 3, 4};
      double* pointer = nullptr;
      const Tensor y = borrowed.make(memory, pointer);
      const Tensor sum = y.square().sum();
      if (!pointer) pointer = y.data_ptr<double>();
      sum.backward({}, true);  // nothing has been written yet
      pointer[1] = 7;
      expect_error<SavedTensorModified>(kFragment, [&] { sum.backward({}, true); });
      pointer[1] = 3;  // as it was
      sum.backward();
    }
}

TEST(RawWrites, EveryBitCounts) {
  const Tensor x = leaf({1, 2, 3}), y = x + 1;
  auto* bytes = static_cast<unsigned char*>(y.data_ptr());
  const Tensor sum = y.square().sum();
  for (std::size_t bit = 0; bit < 3 * 64; ++bit) {
    bytes[bit / 8] ^= static_cast<unsigned char>(1 << bit % 8);
    EXPECT_THROW(sum.backward({}, true), SavedTensorModified) << "bit " << bit;
    bytes[bit / 8] ^= static_cast<unsigned char>(1 << bit % 8);
  }
  for (int i = 0; i < 3; ++i) y.data_ptr<double>()[i] *= -1;  // all signs
  EXPECT_THROW(sum.backward(), SavedTensorModified);
}

TEST(RawWrites, TheErrorSaysWhoSavedAndWhatToDoInstead) {
  const Tensor y = computed();
  double* pointer = y.data_ptr<double>();
  const Tensor sum = y.square().sum();
  pointer[0] = 5;
  try {
    sum.backward();
    FAIL() << "nothing was thrown";
  } catch (const SavedTensorModified& error) {
    const std::string text = error.what();
    for (const char* fragment :
         {"[CPUDoubleType [3]], which is output 0 of AddBackward1", "saved as 'self' by", "square",
          "data_ptr()", "from_blob()", "WriteTicket", "mutable_data_ptr()", "clone()",
          "AliasPolicy::UnsafeRawWrites"})
      EXPECT_THAT(text, HasSubstr(fragment));
    EXPECT_EQ(text.find("raw_writes_test.cpp") != std::string::npos, kProvenance);
    EXPECT_THAT(error.to_json(), HasSubstr("\"through\": \"foreign\""));
  }
}

TEST(RawWrites, IntoAnotherPartOfTheStorageAreAccepted) {
  for (const bool before : {true, false}) {
    const Tensor x = leaf({1, 2, 3, 4});
    const Tensor y = x + 1;
    double* pointer = before ? y.data_ptr<double>() : nullptr;
    const Tensor sum = y.slice(0, 0, 4, 2).square().sum();
    if (!before) pointer = y.data_ptr<double>();
    pointer[1] = pointer[3] = 100;
    sum.backward();
    expect_values(x.grad(), {4, 0, 8, 0});
  }
}

TEST(RawWrites, ThatAreAnnouncedAreAccepted) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x + 1;
  {
    const WriteTicket ticket(y.detach());
    static_cast<double*>(ticket.data())[0] = 5;
  }
  *y.mutable_data_ptr<double>() = 6;
  y.square().sum().backward();
  expect_values(x.grad(), {12, 6});
}

TEST(RawWrites, BehindReadersThatTookAConstPointerAreNotLookedFor) {
  const Tensor y = computed();
  EXPECT_EQ(y.const_data_ptr<double>()[2], 4);
  EXPECT_FALSE(y.impl().storage()->is_foreign());
  EXPECT_FALSE(y.impl().storage()->needs_care_when_saved());
}

TEST(RawWrites, TakingAPointerForReadingChangesNothing) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor y = x + 1;
  const Tensor z = y.square().sum();
  const uint64_t version = y._version();
  EXPECT_EQ(y.data_ptr<double>()[0], 2);
  EXPECT_EQ(y._version(), version);
  z.backward();
  expect_values(x.grad(), {4, 6, 8});
}

TEST(RawWrites, AnAnnouncedWriteAfterAPointerWasTakenIsStillNamed) {
  const Tensor y = computed();
  Tensor target = y;
  const Tensor z = y.square().sum();
  EXPECT_EQ(*y.data_ptr<double>(), 2);
  target.mul_(2);
  expect_error<SavedTensorModified>("is at version 1; expected version 0 instead",
                                    [&] { z.backward(); });
}

TEST(RawWrites, UnsafeRawWritesLooksForNone) {
  const AliasPolicyGuard policy(AliasPolicy::UnsafeRawWrites);
  const Tensor x = leaf({1, 2});
  const Tensor y = x + 1;
  const Tensor before = y.square().sum();
  double* pointer = y.data_ptr<double>();
  const Tensor after = y.square().sum();
  pointer[0] = 7;
  before.backward();
  after.backward();
  expect_values(x.grad(), {28, 12});
  Tensor target = y;
  const Tensor z = y.square().sum();
  target.mul_(2);
  EXPECT_THROW(z.backward(), SavedTensorModified) << "other writes count as ever";
}

TEST(RawWrites, OfAWholeLargeTensorAreFoundInSamples) {
  constexpr int64_t kNumel = 1 << 17;  // 1 MB
  for (const bool before : {true, false}) {
    const Tensor x = zeros({kNumel}, dtype(kFloat64).requires_grad(true));
    const Tensor y = x + 1;
    double* pointer = before ? y.data_ptr<double>() : nullptr;
    const Tensor sum = y.square().sum();
    const Tensor column = y.view({kNumel / 4, 4}).select(1, 2).square().sum();
    if (!before) pointer = y.data_ptr<double>();
    sum.backward({}, true);
    std::fill_n(pointer, kNumel, 2.0);
    EXPECT_THROW(sum.backward(), SavedTensorModified);
    EXPECT_THROW(column.backward(), SavedTensorModified);
  }
}

TEST(RawWrites, UpTo64KilobytesAreFoundWhereverTheyAre) {
  constexpr int64_t kNumel = 8192;
  const Tensor x = zeros({kNumel}, dtype(kFloat64).requires_grad(true));
  const Tensor y = x + 1;
  double* pointer = y.data_ptr<double>();
  const Tensor rows = y.square().sum(), columns = y.view({64, 128}).t().square().sum();
  for (int64_t i = 0; i < kNumel; i += 127) {
    pointer[i] = 5;
    EXPECT_THROW(rows.backward({}, true), SavedTensorModified) << i;
    EXPECT_THROW(columns.backward({}, true), SavedTensorModified) << i;
    pointer[i] = 1;
  }
  (rows + columns).backward();
}

}  // namespace
}  // namespace notape::testing
