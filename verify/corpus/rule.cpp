#include "verify/corpus/rule.h"

#include "autograd/function.h"
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/reduce.h"

namespace notape::verify::corpus {
namespace {

using autograd::AutogradContext;

constexpr Slipping kUsual[] = {
    {"detached", Kind::Detached, 2},
    {"sign", Kind::WrongSign},
    {"term", Kind::LostTerm},
    {"no-sum", Kind::LostTerm},
    {"no-variance", Kind::LostTerm},
    {"diagonal", Kind::LostTerm},
    {"no-mean", Kind::LostTerm},
    {"factor", Kind::LostFactor},
    {"power", Kind::LostFactor},
    {"scale", Kind::LostFactor},
    {"half", Kind::LostFactor},
    {"root", Kind::LostFactor},
    {"chain", Kind::LostFactor},
    {"missing", Kind::MissingInput},
    {"constant", Kind::WrongConstant},
    {"biased", Kind::WrongConstant},
    {"swapped", Kind::Swapped},
    {"branch", Kind::WrongBranch},
    {"far", Kind::AtSaturation},
    {"strided", Kind::StridedIncoming},
    {"incoming", Kind::IncomingIgnored},
    {"transposed", Kind::WrongAxis},
    {"axis", Kind::WrongAxis},
    {"one-row", Kind::WrongAxis},
    {"last-block", Kind::LastBlock},
    {"tied", Kind::TiedWeights},
    {"epsilon", Kind::NoEpsilon},
    {"no-epsilon", Kind::NoEpsilon},
    {"mean-twice", Kind::MeanTwice},
    {"overwrites", Kind::DuplicateIndex},
    {"all-tied", Kind::AtTies},
    {"any-float32", Kind::LowPrecision},
    {"any-incoming", Kind::IncomingIgnored},
    {"any-tail", Kind::LastBlock},
};

/// One function: an author's rules with one slip.
struct Rules {
  Forward forward;
  Backward backward, jvp;
  Slip slip;
  bool once = false;
};

/// Of as many inputs as the list has.
struct Ruled : autograd::Function<Ruled> {
  static variable_list forward(AutogradContext* ctx, const variable_list& x, const Rules* rules) {
    variable_list y = rules->forward(x);
    variable_list saved = x;
    saved.insert(saved.end(), y.begin(), y.end());
    ctx->save_for_backward(std::move(saved));
    ctx->saved_data["rules"] = reinterpret_cast<int64_t>(rules);
    ctx->saved_data["inputs"] = static_cast<int64_t>(x.size());
    if (rules->once) ctx->mark_once_differentiable();
    return y;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const Rules& rules = rules_of(ctx);
    const Call call = call_of(ctx, std::move(grads));
    variable_list result = rules.backward(call);
    result.resize(call.x.size() + 1);  // the last one belongs to `rules`
    for (std::size_t i = 0; i < call.x.size(); ++i)
      if (!ctx->needs_input_grad(i)) result[i] = Tensor();
    return result;
  }

  static variable_list jvp(AutogradContext* ctx, variable_list tangents) {
    const Rules& rules = rules_of(ctx);
    if (!rules.jvp) throw DerivativeNotImplemented("no forward mode here");
    Call call = call_of(ctx, std::move(tangents));
    call.given.resize(call.x.size());
    return rules.jvp(call);
  }

