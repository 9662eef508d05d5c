// What a user's forward keeps and what has lost nothing is accepted in every order.
#include "autograd/testing/fourth_power.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

using autograd::AutogradContext;
using autograd::grad;

/// Derivatives of x^4 that use what has lost nothing.
std::vector<Road> sound_roads() {
  const auto square = [](AutogradContext*, const TensorList& saved, const TensorList&) {
    return saved[0].square();
  };
  const auto times_first = [](auto find) {
    return [=](AutogradContext* ctx, const TensorList& saved, const TensorList& outside) {
      return saved[0].square() * find(ctx, saved, outside);
    };
  };
  const auto second_saved = [](AutogradContext*, const TensorList& saved, const TensorList&) {
    return saved.at(1);
  };
  // Each keeps the input itself first.
  const auto with_input = [=](const char* name, Tensor (*value)(const Tensor& x)) {
    return Road{name,
                [=](AutogradContext*, const Tensor& x, TensorList&) {
                  return TensorList{x, value(x)};
                },
                times_first(second_saved)};
  };
  std::vector<Road> roads = {
      {"the input", [](AutogradContext*, const Tensor& x, TensorList&) { return TensorList{x}; },
       square},
      {"the input outside",
       [](AutogradContext*, const Tensor& x, TensorList& outside) {
         outside.push_back(x);
         return TensorList();
       },
       [](AutogradContext*, const TensorList&, const TensorList& outside) {
         return outside[0].square();
       }},
      with_input("ones", [](const Tensor& x) { return ones_like(x); }),
      with_input("a constant computed", [](const Tensor& x) { return full_like(x, 2) * 0.5; }),
      with_input("a table joined",
                 [](const Tensor&) {
                   return cat({ones({1}, kFloat64), ones({1}, kFloat64)}, 0);
                 }),
      with_input("a mask", [](const Tensor& x) { return (x > 0).to(kFloat64); }),
      with_input("what was overwritten by a constant",
                 [](const Tensor& x) {
                   Tensor buffer = x * x;
                   buffer.fill_(1);
                   return buffer;
                 }),
      with_input("another part of a buffer",
                 [](const Tensor& x) {
                   Tensor buffer = ones({2, 2}, kFloat64);
                   buffer[0].copy_(x * x);
                   return buffer[1];
                 }),
      {"integers",
       [](AutogradContext*, const Tensor& x, TensorList&) {
         return TensorList{x, tensor({1, 0}, kInt64)};
       },
       [](AutogradContext*, const TensorList& saved, const TensorList&) {
         return saved[0].index({saved[1]}).index({saved[1]}).square();
       }},
      {"a value that backward detaches",
       [](AutogradContext*, const Tensor& x, TensorList& outside) {
         outside.push_back(x.max());
         return TensorList{x};
       },
       [](AutogradContext*, const TensorList& saved, const TensorList& outside) {
         const Tensor shift = outside[0].detach();  // cancels: a constant is meant
         return (saved[0] - shift + shift.view({1})).square();
       }},
      {"statistics that forward updates",
       [](AutogradContext*, const Tensor& x, TensorList& outside) {
         static Tensor mean = zeros({}, kFloat64);
         mean.mul_(0.9).add_(x.mean() * 0.1);
         outside.push_back(mean);
         return TensorList{x};
       },
       square},
      {"what backward writes into the workspace of forward",
       [](AutogradContext*, const Tensor& x, TensorList& outside) {
         outside.push_back(x * x * 5);
         return TensorList{x};
       },
       [](AutogradContext*, const TensorList& saved, const TensorList& outside) {
         Tensor workspace = outside[0];
         workspace.copy_(saved[0]);
         return workspace.square();
       }},
  };
  return roads;
}

