// Warnings: what is said, where, how often, and to whom.
#include "autograd/warning.h"

#include <thread>

#include "autograd/testing/expect.h"
#include "ops/ops.h"

namespace notape::testing {
namespace {

/// Keeps the warnings that it gets.
struct Listener : WarningHandler {
  struct Said {
    std::string text, place;
  };
  std::vector<Said> said;
  WarningHandlerGuard guard{this};

  void process(const Warning& warning) override {
    said.push_back({warning.msg(), place_of(warning.source_location())});
  }
};

std::string here(int offset = 0, SourceLocation at = SourceLocation::current()) {
  const std::string place = place_of(at);
  if (place.empty()) return place;
  const std::size_t colon = place.find(':');
  return place.substr(0, colon + 1) + std::to_string(std::stoi(place.substr(colon + 1)) + offset);
}

TEST(Warnings, NameTheUsersPlace) {
  const WarnAlways always;
  Listener listener;
  const Tensor x = leaf({1, 2});
  (x * x).sum().backward({}, {}, true);
  const std::string created = here(-1);
  (x * 2).grad();
  const std::string read = here(-1);
  autograd::backward({(x * x).sum()}, {}, {}, true);
  const std::string called = here(-1);
  const DetectAnomalyGuard detect;
  const std::string guarded = here(-1);
  ASSERT_EQ(listener.said.size(), 4u);
  EXPECT_THAT(listener.said[0].text, HasSubstr("create_graph=True"));
  EXPECT_EQ(listener.said[0].place, created);
  EXPECT_THAT(listener.said[1].text, HasSubstr("that is not a leaf Tensor is being accessed"));
  EXPECT_EQ(listener.said[1].place, read);
  EXPECT_EQ(listener.said[2].place, called);
  EXPECT_THAT(listener.said[3].text, HasSubstr("Anomaly Detection has been enabled"));
  EXPECT_EQ(listener.said[3].place, guarded);
  x.mutable_grad().reset();
}

TEST(Warnings, AreGivenOncePerProcessOrAlways) {
  Listener listener;
  const auto say = [] { warn_once("what only this test says", "text", SourceLocation::current()); };
  say();
  say();
  EXPECT_EQ(listener.said.size(), 1u);
  {
    const WarnAlways always;
    say();
    say();
    EXPECT_EQ(listener.said.size(), 3u);
    const WarnAlways not_any_more(false);
    say();
  }
  EXPECT_FALSE(get_warn_always());
  say();
  EXPECT_EQ(listener.said.size(), 3u);
  warn("each time", SourceLocation::current());
  warn("each time", SourceLocation::current());
  EXPECT_EQ(listener.said.size(), 5u);
}

TEST(Warnings, GoToStandardErrorInOneLineByDefault) {
  WarningHandlerGuard standard(nullptr);
  ::testing::internal::CaptureStderr();
  warn("a text", SourceLocation::current());
  const std::string place = at_place(SourceLocation::current());
  const std::string line = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
  if (kProvenance) {
    EXPECT_THAT(line, HasSubstr("notape: warning at warning_test.cpp:"));
  }
  EXPECT_THAT(line, HasSubstr(": a text\n"));
}

TEST(Warnings, HandlersMayThrowWarnAndReplaceThemselves) {
  struct Strict : WarningHandler {
    void process(const Warning& warning) override { throw ValueError("{}", warning.msg()); }
  } strict;
  struct Chatty : WarningHandler {
    int calls = 0;
    void process(const Warning& warning) override {
      if (++calls == 1) warn("from inside", warning.source_location());
      set_warning_handler(nullptr);
    }
  } chatty;
  const WarnAlways always;
  const Tensor x = leaf({1, 2});
  const Tensor y = (x * x).sum();
  {
    const WarningHandlerGuard guard(&strict);
    const Unchanged before({x});
    expect_error<ValueError>("create_graph", [&] { y.backward({}, {}, true); });
    before.check();
    EXPECT_EQ(get_warning_handler(), &strict);
  }
  {
    const WarningHandlerGuard guard(&chatty);
    warn("hello", SourceLocation::current());
    EXPECT_EQ(chatty.calls, 2);
    EXPECT_NE(get_warning_handler(), &chatty);
  }
  y.backward();
  expect_values(x.grad(), {2, 4});
}

TEST(Warnings, OfSeveralThreadsComeOneByOne) {
  Listener listener;
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) warn("text", SourceLocation::current());
    });
  threads.clear();
  EXPECT_EQ(listener.said.size(), 400u);
}

TEST(Warnings, TellOfWhatIsProbablyAMistake) {
  const WarnAlways always;
  Listener listener;
  mse_loss(ones({3, 1}), ones({3}));
  Tensor out = ones({2});
  add_out(out, ones({3}), ones({3}));
  Tensor empty_out = ones({0});
  add_out(empty_out, ones({3}), ones({3}));
  var(ones({1}));
  ones({2}).index({tensor({1, 0}, kUInt8)});
  ASSERT_EQ(listener.said.size(), 4u);
  EXPECT_THAT(listener.said[0].text, HasSubstr("Using a target size ([3]) that is different to"));
  EXPECT_THAT(listener.said[1].text, HasSubstr("was resized since it had shape [2]"));
  EXPECT_THAT(listener.said[2].text, HasSubstr("degrees of freedom is <= 0"));
  EXPECT_THAT(listener.said[3].text, HasSubstr("dtype uint8 is deprecated"));
  for (const auto& one : listener.said) {
    EXPECT_THAT(one.place, HasSubstr(kProvenance ? "warning_test.cpp" : ""));
  }
}

TEST(Warnings, AnErrorInANodeIsNotReplacedByWhatAHandlerThrows) {
  struct Strict : WarningHandler {
    void process(const Warning&) override { throw ValueError("from the handler"); }
  } strict;
  const DetectAnomalyGuard detect;
  const WarningHandlerGuard guard(&strict);
  const Tensor x = leaf({1, 2});
  Tensor y = x.tanh();
  y.grad_fn()->add_pre_hook([](const variable_list&) { return variable_list(3); });
  const Tensor z = (y * 1).sum();
  expect_error<HookError>("returned 3 gradients", [&] { z.backward(); });
}

}  // namespace
}  // namespace notape::testing