 private:
  static const Rules& rules_of(AutogradContext* ctx) {
    return *reinterpret_cast<const Rules*>(ctx->saved_data["rules"].toInt());
  }
  static Call call_of(AutogradContext* ctx, variable_list given) {
    const variable_list saved = ctx->get_saved_variables();
    const auto middle = saved.begin() + ctx->saved_data["inputs"].toInt();
    return {{saved.begin(), middle}, {middle, saved.end()}, std::move(given), rules_of(ctx).slip};
  }
};

/// Tensors that it returns must not outlive it.
TensorFunction function_of(std::shared_ptr<const Rules> rules) {
  return
      [rules = std::move(rules)](const variable_list& x) { return Ruled::apply(x, rules.get()); };
}

/// The right function, and one for each slip.
template <typename Author, typename Make>
Entry entry_with(const char* family, const Author& author, const Make& make) {
  Entry entry{.name = author.name,
              .family = family,
              .right = make(Slip()),
              .inputs = author.inputs,
              .traits = author.traits};
  for (const Slipping& one : author.slips)
    entry.mistakes.push_back({one.name, one.kind, one.order, make(Slip(one.name))});
  return entry;
}

/// Mistakes that any backward can have, around the author's own: for entries with few.
const Slipping kAnywhere[] = {"any-float32", "any-incoming", "any-tail"};
constexpr std::size_t kFewest = 3;

/// All but the last entry.
Tensor without_tail(const Tensor& x) {
  return x * (arange(x.numel()) < x.numel() - 1).to(x.dtype()).reshape(x.sizes());
}

Backward slipping_anywhere(Backward backward) {
  return [backward = std::move(backward)](const Call& call) {
    variable_list given = call.given;
    if (call.slip("any-incoming"))
      for (Tensor& one : given) one = sign(one);
    variable_list result = backward({call.x, call.y, std::move(given), call.slip});
    for (Tensor& one : result) {
      if (!one.defined()) continue;
      if (call.slip("any-float32")) one = one.to(kFloat32).to(one.dtype());
      if (call.slip("any-tail")) one = without_tail(one);
    }
    return result;
  };
}

/// As many as every entry should have.
std::vector<Slipping> filled_up(std::vector<Slipping> slips, const Traits& traits) {
  for (const Slipping& one : kAnywhere)
    if (slips.size() < kFewest && !(traits.single_precision && one.kind == Kind::LowPrecision))
      slips.push_back(one);
  return slips;
}

variable_list gradients_of(const Call& call, const variable_list& slopes) {
  variable_list result(call.x.size());
  for (std::size_t i = 0; i < slopes.size(); ++i)
    if (slopes[i].defined()) result[i] = fitted(call.given[0] * slopes[i], call.x[i]);
  return result;
}

variable_list tangents_of(const Call& call, const variable_list& slopes) {
  Tensor sum;
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    if (!slopes[i].defined() || !call.given[i].defined()) continue;
    const Tensor part = call.given[i] * slopes[i];
    sum = sum.defined() ? sum + part : part;
  }
  return {sum.defined() ? sum : zeros_like(call.y[0])};
}

/// The loops of a `Looped`, over whole tensors.
class Loops {
 public:
  explicit Loops(const Looped& author) : author_(author) {}

  variable_list forward(const variable_list& x) const {
    Numbers y(static_cast<std::size_t>(x[0].numel()));
    over(x, [&](std::size_t i, const double* at) { y[i] = author_.forward(at); });
    return {filled_like(x[0], y)};
  }

  variable_list backward(const Call& call) const {
    constexpr std::size_t kBlock = 4;
    const Tensor& given = call.given[0];
    const Numbers incoming = call.slip("strided") ? as_if_contiguous(given) : numbers_of(given);
    const std::size_t size = incoming.size();
    const std::size_t end = call.slip("last-block") ? size - size % kBlock : size;
    std::vector<Numbers> gradients(call.x.size(), Numbers(size));
    over(call.x, [&](std::size_t i, const double* at) {
      double slopes[kMost] = {};
      author_.slopes(at, call.slip, slopes);
      for (std::size_t k = 0; k < gradients.size(); ++k)
        gradients[k][i] = i < end ? incoming[i] * slopes[k] : 0;
    });
    variable_list result;
    for (std::size_t k = 0; k < gradients.size(); ++k)
      result.push_back(filled_like(call.x[k], gradients[k]));
    return result;
  }

  variable_list jvp(const Call& call) const {
    std::vector<Numbers> tangents;
    for (const Tensor& one : call.given)
      tangents.push_back(one.defined() ? numbers_of(one) : Numbers());
    Numbers sum(static_cast<std::size_t>(call.x[0].numel()));
    over(call.x, [&](std::size_t i, const double* at) {
      double slopes[kMost] = {};
      author_.slopes(at, call.slip, slopes);
      for (std::size_t k = 0; k < tangents.size(); ++k)
        if (!tangents[k].empty()) sum[i] += tangents[k][i] * slopes[k];
    });
    return {filled_like(call.x[0], sum)};
  }

 private:
  static constexpr std::size_t kMost = 4;

