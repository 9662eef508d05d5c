// incoming: what comes in decides what goes out, and nothing else does. No incoming gradient is a
// zero one; zero gives zero, except where the derivative itself is not finite; one entry alone
// gives its part of the whole, and ones are no exception; a million times as much gives a million
// times as much, and a millionth a millionth; a retained graph remembers nothing of an earlier
// pass; a number for all entries is as good as the tensor of it; `.grad` is added to.
#include <algorithm>
#include <cmath>

#include "autograd/autograd.h"
#include "verify/checks/comparer.h"
#include "verify/numeric/thresholds.h"
#include "verify/numeric/tolerance.h"

namespace notape::verify {
namespace {

/// Passes a value on and no gradient back.
struct Severed : autograd::Function<Severed> {
  static Tensor forward(autograd::AutogradContext*, const Tensor& x) { return x.clone(); }
  static variable_list backward(autograd::AutogradContext*, variable_list) { return {Tensor()}; }
};

/// The gradients of one recorded call, for as many incoming gradients as one likes.
class Recorded {
 public:
  explicit Recorded(const Subject& subject)
      : subject_(subject), inputs_(subject.inputs()), output_(subject.drawn.op.call(inputs_)) {}
  const Tensor& output() const { return output_; }

  Run gradients(const Tensor& incoming) const { return gradients({output_}, {incoming}); }
  Run gradients(const variable_list& roots, const variable_list& incoming) const {
    return subject_.run_of(output_, autograd::grad(roots, subject_.active_of(inputs_), incoming,
                                                   /*retain_graph=*/true, false, true));
  }

