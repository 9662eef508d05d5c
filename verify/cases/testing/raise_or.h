// What the regression cases share: programs that may raise a named error or be right, and writes
// through raw memory.
#pragma once
#include "autograd/graph/write_ticket.h"
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {

/// `program` raises a notape::Error, or returns a tensor with the expected values.
template <typename Program>
void expect_raise_or(const std::vector<double>& expected, const Program& program,
                     std::source_location at = std::source_location::current()) {
  const ::testing::ScopedTrace trace(at.file_name(), static_cast<int>(at.line()), "raise or");
  try {
    const Tensor result = program();
    ASSERT_TRUE(result.defined());
    EXPECT_THAT(values(result), Pointwise(::testing::NanSensitiveDoubleNear(1e-6), expected));
  } catch (const Error& error) {
    EXPECT_STRNE(error.kind(), "Error") << "a class of its own, not: " << error.what();
  }
}

/// A write that is reported to the library, or that it can detect.
enum class RawWrite { MutableDataPtr, Ticket, DataPtr };

/// Calls `change` with every element of a contiguous float64 tensor.
template <typename Change>
void write_raw(const Tensor& target, RawWrite how, const Change& change) {
  const NoGradGuard no_grad;
  const auto change_all = [&](double* data) {
    for (int64_t i = 0; i < target.numel(); ++i) data[i] = change(data[i]);
  };
  if (how == RawWrite::MutableDataPtr) change_all(target.mutable_data_ptr<double>());
  if (how == RawWrite::DataPtr) change_all(target.data_ptr<double>());
  if (how == RawWrite::Ticket) {
    const WriteTicket ticket(target);
    change_all(static_cast<double*>(ticket.data()));
  }
}

/// `program(how)` for every way to write; each raises or is right.
template <typename Program>
void expect_raise_or_for_raw_writes(const std::vector<double>& expected, const Program& program) {
  for (const AliasPolicy wanted : {AliasPolicy::Default, AliasPolicy::Guarded})
    for (const RawWrite how : {RawWrite::MutableDataPtr, RawWrite::Ticket, RawWrite::DataPtr}) {
      const AliasPolicyGuard policy(wanted);
      expect_raise_or(expected, [&] { return program(how); });
    }
}

}  // namespace notape::testing
