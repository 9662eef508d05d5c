// Programs with several streams: backward waits for the forward's streams and the caller for
// backward's, and nobody has to say so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autograd/autograd.h"
#include "cuda/emulated/emulator.h"
#include "ops/ops.h"

namespace notape {
namespace {

using emulator::Order;
using ::testing::IsEmpty;

const Device kGpu(kCUDA);

/// Work on `stream` after all that this thread's current stream has by now.
template <typename Work>
void on(const Stream& stream, const Work& work) {
  Event before;
  before.record(current_stream(kGpu));
  before.block(stream);
  const StreamGuard guard(stream);
  work();
}

class BackwardOnStreams : public ::testing::TestWithParam<Order> {
 protected:
  void SetUp() override {
    emulator::set_order(GetParam(), 7);
    for (Stream* stream : {&a, &b}) *stream = new_stream(kGpu);
  }
  void TearDown() override {
    synchronize(kGpu);
    EXPECT_THAT(emulator::take_findings(), IsEmpty());
    emulator::set_order(Order::Eager);
  }
  /// Of a program that is given x and w on a device and returns the gradient of w: on the GPU as on
  /// the CPU, five times, so that memory is used again.
  template <typename Program>
  void expect_as_on_the_cpu(const Program& program) {
    const Tensor x = linspace(-1, 1, 1000, kFloat64);
    const Tensor expected = program(x, (x * 0.5 + 2).requires_grad_());
    for (int i = 0; i < 5; ++i) {
      const Tensor there = x.to(kGpu);
      const Tensor got = program(there, (there * 0.5 + 2).requires_grad_());
      EXPECT_TRUE(allclose(got.cpu(), expected, 1e-12, 1e-12)) << i;
    }
  }

  Stream a, b;
};

TEST_P(BackwardOnStreams, RunsOnTheStreamOfItsForward) {
  expect_as_on_the_cpu([&](const Tensor& x, const Tensor& w) {
    Tensor loss;
    on(a, [&] {
      for (const Tensor& used : {x, w})
        if (used.device().is_cuda()) record_stream(used, a);
      loss = (w * x).tanh().square().sum();
    });
    loss.backward();
    return w.grad() * 2;
  });
}

TEST_P(BackwardOnStreams, HandsGradientsFromStreamToStream) {
  expect_as_on_the_cpu([&](const Tensor& x, const Tensor& w) {
    const bool is_gpu = x.device().is_cuda();
    const auto uses = [&](const Tensor& tensor, const Stream& stream) {
      if (is_gpu) record_stream(tensor, stream);
    };
    Tensor first, second, loss;
    on(a, [&] {
      uses(w, a), uses(x, a);
      first = (w * x).tanh();
      on(b, [&] {
        uses(w, b), uses(first, b);
        second = first.square() * w.slice(0, 0, 1);
      });
    });
    Event done;
    done.record(b);
    done.block(current_stream(kGpu));
    for (const Tensor& used : {first, second}) uses(used, current_stream(kGpu));
    loss = (first * second + w.exp()).sum();
    loss.backward();
    return w.grad() * 2;
  });
}

TEST_P(BackwardOnStreams, KeepsMemoryOfGradientsUntilTheOtherStreamHasReadThem) {
  expect_as_on_the_cpu([&](const Tensor& x, const Tensor& w) {
    Tensor early, late, product;
    const auto uses = [&](const Tensor& tensor, const Stream& stream) {
      if (tensor.device().is_cuda()) record_stream(tensor, stream);
    };
    on(b, [&] { uses(w, b), early = w.exp().sin(); });
    on(a, [&] {
      uses(w, a), uses(x, a);
      late = (w * x).tanh();
      // Its gradient is read on a and free before b goes on with that of `early`.
      on(b, [&] { uses(late, b), product = (late * early).sum(); });
    });
    product.backward();
    return w.grad() * 2;
  });
}

TEST_P(BackwardOnStreams, LetsTheCallerWaitForGradientsThatReachNoLeaf) {
  expect_as_on_the_cpu([&](const Tensor& x, const Tensor& w) {
    Tensor y, loss;
    on(a, [&] {
      if (x.device().is_cuda())
        for (const Tensor& used : {x, w}) record_stream(used, a);
      y = w * x;
      loss = y.tanh().square().sum();
    });
    return autograd::grad({loss}, {y})[0] * 2;
  });
}

TEST_P(BackwardOnStreams, GivesGradientsOfGradAndHooksToTheCaller) {
  expect_as_on_the_cpu([&](const Tensor& x, const Tensor& w) {
    Tensor seen, y, loss;
    on(a, [&] {
      if (x.device().is_cuda())
        for (const Tensor& used : {x, w}) record_stream(used, a);
      y = w * x;
      y.register_hook([&](const Tensor& gradient) { seen = gradient; });
      y.retain_grad();
      loss = (where(y > 0, y.square(), y.exp()).slice(0, 1, 900) * 3).sum();
    });
    const Tensor gradient = autograd::grad({loss}, {w}, {}, true, true)[0];
    const Tensor again = autograd::grad({(gradient * gradient).sum()}, {w}, {}, true)[0];
    loss.backward();
    return again + y.grad() + seen * 2 + w.grad();
  });
}

TEST_P(BackwardOnStreams, IsOneOperationWithinAGuardOnAnyNumberOfThreads) {
  const StreamGuard guard(a);
  for (const int threads : {1, 2}) {
    Engine::set_num_threads(threads);
    expect_as_on_the_cpu([](const Tensor& x, const Tensor& w) {
      Tensor one = w * x, other = w + x;
      for (int i = 0; i < 20; ++i) one = one.tanh(), other = other.sin();
      (one.sum() + other.sum()).backward();
      return w.grad();
    });
  }
  Engine::set_num_threads(1);
}

std::string name_of_order(const ::testing::TestParamInfo<Order>& order) {
  return order.param == Order::Eager ? "Eager" : order.param == Order::Late ? "Late" : "Random";
}
INSTANTIATE_TEST_SUITE_P(InEachOrder, BackwardOnStreams,
                         ::testing::Values(Order::Eager, Order::Late, Order::Random),
                         name_of_order);

}  // namespace
}  // namespace notape
