// A plugin for `notape verify plugin:FILE.so` made of function pairs in C++: nothing to link. Of
// notape's headers it needs this one, c_abi.h, dual.h and autograd/language.h alone.
//
//   namespace np = notape::plugin;
//   struct ScaledSquare {  // y = a x^2, of vectors with one to three entries
//     static np::About about() {
//       return np::About("scaled_square").ways(3).real("x", -2, 2).number("a", 0, 1);
//     }
//     static void shape(np::Case& one) {
//       one.input(0) = one.output(0) = {one.way() + 1};
//     }
//     template <typename T>
//     static void forward(const np::Call<T>& call) {
//       for (int64_t i = 0; i < call.input(0).count(); ++i)
//         call.output(0)[i] = T(call.number(0)) * call.input(0)[i] * call.input(0)[i];
//     }
//     template <typename T>
//     static void backward(const np::Call<T>& call) {
//       for (int64_t i = 0; i < call.input(0).count(); ++i)
//         call.grad_input(0)[i] =
//             T(2 * call.number(0)) * call.input(0)[i] * call.grad_output(0)[i];
//     }
//   };
//   extern "C" const notape_plugin2* notape_plugin_v2() { return np::plugin_of<ScaledSquare>(); }
//
// The templates are instantiated for float and double. Where T may be any number type, as above,
// forward is also the operator's reference: in long double for its value, and on dual numbers for
// its exact slope. In it, say `using std::exp;` and `exp(x)`, and `T(0.5)`. A forward that is only
// for C++'s own types says so (`template <std::floating_point T>`: no exact slope), and one only
// for some of them is a function, not a template: `forward(const np::Call<double>&)`.
// An optional `jvp`, like the two others, is forward mode. An optional `surrogate`, written as
// backward is, says what a backward that is no derivative has to give; of such operators
// `notape_plugin_v3()` returns `np::plugin3_of<...>()`. What a function throws is reported.
#pragma once
#include "autograd/language.h"  // first

#include <concepts>
#include <deque>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "verify/plugin/c_abi.h"
#include "verify/plugin/dual.h"

namespace notape::plugin {

/// A buffer: [i] is its i-th entry in row-major order, (i, j) the one at these indices.
template <typename T>
class View {
 public:
  View() = default;
  View(T* data, const notape_tensor* tensor) : data_(data), tensor_(tensor) {
    int64_t step = 1;
    for (int32_t d = tensor->rank; d-- > 0; step *= tensor->sizes[d])
      dense_ = dense_ && (tensor->strides[d] == step || tensor->sizes[d] == 1);
  }
  /// Whether it is there: a gradient may not be wanted, a tangent zero.
  explicit operator bool() const { return data_ != nullptr; }
  int64_t count() const { return tensor_->count; }
  int rank() const { return tensor_->rank; }
  int64_t size(int d) const { return tensor_->sizes[d]; }
  int64_t stride(int d) const { return tensor_->strides[d]; }
  T* data() const { return data_; }

  T& operator[](int64_t i) const { return data_[dense_ ? i : position(i)]; }
  template <typename... Indices>
  T& operator()(Indices... indices) const {
    int64_t at = 0;
    int d = 0;
    ((at += static_cast<int64_t>(indices) * tensor_->strides[d++]), ...);
    return data_[at];
  }

 private:
  int64_t position(int64_t i) const {
    int64_t at = 0;
    for (int32_t d = tensor_->rank; d-- > 0; i /= tensor_->sizes[d])
      at += i % tensor_->sizes[d] * tensor_->strides[d];
    return at;
  }
  T* data_ = nullptr;
  const notape_tensor* tensor_ = nullptr;
  bool dense_ = true;
};

/// What an operator says of itself; every function returns it again.
class About {
 public:
  explicit About(const char* name, const char* file = __builtin_FILE(),
                 int32_t line = __builtin_LINE())
      : name_(name), file_(file), line_(line) {}