  template <typename F>
  void over(const variable_list& x, const F& f) const {
    std::vector<Numbers> values;
    for (const Tensor& one : x) values.push_back(numbers_of(one));
    for (std::size_t i = 0; i < values[0].size(); ++i) {
      double at[kMost] = {};
      for (std::size_t k = 0; k < values.size(); ++k) at[k] = values[k][i];
      f(i, at);
    }
  }

  Looped author_;
};

}  // namespace

Slipping::Slipping(const char* usual_name) : Slipping(usual_name, Kind::LostTerm) {
  const auto is_meant = [&](const Slipping& one) { return name == std::string_view(one.name); };
  const auto found = std::find_if(std::begin(kUsual), std::end(kUsual), is_meant);
  if (found == std::end(kUsual)) throw ValueError("no slip is usually called '{}'", name);
  kind = found->kind;
  order = found->order;
}

Entry entry_of(const char* family, Authored author) {
  author.traits.forward_mode = static_cast<bool>(author.jvp);
  author.slips = filled_up(std::move(author.slips), author.traits);
  author.backward = slipping_anywhere(std::move(author.backward));
  return entry_with(family, author, [&](Slip slip) {
    return function_of(std::make_shared<const Rules>(Rules{
        author.forward, author.backward, author.jvp, std::move(slip), author.traits.order == 1}));
  });
}

Entry entry_of(const char* family, Elementwise author) {
  return entry_of(
      family, Authored{.name = author.name,
                       .forward = [f = author.forward](const variable_list& x) -> variable_list {
                         return {f(x)};
                       },
                       .backward =
                           [slopes = author.slopes](const Call& call) {
                             return gradients_of(call, slopes(call.x, call.slip));
                           },
                       .jvp =
                           [slopes = author.slopes](const Call& call) {
                             return tangents_of(call, slopes(call.x, call.slip));
                           },
                       .inputs = author.inputs,
                       .slips = author.slips,
                       .traits = author.traits});
}

Entry entry_of(const char* family, Looped author) {
  const Loops loops(author);
  author.traits.order = 1;
  author.slips.push_back("last-block");
  author.slips.push_back("strided");
  return entry_of(family,
                  Authored{.name = author.name,
                           .forward = [loops](const variable_list& x) { return loops.forward(x); },
                           .backward = [loops](const Call& call) { return loops.backward(call); },
                           .jvp = [loops](const Call& call) { return loops.jvp(call); },
                           .inputs = author.inputs,
                           .slips = author.slips,
                           .traits = author.traits});
}

Entry entry_of(const char* family, Composed author) {
  return entry_with(family, author, [&](Slip slip) -> TensorFunction {
    return [f = author.f, slip = std::move(slip)](const variable_list& x) { return f(x, slip); };
  });
}

Tensor seen(const Tensor& x, const Slip& slip) { return slip("detached") ? x.detach() : x; }

void only_of_sizes(const Tensor& x, const std::vector<int64_t>& sizes) {
  if (x.sizes().vec() != sizes)
    throw ValueError("sizes {} instead of {}", to_string(x.sizes()), to_string(sizes));
}

Tensor fitted(const Tensor& gradient, const Tensor& x) { return sum_to_size(gradient, x.sizes()); }

Numbers as_if_contiguous(const Tensor& tensor) {
  // Not past the last entry: there a real one would read what is nobody's.
  int64_t extent = 1;
  for (int64_t d = 0; d < tensor.dim(); ++d) extent += (tensor.size(d) - 1) * tensor.stride(d);
  if (tensor.numel() == 0) return {};
  const Numbers memory =
      numbers_of(tensor.detach().as_strided({extent}, {1}, tensor.storage_offset()));
  Numbers result(static_cast<std::size_t>(tensor.numel()));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = memory[i % memory.size()];
  return result;
}

Tensor filled_like(const Tensor& like, const Numbers& values) {
  if (values.size() != static_cast<std::size_t>(like.numel()))
    throw ValueError("{} numbers for a tensor of {} entries", values.size(), like.numel());
  return make_tensor(values, like.sizes().vec(), like.dtype(), like.device());
}

std::function<variable_list(InputDraw&)> between(double low, double high,
                                                 std::vector<int64_t> sizes, int count) {
  return drawn(std::vector(static_cast<std::size_t>(count), uniform(std::move(sizes), low, high)));
}

}  // namespace notape::verify::corpus
