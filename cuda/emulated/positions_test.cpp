// Positions are checked where a kernel reads them: the call returns, the kernel follows none that
// leads out of the tensor, and the next call that waits for the device says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "autograd/autograd.h"
#include "cuda/emulated/emulator.h"
#include "cuda/library/library.h"
#include "ops/ops.h"

namespace notape::cuda {
namespace {

using indexing::Slice;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Device kOnGpu(kCUDA);

/// What the next call that waits throws; empty if it does not.
std::string error_of(const std::function<void()>& waits) {
  try {
    waits();
  } catch (const IndexError& error) {
    return error.what_without_backtrace();
  }
  return {};
}
std::string next_error() {
  return error_of([] { device_interface(kOnGpu).synchronize(0); });
}

struct Follower {
  const char* name;
  std::function<Tensor(const Tensor& x, const Tensor& index)> f;  // x (3, 4), index (3)
  std::string place = "dimension 0 with size 3", op = "";
};
void PrintTo(const Follower& follower, std::ostream* out) { *out << follower.name; }

Tensor spread(const Tensor& index) { return index.unsqueeze(1).expand({3, 4}); }
Tensor rows(const Tensor& index) { return ones({3, 4}, index.options().dtype(kFloat64)); }

class Positions : public ::testing::TestWithParam<Follower> {
 protected:
  void TearDown() override {
    emulator::set_order(emulator::Order::Eager);
    EXPECT_THAT(emulator::take_findings(), IsEmpty());
  }
};

TEST_P(Positions, ThatLeadOutAreToldByTheNextCallThatWaits) {
  const auto& [name, f, place, op] = GetParam();
  for (const auto order : {emulator::Order::Eager, emulator::Order::Late})
    for (const int64_t wrong : {int64_t{17}, int64_t{-99}, INT64_MAX, INT64_MIN}) {
      emulator::set_order(order);
      const Tensor x = rand({3, 4}, kFloat64), right = tensor({2.0, 0.0, 1.0}, kInt64);
      const Tensor index = right.clone();
      index.select(0, 1).fill_(Scalar(wrong));
      const Tensor x_there = x.to(kOnGpu), there = index.to(kOnGpu), right_there = right.to(kOnGpu);
      EXPECT_THROW(f(x, index), IndexError) << "the CPU says so at once";
      emulator::take_counts();
      const Tensor result = f(x_there, there);
      EXPECT_EQ(emulator::take_counts().waits, 0);
      EXPECT_THAT(next_error(),
                  AllOf(HasSubstr((op.empty() ? name : op) + ": index " + std::to_string(wrong) +
                                  " is out of bounds for " + place),
                        HasSubstr("positions_test.cpp"), HasSubstr("waited for cuda:0")));
      // It has been told once, and all can be used.
      EXPECT_EQ(next_error(), "");
      EXPECT_TRUE(allclose(f(x_there, right_there).cpu(), f(x, right)));
    }
}

INSTANTIATE_TEST_SUITE_P(Of, Positions,
                         ::testing::Values(Follower{"gather",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return gather(x, 0, spread(i));
                                                    }},
                                           Follower{"index_select",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return index_select(x, 0, i);
                                                    }},
                                           Follower{"embedding",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return embedding(x, i);
                                                    }},
                                           Follower{"take",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return take(x, i);
                                                    },
                                                    "dimension 0 with size 12"},
                                           Follower{"index_add",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return index_add(x, 0, i, rows(i));
                                                    }},
                                           Follower{"index_copy",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return index_copy(x, 0, i, rows(i));
                                                    }},
                                           Follower{"index_fill",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return index_fill(x, 0, i, 2);
                                                    }},
                                           Follower{"scatter",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return scatter(x, 0, spread(i), rows(i));
                                                    }},
                                           Follower{"scatter_",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      Tensor y = x.clone();
                                                      return scatter_(y, 0, spread(i), rows(i));
                                                    }},
                                           Follower{"scatter_add",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return scatter_add(x, 0, spread(i), rows(i));
                                                    }},
                                           Follower{"index",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return index(x, {i});
                                                    }},
                                           Follower{"index_of_two",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return index(x, {abs(i) % 3, i});
                                                    },
                                                    "dimension 1 with size 4", "index"},
                                           Follower{"index_of_columns",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return index(x.t(), {Slice(1, 3), i});
                                                    },
                                                    "dimension 1 with size 3", "index"},
                                           Follower{"index_of_dimensions_apart",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return index(
                                                          x.reshape({3, 2, 2}).transpose(1, 2),
                                                          {i, Slice(), i.slice(0, 0, 3) % 2});
                                                    },
                                                    "dimension 0 with size 3", "index"},
                                           Follower{"index_put",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return index_put(x, {i}, rows(i));
                                                    }},
                                           Follower{"index_put_",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      Tensor y = x.clone();
                                                      return index_put_(y, {i}, rows(i));
                                                    }},
                                           Follower{"index_put_accumulate",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return index_put(x, {i}, rows(i), true);
                                                    },
                                                    "dimension 0 with size 3", "index_put"},
                                           Follower{"max_unpool2d",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return max_unpool2d(
                                                          x.slice(1, 0, 1).reshape({1, 1, 3}),
                                                          i.reshape({1, 1, 3}), {2, 3});
                                                    },
                                                    "dimension 1 with size 6", "scatter"},
                                           Follower{"embedding_bag",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return std::get<0>(embedding_bag(
                                                          x, i, zeros({2}, i.options()), false, 1));
                                                    }},
                                           Follower{"nll_loss",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return nll_loss(x, i);
                                                    },
                                                    "dimension 1 with size 4"},
                                           Follower{"cross_entropy",
                                                    [](const Tensor& x, const Tensor& i) {
                                                      return cross_entropy(x, i);
                                                    },
                                                    "dimension 1 with size 4", "nll_loss"}),
                         [](const auto& follower) { return std::string(follower.param.name); });