  /// How many ways of choosing shapes `shape` knows; Case::way() is the one it is asked for. Each
  /// of the first 100 is tried in every run.
  About& ways(int32_t count) { return ways_ = count, *this; }
  About& outputs(int32_t count) { return outputs_ = count, *this; }
  /// A real input with entries in [low, high], and its kinks (kink() makes them).
  About& real(const char* name, double low, double high, std::vector<notape_kink> kinks = {},
              int32_t flags = 0) {
    inputs_.push_back({sizeof(notape_input), name, NOTAPE_REAL, flags, low, high, nullptr,
                       static_cast<int32_t>(kinks.size())});
    kinks_.push_back(std::move(kinks));
    return *this;
  }
  /// An int64 input in [low, high]: indices, segment ids; a constant.
  About& whole(const char* name, int64_t low, int64_t high, int32_t flags = 0) {
    inputs_.push_back({sizeof(notape_input), name, NOTAPE_INT64, flags, static_cast<double>(low),
                       static_cast<double>(high), nullptr, 0});
    kinks_.emplace_back();
    return *this;
  }
  /// Parameters that are no tensors.
  About& axis(const char* name, int64_t low, int64_t high) {
    attributes_.push_back({sizeof(notape_attribute), name, NOTAPE_WHOLE, static_cast<double>(low),
                           static_cast<double>(high)});
    return *this;
  }
  About& number(const char* name, double low, double high) {
    attributes_.push_back({sizeof(notape_attribute), name, NOTAPE_NUMBER, low, high});
    return *this;
  }
  /// What forward leaves for backward, of the call's type or int64.
  About& saves(const char* name) { return save(name, NOTAPE_REAL); }
  About& saves_whole(const char* name) { return save(name, NOTAPE_INT64); }
  /// Buffers that are read come with any strides; views know them.
  About& strided() { return flags_ |= NOTAPE_TAKES_STRIDED, *this; }
  /// The gradient of an unused output is absent instead of zero.
  About& missing_gradients() { return flags_ |= NOTAPE_TAKES_MISSING, *this; }

  /// Equal calls may differ as sums of so many terms do in another order.
  About& atomic_adds(int64_t terms) { return atomic_terms_ = terms, *this; }
  /// It is for no other sizes than `shape` gives.
  About& fixed_sizes() { return flags_ |= NOTAPE_FIXED_SIZES, *this; }
  /// Points into this object, which has to stay where it is from now on.
  notape_operator2 declared() {
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (!kinks_[i].empty()) inputs_[i].kinks = kinks_[i].data();
    notape_operator2 result{};
    result.struct_size = sizeof result;
    result.name = name_;
    result.file = file_;
    result.line = line_;
    result.flags = flags_;
    result.ways = ways_;
    result.input_count = static_cast<int32_t>(inputs_.size());
    result.inputs = inputs_.data();
    result.output_count = outputs_;
    result.saved_count = static_cast<int32_t>(saved_.size());
    result.saved = saved_.data();
    result.attribute_count = static_cast<int32_t>(attributes_.size());
    result.attributes = attributes_.data();
    result.atomic_terms = atomic_terms_;
    return result;
  }

 private:
  About& save(const char* name, int32_t dtype) {
    saved_.push_back({sizeof(notape_saved), name, dtype});
    return *this;
  }
  const char *name_, *file_;
  int32_t line_, flags_ = 0, ways_ = 1, outputs_ = 1;
  int64_t atomic_terms_ = 0;
  std::vector<notape_input> inputs_;
  std::vector<std::vector<notape_kink>> kinks_;  // of each input
  std::vector<notape_attribute> attributes_;
  std::vector<notape_saved> saved_;
};

inline notape_kink kink(double at, int32_t convention = NOTAPE_KINK_BETWEEN) {
  return {sizeof(notape_kink), at, convention, 0, 0, 0};
}
inline notape_kink kink(double at, double below, double slope, double above) {
  return {sizeof(notape_kink), at, NOTAPE_KINK_SLOPES, below, above, slope};
}

/// Sizes to be filled: `one.input(0) = {2, 3}`.
class Sizes {
 public:
  explicit Sizes(notape_shape& shape) : shape_(&shape) {}
  Sizes(const Sizes&) = default;
  Sizes& operator=(const std::vector<int64_t>& sizes) {
    shape_->rank = static_cast<int32_t>(sizes.size());
    for (std::size_t d = 0; d < sizes.size() && d < NOTAPE_MAX_RANK; ++d)
      shape_->sizes[d] = sizes[d];
    return *this;
  }
  Sizes& operator=(const Sizes& other) { return *shape_ = *other.shape_, *this; }

