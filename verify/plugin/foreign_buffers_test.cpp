// Buffers of version 2 of the C interface: strides, what forward saves, and what is done to them.
#include <gmock/gmock.h>

#include <stdexcept>

#include "verify/plugin/testing/foreign_operators.h"

namespace notape::verify {
namespace {

namespace np = notape::plugin;
using foreign::alarms_in, foreign::declared, foreign::first_complaint, foreign::SegmentSum,
    foreign::StridedSquare, foreign::SumOfPositive;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ForeignBuffers, ForwardSaysHowMuchItSaves) {
  EXPECT_THAT(alarms_in(declared<SumOfPositive>()), IsEmpty());
}

struct SavesMore : SumOfPositive {
  template <typename T>
  static void forward(const np::Call<T>& call) {
    SumOfPositive::forward(call);
    call.lower_saved(0, {call.input(0).count() + 1});
  }
};

TEST(ForeignBuffers, ASavedBufferDoesNotGrow) {
  EXPECT_THAT(first_complaint(declared<SavesMore>()),
              HasSubstr("forward of sum_of_positive changed size 0 of saved[0] (which) from 2 to "
                        "3: it may only be lowered"));
}

/// Says so, and does not look at them.
struct StridesOverlooked : StridedSquare {
  template <typename T>
  static void backward(const np::Call<T>& call) {
    for (int64_t i = 0; i < call.input(0).count(); ++i)
      call.grad_input(0)[i] = 2 * call.input(0).data()[i] * call.grad_output(0)[i];
  }
};

TEST(ForeignBuffers, StridesComeToThoseWhoTakeThem) {
  StridedSquare::strided_calls = 0;
  EXPECT_THAT(alarms_in(declared<StridedSquare>()), IsEmpty());
  EXPECT_GT(StridedSquare::strided_calls, 0);
  EXPECT_THAT(alarms_in(declared<StridesOverlooked>()), Contains(HasSubstr("layouts")));
  notape_operator2 contiguous = declared<StridedSquare>();
  contiguous.flags = 0;
  StridedSquare::strided_calls = 0;
  EXPECT_THAT(alarms_in(contiguous), IsEmpty());
  EXPECT_EQ(StridedSquare::strided_calls, 0);
}

/// Writes past the end of a buffer, by name.
struct Wild : SumOfPositive {
  static inline std::string where;
  template <typename T>
  static void forward(const np::Call<T>& call) {
    if (where == "input") const_cast<T*>(call.input(0).data())[0] = 7;
    SumOfPositive::forward(call);
    if (where == "saved") call.saved_whole(0).data()[5] = 7;
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    SumOfPositive::backward(call);
    if (where == "kept") call.saved_whole(0).data()[-1] = 7;
    if (where == "gradient") call.grad_input(0)[call.input(0).count()] = 7;
    if (where == "added") call.grad_input(0)[0] = __builtin_nan("0xbadc0ffee000");
  }
};
struct WildSegments : SegmentSum {
  template <typename T>
  static void backward(const np::Call<T>& call) {
    SegmentSum::backward(call);
    const_cast<int64_t*>(call.indices(1).data())[0] ^= 1;
  }
};
struct ReadsBehindIndices : SegmentSum {
  template <typename T>
  static void forward(const np::Call<T>& call) {
    SegmentSum::forward(call);
    if (call.indices(1)[call.input(0).count()] > 2) throw std::runtime_error("no such segment");
  }
};
struct WildStrides : StridedSquare {
  template <typename T>
  static void backward(const np::Call<T>& call) {
    StridedSquare::backward(call);
    const auto x = call.input(0);
    if (x.stride(0) > 1 && x.stride(1) == 2 && x.size(0) > 1) const_cast<T*>(x.data())[1] = 7;
  }
};

TEST(ForeignBuffers, AWriteOutsideEveryKindOfBufferIsNamed) {
  const auto complaint = [](const char* where) {
    Wild::where = where;
    return first_complaint(declared<Wild>());
  };
  EXPECT_THAT(complaint("input"), HasSubstr("forward of sum_of_positive wrote to inputs[0] (x)["));
  EXPECT_THAT(complaint("saved"), HasSubstr("wrote past the end of saved[0] (which), at entry 5"));
  EXPECT_THAT(complaint("kept"), HasSubstr("backward of sum_of_positive wrote before the start of "
                                           "saved[0] (which), at entry -1"));
  EXPECT_THAT(complaint("gradient"), HasSubstr("wrote past the end of grad_inputs[0], at entry"));
  EXPECT_THAT(complaint("added"), HasSubstr("did not write grad_inputs[0][0], or added to it"));
  EXPECT_THAT(first_complaint(declared<WildSegments>()),
              HasSubstr("backward of segment_sum wrote to inputs[1] (segment)[0]"));
  EXPECT_THAT(first_complaint(declared<ReadsBehindIndices>()), HasSubstr("no such segment"));
  EXPECT_THAT(first_complaint(declared<WildStrides>()),
              HasSubstr("backward of square wrote between the entries of inputs[0] (x)"));
}

}  // namespace
}  // namespace notape::verify