struct CleanPart {
  const char* name;
  Tensor (*of)(const Tensor& buffer);  // its second row
};
const CleanPart kCleanParts[] = {
    {"select", [](const Tensor& b) { return b[1]; }},
    {"slice", [](const Tensor& b) { return b.slice(0, 1, 2).view({2}); }},
    {"unbind", [](const Tensor& b) { return b.unbind(0)[1]; }},
    {"chunk", [](const Tensor& b) { return b.chunk(2, 0)[1].squeeze(0); }},
    {"a flat view", [](const Tensor& b) { return b.view({4}).slice(0, 2, 4); }},
    {"transposed", [](const Tensor& b) { return b.t().select(1, 1); }},
    {"as_strided", [](const Tensor& b) { return as_strided(b, {2}, {1}, 2); }},
    {"expand",
     [](const Tensor& b) {
       return b[1].expand({3, 2})[0];
     }},
};

/// Backward sees the whole buffer and reads a part that forward left as it was.
TEST(FunctionRoads, TheUntouchedPartOfABufferIsAConstant) {
  for (const CleanPart& part : kCleanParts) {
    SCOPED_TRACE(part.name);
    const auto row = [&](int64_t lost) {
      return Road{part.name,
                  [=](AutogradContext*, const Tensor& x, TensorList& outside) {
                    Tensor buffer = ones({2, 2}, kFloat64);
                    buffer[lost].copy_(x * x);
                    outside.push_back(buffer);
                    return TensorList{x};
                  },
                  [=](AutogradContext*, const TensorList& saved, const TensorList& outside) {
                    const Tensor read = part.of(outside[0]);
                    return lost == 0 ? saved[0].square() * read : read;
                  }};
    };
    const Tensor x = leaf({2, 3});
    const Road clean = row(0), lost = row(1);
    const auto once = [&](const Road& road) {
      return grad({FourthPower::apply(x, &road, std::make_shared<TensorList>()).sum()}, {x}, {},
                  true, true)[0];
    };
    expect_values(grad({once(clean).sum()}, {x})[0], {48, 108});
    EXPECT_THROW(grad({once(lost).sum()}, {x}), DerivativeNotImplemented);
  }
}

TEST(FunctionRoads, WhatHasLostNothingIsDifferentiatedTwice) {
  for (const Road& road : sound_roads()) {
    SCOPED_TRACE(road.name);
    const Tensor x = leaf({2, 3});
    const Tensor once = first_derivative(road, x);
    expect_values(grad({once.sum()}, {x}, {}, true)[0], {48, 108});
  }
}

/// With frozen statistics a layer reads what earlier calls have computed: a constant to this one.
TEST(FunctionRoads, WhatAnEarlierCallHasComputedIsAConstant) {
  const Outside outside = std::make_shared<TensorList>();
  const Road first = keeps("computes", [](const Tensor& x) { return x * 0 + 1; });
  const Road second = {"reads",
                       [](AutogradContext*, const Tensor& x, TensorList& kept) {
                         return TensorList{x, kept[0]};
                       },
                       [](AutogradContext*, const TensorList& saved, const TensorList& kept) {
                         return saved[0].square() * saved[1] * kept[0];
                       }};
  const Tensor x = leaf({2, 3});
  FourthPower::apply(x, &first, outside);
  const Tensor once = grad({FourthPower::apply(x, &second, outside).sum()}, {x}, {}, true, true)[0];
  expect_values(grad({once.sum()}, {x})[0], {48, 108});
}

/// The gradient that arrives may stand on memory that forward has computed.
TEST(FunctionRoads, AnIncomingGradientIsAConstantWhateverItsMemory) {
  const Road road = saves("the input", [](const Tensor& x) { return x; });
  const Road squared = {road.name, road.keep,
                        [](AutogradContext*, const TensorList& saved, const TensorList&) {
                          return saved[0].square();
                        }};
  const Tensor x = leaf({2, 3});
  const Tensor y = FourthPower::apply(x, &squared, std::make_shared<TensorList>());
  const Tensor once = grad({y}, {x}, {y.detach()}, true, true)[0];
  expect_values(grad({once.sum()}, {x})[0], {48 * 16, 108 * 81});
}

}  // namespace
}  // namespace notape::testing