 private:
  notape_shape* shape_;
};

class Case {
 public:
  explicit Case(notape_case& given) : given_(&given) {}
  int32_t way() const { return given_->way; }
  Sizes input(int i) const { return Sizes(given_->inputs[i]); }
  Sizes output(int k) const { return Sizes(given_->outputs[k]); }
  Sizes saved(int k) const { return Sizes(given_->saved[k]); }
  /// Where entries of input i may lie, if that is narrower than declared.
  void range(int i, double low, double high) const { given_->ranges[i] = {low, high}; }
  int64_t whole(int k) const { return given_->attributes[k].whole; }
  double number(int k) const { return given_->attributes[k].number; }

 private:
  notape_case* given_;
};

/// One call with numbers of type T. c_abi.h says which lists there are in which function.
template <typename T>
class Call {
 public:
  explicit Call(const notape_call* given) : given_(given) {}
  virtual ~Call() = default;

  int32_t way() const { return given_->way; }
  int64_t whole(int k) const { return given_->attributes[k].whole; }
  double number(int k) const { return given_->attributes[k].number; }
  View<const T> input(int i) const { return view<const T>(given_->inputs[i]); }
  View<const int64_t> indices(int i) const { return whole_view<const int64_t>(given_->inputs[i]); }
  View<T> output(int k) const { return view<T>(given_->outputs[k]); }
  View<T> saved(int k) const { return view<T>(given_->saved[k]); }
  View<int64_t> saved_whole(int k) const { return whole_view<int64_t>(given_->saved[k]); }
  /// In forward: less than `shape` said is needed.
  void lower_saved(int k, std::initializer_list<int64_t> sizes) const {
    notape_tensor* tensor = given_->saved[k];
    tensor->count = 1;
    for (int d = 0; const int64_t size : sizes) {
      tensor->sizes[d++] = size;
      tensor->count *= size;
    }
  }
  View<const T> grad_output(int k) const { return view<const T>(given_->grad_outputs[k]); }
  View<T> grad_input(int i) const { return view<T>(given_->grad_inputs[i]); }
  View<const T> tangent(int i) const { return view<const T>(given_->tangents[i]); }
  View<T> output_tangent(int k) const { return view<T>(given_->output_tangents[k]); }

 protected:
  virtual T* numbers(const notape_tensor* tensor) const { return static_cast<T*>(tensor->data); }
  const notape_call* given_;

 private:
  template <typename U>
  View<U> view(const notape_tensor* tensor) const {
    return {numbers(tensor), tensor};
  }
  template <typename U>
  static View<U> whole_view(const notape_tensor* tensor) {
    return {static_cast<U*>(tensor->data), tensor};
  }
};

namespace internal {

using Wide = long double;

/// forward on dual numbers: inputs with their tangents, and outputs whose slopes are wanted.
class SlopeCall final : public Call<Dual<Wide>> {
 public:
  SlopeCall(const notape_call* given, const notape_operator2& about) : Call(given), lists_(*given) {
    for (int32_t i = 0; i < about.input_count; ++i) {
      if (about.inputs[i].dtype != NOTAPE_REAL) continue;
      auto& numbers = keep(given->inputs[i]);
      const auto* x = static_cast<const Wide*>(given->inputs[i]->data);
      const auto* u = static_cast<const Wide*>(given->tangents[i]->data);
      for (std::size_t n = 0; n < numbers.size(); ++n) numbers[n] = {x[n], u ? u[n] : Wide(0)};
    }
    for (int32_t k = 0; k < about.output_count; ++k) keep(given->output_tangents[k]);
    for (int32_t k = 0; k < about.saved_count; ++k)
      if (about.saved[k].dtype == NOTAPE_REAL) keep(given->saved[k]);
    outputs_ = about.output_count;
    lists_.outputs = lists_.output_tangents;  // of the same sizes
    given_ = &lists_;
  }
  void write_slopes() const {
    for (int32_t k = 0; k < outputs_; ++k) {
      const notape_tensor* to = lists_.output_tangents[k];
      for (int64_t n = 0; n < to->count; ++n)
        static_cast<Wide*>(to->data)[n] = numbers(to)[n].slope;
    }
  }

