// What happens at the same time in a run on several threads, and what is kept in order.
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <set>
#include <thread>

#include "autograd/observer.h"
#include "autograd/testing/engine_threads.h"
#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

/// Makes nodes wait for one another, and fails where they would wait for ever.
class Rendezvous : public Observer {
 public:
  Rendezvous() : before_(set_observer(this)) {}
  ~Rendezvous() override { set_observer(before_); }

  void operator_begin(const char*, uint64_t) noexcept override {}
  void operator_end(const char*, uint64_t) noexcept override {}
  void node_begin(const Node& node) noexcept override {
    std::unique_lock guard(mutex_);
    begun_.push_back(label(node));
    threads_.push_back(std::this_thread::get_id());
    changed_.notify_all();
    if (!on_begin) return;
    EXPECT_TRUE(changed_.wait_for(guard, std::chrono::seconds(60),
                                  [&] { return on_begin(label(node), begun_, ended_); }));
  }
  void node_end(const Node& node) noexcept override {
    const std::lock_guard guard(mutex_);
    ended_.push_back(label(node));
    changed_.notify_all();
  }

  using Labels = std::vector<std::string>;
  static std::size_t count(const Labels& labels, const std::string& label) {
    return static_cast<std::size_t>(std::count(labels.begin(), labels.end(), label));
  }
  /// Name and output size of a node that may go on; called under a lock.
  std::function<bool(const std::string& node, const Labels& begun, const Labels& ended)> on_begin;
  const std::vector<std::thread::id>& threads() const { return threads_; }

 private:
  static std::string label(const Node& node) {
    return node.name() + to_string(node.input_metadata(0).sizes());
  }

  Observer* before_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Labels begun_, ended_;
  std::vector<std::thread::id> threads_;
};

TEST(ParallelOrder, ComputesIndependentNodesAtTheSameTime) {
  const EngineThreads scope(2);
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const Tensor z = x.tanh().sum() + y.tanh().sum();
  Rendezvous rendezvous;
  rendezvous.on_begin = [](const std::string& node, const auto& begun, const auto&) {
    return node != "TanhBackward0[2]" || Rendezvous::count(begun, node) == 2;
  };
  z.backward();
  const std::set<std::thread::id> threads(rendezvous.threads().begin(), rendezvous.threads().end());
  EXPECT_EQ(threads.size(), 2u);
  EXPECT_TRUE(x.grad().defined() && y.grad().defined());
}

TEST(ParallelOrder, OneThreadIsTheCallerAlone) {
  ASSERT_EQ(Engine::get_num_threads(), 1);
  const Tensor x = leaf({1, 2}), y = leaf({3, 4});
  const Tensor z = x.tanh().sum() + y.tanh().sum();
  const Rendezvous watching;
  z.backward();
  for (const std::thread::id id : watching.threads()) EXPECT_EQ(id, std::this_thread::get_id());
}

TEST(ParallelOrder, ThrowsWhatTheEarliestThrowsThoughALaterOneFailedFirst) {
  const EngineThreads scope(2);
  Tensor a = zeros({2}, dtype(kFloat64).requires_grad(true));
  Tensor b = zeros({3}, dtype(kFloat64).requires_grad(true));
  const Tensor first = a.sum(), second = b.sum();  // whose node is the earlier one in backward
  const Tensor z = first + second;
  for (Tensor* one : {&a, &b}) one->set_data(zeros({7}, kFloat64));
  Rendezvous rendezvous;
  rendezvous.on_begin = [](const std::string& node, const auto&, const auto& ended) {
    return node != "AccumulateGrad[3]" || Rendezvous::count(ended, "AccumulateGrad[2]") == 1;
  };
  expect_error<InvalidGradient>("a gradient of size [3]", [&] { z.backward(); });
}

TEST(ParallelOrder, SumsInTheOrderOfTheScheduleWhicheverAddendComesLast) {
  const auto program = [] {
    const Tensor x = linspace(-1, 1, 200, kFloat64).requires_grad_();
    (x.tanh() + x.exp() + x.sin() + x.cos() + x.sigmoid()).sum().backward();
    return values(x.grad());
  };
  const std::vector<double> expected = program();
  const EngineThreads scope(2);
  const std::vector<std::string> addends = {"TanhBackward0[200]", "ExpBackward0[200]",
                                            "SinBackward0[200]", "CosBackward0[200]",
                                            "SigmoidBackward0[200]"};
  for (const std::string& last : addends) {
    Rendezvous rendezvous;
    rendezvous.on_begin = [&](const std::string& node, const auto&, const auto& ended) {
      return node != last || std::all_of(addends.begin(), addends.end(), [&](const auto& one) {
               return one == last || Rendezvous::count(ended, one) == 1;
             });
    };
    EXPECT_EQ(program(), expected);
  }
}

}  // namespace
}  // namespace notape::testing