 private:
  const Subject& subject_;
  const variable_list inputs_;
  const Tensor output_;
};

/// Zero, or undefined, wherever the gradient of the case is finite.
void expect_zero(const Subject& subject, const Run& run, const char* how, Comparer& comparer) {
  for (std::size_t a : subject.real_arguments()) {
    const Numbers& got = run.gradients[a];
    const Numbers& usual = subject.base().gradients[a];
    const auto& sizes = subject.drawn.arguments[a].argument.sizes;
    if (run.defined[a] && got.size() != subject.drawn.arguments[a].values.size())
      return comparer.fail(
          Verdict::Fail, "shape",
          format_message("the gradient of argument {} {} has {} entries", {a, how, got.size()}));
    const std::string where = format_message("gradient of argument {} {}, at ", {a, how});
    for (std::size_t i = 0; i < got.size(); ++i)
      if (i >= usual.size() || std::isfinite(usual[i]))
        comparer.within(where, sizes, i, 0, got[i], 0, 0);
  }
  comparer.same(how, {}, {0}, {0});  // nothing at all is right, too
}

bool all_finite(const Run& run) {
  for (const Numbers& gradient : run.gradients)
    for (double entry : gradient)
      if (!std::isfinite(entry)) return false;
  return true;
}

/// J^T v is the sum of J^T of every entry of v alone. Entries that meet others cost a rounding
/// each.
void check_entries(const Subject& subject, const Recorded& recorded, Comparer& comparer) {
  const Numbers& v = subject.incoming();
  if (v.size() < 2 || v.size() > kMostIncoming || !all_finite(subject.base())) return;
  std::vector<std::vector<Wide>> sum, size;
  for (const DrawnArgument& one : subject.drawn.arguments) {
    sum.emplace_back(one.values.size(), Wide(0));
    size.emplace_back(one.values.size(), Wide(0));
  }
  for (std::size_t o = 0; o < v.size(); ++o) {
    Numbers alone(v.size(), 0);
    alone[o] = v[o];
    const Run run = recorded.gradients(subject.output_tensor(alone));
    if (!all_finite(run)) return;
    for (std::size_t a : subject.real_arguments())
      for (std::size_t i = 0; i < run.gradients[a].size(); ++i) {
        sum[a][i] += Wide(run.gradients[a][i]);
        size[a][i] += magnitude(Wide(run.gradients[a][i]));
      }
  }
  for (std::size_t a : subject.real_arguments()) {
    if (!subject.base().defined[a]) continue;
    const Numbers noise = subject.gradient_noise(a);
    Wide largest = 0;
    double most = 0;  // an entry's own may have been small by luck
    for (std::size_t i = 0; i < sum[a].size(); ++i) {
      largest = std::max(largest, size[a][i] + Wide(noise[i]));
      most = std::max(most, noise[i]);
    }
    for (std::size_t i = 0; i < sum[a].size(); ++i)
      comparer.within(format_message("gradient of argument {} entry by entry, at ", {a}),
                      subject.drawn.arguments[a].argument.sizes, i, sum[a][i],
                      subject.base().gradients[a][i],
                      Wide(kNoiseFactor * most) +
                          Wide(roundings_of(subject) * epsilon_of(subject.dtype)) * largest +
                          Wide(smallest_of(subject.dtype)),
                      largest);
  }
}

/// Ones, which is what `loss.backward()` begins with: what comes out is what 1/4 and 3/4 in turn
/// give, and the rest of them. A shortcut for ones, or for equal numbers, is right or shows here.
void check_ones(const Subject& subject, const Recorded& recorded, Comparer& comparer) {
  const std::size_t count = subject.incoming().size();
  if (count == 0 || !all_finite(subject.base())) return;
  Numbers part(count), rest(count);
  double squares = 0;
  for (std::size_t o = 0; o < count; ++o) {
    part[o] = o % 2 ? 0.75 : 0.25;
    rest[o] = 1 - part[o];
    squares += subject.incoming()[o] * subject.incoming()[o];
  }
  // Noise has been measured of an incoming gradient of that size.
  const double size = std::sqrt(squares / static_cast<double>(count));
  const double larger = size > 0 ? std::max(1.0, 1 / size) : 1;
  const Run ones = recorded.gradients(subject.output_tensor(Numbers(count, 1))),
            one = recorded.gradients(subject.output_tensor(part)),
            other = recorded.gradients(subject.output_tensor(rest));
  if (!all_finite(one) || !all_finite(other)) return;
  for (std::size_t a : subject.real_arguments()) {
    if (ones.defined[a] != (one.defined[a] || other.defined[a]))
      return comparer.fail(Verdict::Fail, "defined",
                           format_message("whether argument {} has a gradient is another answer "
                                          "for an incoming one of ones",
                                          {a}));
    Numbers noise = subject.gradient_noise(a);
    if (!one.defined[a] || !other.defined[a] || ones.gradients[a].size() != noise.size()) continue;
    Numbers sizes = noise;
    for (std::size_t i = 0; i < noise.size(); ++i) {
      noise[i] *= larger;
      sizes[i] = std::abs(one.gradients[a][i]) + std::abs(other.gradients[a][i]);
    }
    const EntryRadius allowed(subject, sizes, noise);
    for (std::size_t i = 0; i < noise.size(); ++i)
      comparer.within(format_message("gradient of argument {} for ones, at ", {a}),
                      subject.drawn.arguments[a].argument.sizes, i,
                      Wide(one.gradients[a][i]) + Wide(other.gradients[a][i]), ones.gradients[a][i],
                      Wide(allowed.radius), Wide(allowed.scale));
  }
}

/// By how many doublings incoming gradients are tried larger and smaller: as scaled losses and
/// means over many samples make them, and far enough from the ends of the type that nothing else
/// shows.
int doublings(ScalarType dtype) { return dtype == kFloat64 ? 24 : dtype == kFloat16 ? 3 : 20; }

/// Larger and smaller by a power of two, which costs no rounding: so is what comes out. A bound on
/// gradients, or a size below which they count as nothing, is right or shows here.
void check_sizes(const Subject& subject, const Recorded& recorded, Comparer& comparer) {
  if (subject.incoming().empty() || !all_finite(subject.base())) return;
  for (const int power : {doublings(subject.dtype), -doublings(subject.dtype)}) {
    Numbers v = subject.incoming();
    for (double& entry : v) entry = std::ldexp(entry, power);
    const Run run = recorded.gradients(subject.output_tensor(v));
    if (!all_finite(run)) continue;  // numbers inside may be larger than gradients
    for (std::size_t a : subject.real_arguments()) {
      if (run.defined[a] != subject.base().defined[a])
        return comparer.fail(Verdict::Fail, "defined",
                             format_message("whether argument {} has a gradient depends on the "
                                            "size of the incoming one",
                                            {a}));
      if (!run.defined[a]) continue;
      const Numbers& once = subject.base().gradients[a];
      const EntryRadius allowed(subject, once, subject.gradient_noise(a));
      // Numbers inside may be smaller than gradients, and have lost digits below the normal ones.
      const double lost = smallest_of(subject.dtype) / epsilon_of(subject.dtype);
      const Wide scale = Wide(std::ldexp(1.0, power));
      for (std::size_t i = 0; i < once.size(); ++i)
        comparer.within(
            format_message("gradient of argument {} for an incoming one times 2^{}, at ",
                           {a, power}),
            subject.drawn.arguments[a].argument.sizes, i, scale * Wide(once[i]),
            run.gradients[a][i], scale * Wide(allowed.rounding) + Wide(lost),
            scale * Wide(allowed.scale));
    }
  }
}

/// One number expanded, as sum() hands it back, against a tensor full of it.
void check_expanded(const Subject& subject, const Recorded& recorded, Comparer& comparer) {
  if (subject.incoming().empty()) return;
  constexpr double kNumber = 0.75;
  const Tensor full = subject.output_tensor(Numbers(subject.incoming().size(), kNumber));
  const Tensor one = make_tensor({kNumber}, {}, subject.dtype, subject.device);
  const Run dense = recorded.gradients(full),
            expanded = recorded.gradients(one.expand(full.sizes()));
  for (std::size_t a : subject.real_arguments()) {
    if (dense.defined[a] != expanded.defined[a])
      return comparer.fail(Verdict::Fail, "defined",
                           format_message("whether argument {} has a gradient depends on the "
                                          "strides of the incoming one",
                                          {a}));
    if (!dense.defined[a]) continue;
    const Numbers& expected = dense.gradients[a];
    const EntryRadius allowed(subject, expected, subject.gradient_noise(a));
    for (std::size_t i = 0; i < expected.size(); ++i)
      comparer.within(format_message("gradient of argument {} for an expanded one, at ", {a}),
                      subject.drawn.arguments[a].argument.sizes, i, Wide(expected[i]),
                      expanded.gradients[a][i], Wide(allowed.radius), Wide(allowed.scale));
  }
}

/// backward() adds to what `.grad` holds, rounded once.
void check_accumulation(const Subject& subject, Comparer& comparer) {
  const variable_list inputs = subject.inputs();
  std::vector<Numbers> before(inputs.size());
  for (std::size_t a : subject.real_arguments()) {
    const DrawnArgument& one = subject.drawn.arguments[a];
    for (std::size_t i = 0; i < one.values.size(); ++i)
      before[a].push_back(static_cast<double>(i % 5) - 1.5);
    inputs[a].mutable_grad() =
        make_tensor(before[a], one.argument.sizes, subject.dtype, subject.device);
  }
  subject.drawn.op.call(inputs).backward(subject.incoming_tensor(), {}, false,
                                         subject.active_of(inputs));
  for (std::size_t a : subject.real_arguments()) {
    Numbers expected = before[a];
    if (subject.base().defined[a])
      for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i] += subject.base().gradients[a][i];
        if (subject.dtype != kFloat64)
          expected[i] = static_cast<double>(static_cast<float>(expected[i]));
      }
    comparer.same(format_message("`.grad` of argument {} that held something, at ", {a}),
                  subject.drawn.arguments[a].argument.sizes, expected,
                  numbers_of(inputs[a].grad()));
  }
}

}  // namespace

Outcome check_incoming(const Subject& subject) {
  Comparer comparer(subject);
  const Run& base = subject.base();
  const Recorded recorded(subject);
  if (!recorded.output().requires_grad()) {
    comparer.same("no gradient", {}, {0}, {0});
    return comparer.finish("", "");
  }
  const Tensor v = subject.incoming_tensor();
  const Tensor severed = Severed::apply(recorded.output());
  expect_zero(subject, recorded.gradients({severed}, {v}), "for no incoming one", comparer);
  comparer.same_gradients(subject, base, recorded.gradients({severed, recorded.output()}, {v, v}));
  const Numbers zeros(subject.incoming().size(), 0);
  expect_zero(subject, recorded.gradients(subject.output_tensor(zeros)), "for zeros", comparer);
  comparer.same_gradients(subject, base, recorded.gradients(v));
  check_entries(subject, recorded, comparer);
  check_expanded(subject, recorded, comparer);
  check_ones(subject, recorded, comparer);
  check_sizes(subject, recorded, comparer);
  check_accumulation(subject, comparer);
  return comparer.finish("incoming", "the gradient does not follow the incoming one");
}

}  // namespace notape::verify