 private:
  std::vector<Dual<Wide>>& keep(const notape_tensor* tensor) {
    kept_.push_back({tensor, std::vector<Dual<Wide>>(static_cast<std::size_t>(tensor->count))});
    return kept_.back().numbers;
  }
  Dual<Wide>* numbers(const notape_tensor* tensor) const override {
    for (const Kept& one : kept_)
      if (one.tensor == tensor) return const_cast<Dual<Wide>*>(one.numbers.data());
    return nullptr;
  }
  struct Kept {
    const notape_tensor* tensor;
    std::vector<Dual<Wide>> numbers;
  };
  notape_call lists_;
  std::deque<Kept> kept_;
  int32_t outputs_ = 0;
};

template <typename F, typename T>
concept HasForward = requires(const Call<T>& call) {
  F::forward(call);
};
template <typename F, typename T>
concept HasJvp = requires(const Call<T>& call) {
  F::jvp(call);
};

template <typename F, typename T>
concept HasSurrogate = requires(const Call<T>& call) {
  F::surrogate(call);
};

/// The functions of an operator as the interface has them.
template <typename F>
struct Bound {
  static const notape_operator2& declared() {
    static About about = F::about();
    static const notape_operator2 result = [] {
      notape_operator2 one = about.declared();
      one.dtypes = (HasForward<F, float> ? NOTAPE_FLOAT32 : 0) |
                   (HasForward<F, double> ? NOTAPE_FLOAT64 : 0);
      one.shape = [](notape_case* given) {
        Case asked(*given);
        F::shape(asked);
        return 0;
      };
      one.forward = [](const notape_call* call) { return run(call, Forward()); };
      one.backward = [](const notape_call* call) { return run(call, Backward()); };
      if constexpr (HasJvp<F, double>)
        one.jvp = [](const notape_call* call) { return run(call, Jvp()); };
      if constexpr (HasForward<F, Wide>)
        one.reference = [](const notape_call* call) { return F::forward(Call<Wide>(call)), 0; };
      if constexpr (HasSurrogate<F, Wide>)
        one.surrogate = [](const notape_call* call) { return F::surrogate(Call<Wide>(call)), 0; };
      else if constexpr (HasForward<F, Wide> && HasForward<F, Dual<Wide>>)
        one.reference_jvp = [](const notape_call* call) {
          const SlopeCall on_duals(call, declared());
          F::forward(static_cast<const Call<Dual<Wide>>&>(on_duals));
          on_duals.write_slopes();
          return 0;
        };
      return one;
    }();
    return result;
  }

 private:
  struct Forward {
    template <typename T>
    void operator()(const Call<T>& call) const {
      F::forward(call);
    }
  };
  struct Backward {
    template <typename T>
    void operator()(const Call<T>& call) const {
      F::backward(call);
    }
  };
  struct Jvp {
    template <typename T>
    void operator()(const Call<T>& call) const {
      F::jvp(call);
    }
  };
  template <typename Function>
  static int run(const notape_call* call, const Function& function) {
    if constexpr (HasForward<F, float>)
      if (call->dtype == NOTAPE_FLOAT32) return function(Call<float>(call)), 0;
    if constexpr (HasForward<F, double>)
      if (call->dtype == NOTAPE_FLOAT64) return function(Call<double>(call)), 0;
    return 1;
  }
};

}  // namespace internal

/// What notape_plugin_v2() returns.
template <typename... Operators>
const notape_plugin2* plugin_of() {
  static const notape_operator2 operators[] = {internal::Bound<Operators>::declared()...};
  static const notape_plugin2 plugin = {sizeof plugin, NOTAPE_PLUGIN_ABI_2, sizeof...(Operators),
                                        operators};
  return &plugin;
}

/// What notape_plugin_v3() returns.
template <typename... Operators>
const notape_plugin2* plugin3_of() {
  static notape_plugin2 plugin = *plugin_of<Operators...>();
  return plugin.abi = NOTAPE_PLUGIN_ABI_3, &plugin;
}

}  // namespace notape::plugin
