#include "verify/plugin/c_operator.h"

#include <gmock/gmock.h>

#include <cmath>

#include "verify/mutate/mutant_test_helper.h"

namespace notape::verify {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

int vector_shape(void*, int32_t way, notape_shape* inputs, notape_shape* output) {
  inputs[0] = {1, {way + 1}};
  *output = inputs[0];
  return 0;
}

/// Element i of a double buffer, which is all these operators take.
double& at(const notape_buffer& buffer, int64_t i) { return static_cast<double*>(buffer.data)[i]; }

int square_forward(void*, const notape_buffer* x, notape_buffer* y) {
  for (int64_t i = 0; i < x->shape.sizes[0]; ++i) at(*y, i) = at(*x, i) * at(*x, i);
  return 0;
}
int square_backward(void*, const notape_buffer* x, const notape_buffer*, const notape_buffer* grad,
                    notape_buffer* out) {
  for (int64_t i = 0; i < x->shape.sizes[0]; ++i) at(out[0], i) = 2 * at(*x, i) * at(*grad, i);
  return 0;
}

notape_operator square_operator() {
  notape_operator square{};
  square.name = "square";
  square.inputs = 1;
  square.dtypes = NOTAPE_FLOAT64;
  square.shapes = 3;
  square.low = -2;
  square.high = 2;
  square.shape = vector_shape;
  square.forward = square_forward;
  square.backward = square_backward;
  return square;
}

std::vector<std::string> alarms_of(const notape_operator& foreign) {
  return alarms(verify_operator(row_of(foreign)));
}

TEST(COperator, ARightOnePasses) { EXPECT_THAT(alarms_of(square_operator()), IsEmpty()); }

TEST(COperator, AWrongGradientFails) {
  notape_operator wrong = square_operator();
  wrong.backward = [](void*, const notape_buffer* x, const notape_buffer*,
                      const notape_buffer* grad, notape_buffer* out) {
    for (int64_t i = 0; i < x->shape.sizes[0]; ++i)
      at(out[0], i) = 2.000001 * at(*x, i) * at(*grad, i);
    return 0;
  };
  EXPECT_THAT(alarms_of(wrong), ElementsAre("reverse FAIL"));
}

/// The message of the first red certificate.
std::string complaint_about(const notape_operator& foreign) {
  for (const Certificate& certificate :
       verify_operator(row_of(foreign), {.dtypes = {kFloat64}, .samples = 10}))
    if (certificate.failure) return certificate.failure->outcome.message;
  return "";
}

TEST(COperator, AnEntryNobodyWroteIsNamed) {
  notape_operator lazy = square_operator();
  lazy.backward = [](void*, const notape_buffer* x, const notape_buffer*, const notape_buffer* grad,
                     notape_buffer* out) {
    for (int64_t i = 0; i + 1 < x->shape.sizes[0]; ++i)
      at(out[0], i) = 2 * at(*x, i) * at(*grad, i);
    return 0;
  };
  EXPECT_THAT(complaint_about(lazy),
              HasSubstr("backward of square did not write grad_inputs[0][0], or added to it"));
  lazy.backward = [](void*, const notape_buffer* x, const notape_buffer*, const notape_buffer* grad,
                     notape_buffer* out) {
    for (int64_t i = 0; i < x->shape.sizes[0]; ++i) at(out[0], i) += 2 * at(*x, i) * at(*grad, i);
    return 0;
  };
  EXPECT_THAT(complaint_about(lazy), HasSubstr("or added to it"));
}

TEST(COperator, AWriteOutsideABufferIsNamedWithItsPlace) {
  notape_operator wild = square_operator();
  wild.forward = [](void* context, const notape_buffer* x, notape_buffer* y) {
    at(*y, x->shape.sizes[0] + 2) = 7;
    return square_forward(context, x, y);
  };
  EXPECT_THAT(complaint_about(wild),
              HasSubstr("forward of square wrote past the end of output, at entry 3 of 1"));
  wild.forward = [](void* context, const notape_buffer* x, notape_buffer* y) {
    at(*x, -1) = 7;
    return square_forward(context, x, y);
  };
  EXPECT_THAT(complaint_about(wild),
              HasSubstr("forward of square wrote before the start of inputs[0], at entry -1"));
}

TEST(COperator, AReadOutsideAnInputGivesNotANumber) {
  notape_operator nosy = square_operator();
  nosy.forward = [](void* context, const notape_buffer* x, notape_buffer* y) {
    square_forward(context, x, y);
    at(*y, 0) += 0 * at(*x, x->shape.sizes[0]);
    return 0;
  };
  EXPECT_THAT(alarms_of(nosy), ElementsAre("finite NONFINITE"));
}

TEST(COperator, AWriteIntoItsInputIsNamed) {
  notape_operator vandal = square_operator();
  vandal.backward = [](void* context, const notape_buffer* x, const notape_buffer* y,
                       const notape_buffer* grad, notape_buffer* out) {
    const int status = square_backward(context, x, y, grad, out);
    at(*grad, 0) = 0;
    return status;
  };
  EXPECT_THAT(complaint_about(vandal),
              HasSubstr("backward of square wrote to grad_output[0], which it may only read"));
}

TEST(COperator, ARefusalAndAnImpossibleShapeAreErrorsWithTheName) {
  notape_operator refuses = square_operator();
  refuses.forward = [](void*, const notape_buffer*, notape_buffer*) { return 5; };
  EXPECT_THAT(complaint_about(refuses), HasSubstr("forward of square refused with 5"));

  notape_operator absurd = square_operator();
  absurd.shape = [](void*, int32_t, notape_shape* inputs, notape_shape* output) {
    inputs[0] = {1, {int64_t(1) << 60}};
    *output = inputs[0];
    return 0;
  };
  EXPECT_THAT(complaint_about(absurd), HasSubstr("shape of square gives a negative size"));
}

TEST(COperator, ALackOfFunctionsIsAnErrorWithTheName) {
  notape_operator half = square_operator();
  half.backward = nullptr;
  try {
    row_of(half);
    ADD_FAILURE() << "it was accepted";
  } catch (const Error& error) {
    EXPECT_THAT(
        error.what(),
        HasSubstr("operator 'square' lacks one of its functions shape, forward and backward"));
  }
}

TEST(COperator, AForwardModeRuleIsCheckedIfThereIsOne) {
  notape_operator dual = square_operator();
  dual.jvp = [](void*, const notape_buffer* x, const notape_buffer*, const notape_buffer* tangents,
                notape_buffer* out) {
    for (int64_t i = 0; i < x->shape.sizes[0]; ++i)
      at(*out, i) = 2 * at(*x, i) * at(tangents[0], i);
    return 0;
  };
  EXPECT_THAT(alarms_of(dual), IsEmpty());
  dual.jvp = [](void*, const notape_buffer* x, const notape_buffer*, const notape_buffer* tangents,
                notape_buffer* out) {
    for (int64_t i = 0; i < x->shape.sizes[0]; ++i)
      at(*out, i) = 2.0001 * at(*x, i) * at(tangents[0], i);
    return 0;
  };
  EXPECT_THAT(alarms_of(dual), ElementsAre("forward-mode FAIL"));
}

TEST(COperator, ADeclarationThatMakesNoSenseIsRefused) {
  const auto refused = [](auto change) {
    notape_operator foreign = square_operator();
    change(foreign);
    EXPECT_THROW(row_of(foreign), ForeignOperatorError);
  };
  refused([](notape_operator& o) { o.name = nullptr; });
  refused([](notape_operator& o) { o.name = "two words"; });
  refused([](notape_operator& o) { o.backward = nullptr; });
  refused([](notape_operator& o) { o.inputs = 0; });
  refused([](notape_operator& o) { o.shapes = 0; });
  refused([](notape_operator& o) { o.high = o.low; });
  refused([](notape_operator& o) { o.low = -HUGE_VAL; });
  refused([](notape_operator& o) { o.dtypes = NOTAPE_FLOAT32; });
  refused([](notape_operator& o) { o.kink_count = 1; });
}

}  // namespace
}  // namespace notape::verify
