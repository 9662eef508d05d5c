// What losses as modules do with a target of another shape: what LibTorch's modules do.
#include <gmock/gmock.h>

#include "autograd/warning.h"
#include "ops/ops.h"
#include "paper_examples/nn/loss.h"
#include "paper_examples/testing/message_of.h"

namespace notape::nn {
namespace {

using ::testing::HasSubstr;

struct Listener : WarningHandler {
  Listener() : guard(this) {}
  void process(const Warning& warning) override { text += warning.msg(); }
  std::string text;
  WarningHandlerGuard guard;
};

enum class Does { Refuse, Warn, Broadcast };

TEST(LossModules, RefuseOrWarnOfOrBroadcastATargetOfAnotherShape) {
  using Call = Tensor (*)(const Tensor&, const Tensor&);
  const struct {
    const char* name;
    Call call;
    Does what;
  } modules[] = {
      {"BCELoss", [](const Tensor& x, const Tensor& t) { return BCELoss()(x, t); }, Does::Refuse},
      {"BCEWithLogitsLoss",
       [](const Tensor& x, const Tensor& t) { return BCEWithLogitsLoss()(x, t); }, Does::Refuse},
      {"MSELoss", [](const Tensor& x, const Tensor& t) { return MSELoss()(x, t); }, Does::Warn},
      {"SmoothL1Loss", [](const Tensor& x, const Tensor& t) { return SmoothL1Loss()(x, t); },
       Does::Warn},
      {"HuberLoss", [](const Tensor& x, const Tensor& t) { return HuberLoss()(x, t); }, Does::Warn},
      {"L1Loss", [](const Tensor& x, const Tensor& t) { return L1Loss()(x, t); }, Does::Broadcast},
      {"KLDivLoss", [](const Tensor& x, const Tensor& t) { return KLDivLoss()(x, t); },
       Does::Broadcast},
  };
  const WarnAlways always;
  const Tensor x = full({5}, 0.25), t = full({5, 1}, 0.75);
  for (const auto& [name, call, what] : modules) {
    SCOPED_TRACE(name);
    Listener listener;
    call(x, x);
    EXPECT_EQ(listener.text, "");
    if (what == Does::Refuse) {
      EXPECT_THAT(data::message_of<ShapeError>([&, &f = call] { f(x, t); }),
                  HasSubstr("target size"));
      continue;
    }
    call(x, t);
    EXPECT_THAT(listener.text,
                what == Does::Warn ? HasSubstr("target size ([5, 1])") : HasSubstr(""));
    EXPECT_EQ(listener.text.empty(), what == Does::Broadcast);
  }
}

}  // namespace
}  // namespace notape::nn
