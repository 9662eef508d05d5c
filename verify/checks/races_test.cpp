// Races of C operators in functions far shorter than what carries tensors there and back.
#include <gmock/gmock.h>

#include "verify/checks/check.h"
#include "verify/plugin/c_operator.h"
#include "verify/plugin/testing/foreign_operators.h"

namespace notape::verify {
namespace {

namespace np = notape::plugin;
using foreign::declared;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// y[t] = x[t] + x[t-1] / 2, whose backward has a workspace of its own or one for all threads.
struct Filter {
  static inline bool shares = false;
  static np::About about() { return np::About("filter").real("x", -3, 3); }
  static void shape(np::Case& one) { one.input(0) = one.output(0) = {6}; }
  template <typename T>
  static void forward(const np::Call<T>& call) {
    for (int64_t t = 0; t < call.input(0).count(); ++t)
      call.output(0)[t] = call.input(0)[t] + (t > 0 ? T(0.5) * call.input(0)[t - 1] : T(0));
  }
  template <typename T>
  static void backward(const np::Call<T>& call) {
    static T shared[64];
    T own[64];
    volatile T* work = shares ? shared : own;
    const int64_t count = call.input(0).count();
    for (int64_t t = 0; t < count; ++t) work[t] = call.grad_output(0)[t];
    for (int64_t t = 0; t + 1 < count; ++t) work[t] = work[t] + T(0.5) * call.grad_output(0)[t + 1];
    for (int64_t t = 0; t < count; ++t) call.grad_input(0)[t] = work[t];
  }
};

TEST(Races, AWorkspaceForAllThreadsIsFoundAtEverySeed) {
  Options options;
  for (const Check& check : all_checks())
    if (check.name != std::string_view("concurrent")) options.left_out.push_back(check.name);
  options.samples = 32;  // one in eight is asked
  EXPECT_THAT(alarms(verify_operator(row_of(declared<Filter>()), options)), IsEmpty());
  Filter::shares = true;
  for (options.seed = 1; options.seed <= 6; ++options.seed)
    for (const ScalarType dtype : {kFloat64, kFloat32}) {
      options.dtypes = {dtype};
      EXPECT_THAT(alarms(verify_operator(row_of(declared<Filter>()), options)),
                  ElementsAre("concurrent NONDETERMINISTIC"))
          << options.seed << " " << name_of(dtype);
    }
  Filter::shares = false;
}

}  // namespace
}  // namespace notape::verify