TEST(PositionsOfStreams, AreToldByWhoeverWaitsFirst) {
  const Tensor x = rand({3, 4}, kOnGpu), wrong = full({2}, 5, TensorOptions(kInt64).device(kOnGpu));
  const Stream side = new_stream(kOnGpu);
  device_interface(kOnGpu).synchronize(0);
  {
    const StreamGuard guard(side);
    static_cast<void>(index_select(x, 0, wrong));
  }
  static_cast<void>(embedding(x, wrong));
  EXPECT_THAT(next_error(), HasSubstr("index 5 is out of bounds"));
  EXPECT_EQ(next_error(), "") << "the first of them";
  EXPECT_EQ(x.cpu().numel(), 12);
  EXPECT_THAT(emulator::take_findings(), IsEmpty());
}

TEST(PositionsOfStreams, CountAsWrongAtOnceWhereThereIsNothingToRead) {
  const Tensor none = empty({0, 4}, kOnGpu),
               index = zeros({2}, TensorOptions(kInt64).device(kOnGpu));
  EXPECT_THROW(static_cast<void>(index_select(none, 0, index)), IndexError);
  EXPECT_EQ(next_error(), "");
}

/// Values and gradients of programs that index by integers, as on the CPU and without a wait.
TEST(PositionsOfStreams, AreFollowedForwardAndBack) {
  using Program = std::function<Tensor(const Tensor& x, const Tensor& v, const Tensor& i)>;
  const std::pair<const char*, Program> programs[] = {
      {"index", [](const Tensor& x, const Tensor&, const Tensor& i) { return index(x, {i}); }},
      {"two",
       [](const Tensor& x, const Tensor&, const Tensor& i) {
         return index(x, {i, i});
       }},
      {"apart",
       [](const Tensor& x, const Tensor&, const Tensor& i) {
         return index(x.reshape({3, 2, 2}).transpose(1, 2), {i, Slice(), abs(i) % 2});
       }},
      {"put",
       [](const Tensor& x, const Tensor& v, const Tensor& i) { return index_put(x, {i}, v); }},
      {"put two",
       [](const Tensor& x, const Tensor& v, const Tensor& i) {
         return index_put(x, {i, abs(i)}, v.select(1, 0));
       }},
      {"put in a part",
       [](const Tensor& x, const Tensor& v, const Tensor& i) {
         return index_put(x, {i, Slice(0, 2)}, v.slice(1, 0, 2));
       }},
      {"put_",
       [](const Tensor& x, const Tensor& v, const Tensor& i) {
         Tensor y = x * 1;
         return index_put_(y, {i, Slice(1, 3)}, v.slice(1, 0, 2));
       }},
      {"add", [](const Tensor& x, const Tensor& v,
                 const Tensor& i) { return index_put(x, {i}, v, true); }},
  };
  const Tensor x = rand({3, 4}, kFloat64), v = rand({4, 4}, kFloat64);
  const Tensor i = tensor({2., 0., 2., -3.}, kInt64), factors = rand({3, 4}, kFloat64);
  for (const auto& [name, f] : programs) {
    SCOPED_TRACE(name);
    const auto run = [&, &f = f](Device device) {
      const Tensor a = x.to(device).requires_grad_(), b = v.to(device).requires_grad_();
      const Tensor places = i.to(device);
      emulator::take_counts();
      const Tensor y = f(a, b, places);
      const variable_list grads = autograd::grad({(y * y * y).sum()}, {a, b}, {}, {}, false, true);
      EXPECT_EQ(emulator::take_counts().waits, 0);
      variable_list all = {y.detach().cpu()};
      for (const Tensor& grad : grads) all.push_back(grad.defined() ? grad.cpu() : Tensor());
      return all;
    };
    const variable_list expected = run(kCPU), got = run(kOnGpu);
    for (std::size_t k = 0; k < got.size(); ++k)
      EXPECT_TRUE(!expected[k].defined() || allclose(got[k], expected[k], 1e-12, 1e-12)) << k;
  }
  EXPECT_EQ(next_error(), "");
  EXPECT_THAT(emulator::take_findings(), IsEmpty());
}

TEST(PositionsOfStreams, OfBagsAscend) {
  const Tensor w = rand({3, 4}, kOnGpu), i = zeros({4}, TensorOptions(kInt64).device(kOnGpu));
  for (const auto& [offsets, words] :
       {std::pair{tensor({1., 2.}, kInt64), "offsets[0] has to be 0"},
        {tensor({0., 3., 2.}, kInt64), "offsets have to ascend"},
        {tensor({0., 5.}, kInt64), "input's length but got"}}) {
    const Tensor there = offsets.to(kOnGpu);
    emulator::take_counts();
    static_cast<void>(embedding_bag(w, i, there));
    EXPECT_EQ(emulator::take_counts().waits, 0);
    try {
      synchronize(kOnGpu);
      FAIL();
    } catch (const ValueError& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("embedding_bag: "), HasSubstr(words)));
    }
  }
  EXPECT_THAT(emulator::take_findings(), IsEmpty());
}

TEST(PositionsOfStreams, AreToldByItemAndByCopiesToTheCpu) {
  const Tensor x = rand({3}, kOnGpu), wrong = full({1}, 5, TensorOptions(kInt64).device(kOnGpu));
  EXPECT_THAT(error_of([&] { index_select(x, 0, wrong).item(); }), HasSubstr("index 5"));
  EXPECT_THAT(error_of([&] { index_select(x, 0, wrong).cpu(); }), HasSubstr("index 5"));
}

}  // namespace
}  // namespace notape::cuda
