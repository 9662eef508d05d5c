// Functions: every operator under its name, in all of its forms, to be called with values. The
// lists stand beside this, a file for each family and a line for each operator. What must know all
// of them derives from these: the fuzzer, the comparison with PyTorch, tests.
//   f("sinh", sinh, sinh_, sinh_out);         the function, in place, and its out form
//   f.of<Tensor(X, I)>("softmax", softmax);   one of several overloads, without the user's line
//   f("eq_", +[](Tensor& self, X other, At at) -> Tensor& { return self.eq_(other, at); });
#pragma once
#include <map>
#include <tuple>
#include <utility>

#include "autograd/tensor/factories.h"
#include "ops/functions/parameter.h"
#include "ops/out.h"
#include "ops/out/detail/write_out.h"

namespace notape::functions {

inline TensorList results_of(const Tensor& one) { return {one}; }
inline TensorList results_of(const TensorList& all) { return all; }
inline TensorList results_of(bool answer) { return {scalar_tensor(answer, dtype(kBool))}; }
template <typename... Each>
TensorList results_of(const std::tuple<Each...>& each) {
  return std::apply([](const auto&... one) { return TensorList{one...}; }, each);
}

/// In-place and out forms return what they wrote.
template <typename Result>
inline constexpr bool kWrites = std::is_same_v<Result, Tensor&>;
template <typename... Outs>
inline constexpr bool kWrites<std::tuple<Outs&...>> = true;

/// What a function gives, of which results_of() makes a list.
enum class Gives { Tensor, Several, Answer };
template <typename Result>
inline constexpr Gives kGives = std::is_same_v<Result, bool>                   ? Gives::Answer
                                : std::is_same_v<std::decay_t<Result>, Tensor> ? Gives::Tensor
                                                                               : Gives::Several;

struct Overload {
  std::vector<Parameter> parameters;
  bool writes;
  Gives gives;
  void (*function)();
  TensorList (*call)(void (*function)(), Values& values, At at);

  bool takes(const Values& values) const;
  /// Of what takes() says yes to.
  TensorList operator()(Values& values, At at = At::current()) const {
    return call(function, values, at);
  }
};

/// A form of a function. Its last parameter is the user's line.
template <typename F>
struct Form;
template <typename Result, typename... All>
struct Form<Result(All...)> {
  static constexpr std::size_t kCount = sizeof...(All) - 1;

  static Overload boxed(Result (*function)(All...)) {
    return boxed(function, std::make_index_sequence<kCount>());
  }

 private:
  template <std::size_t I>
  using Argument = Passed<std::tuple_element_t<I, std::tuple<All...>>>;

  template <std::size_t... I>
  static Overload boxed(Result (*function)(All...), std::index_sequence<I...>) {
    return {{Argument<I>::kParameter...},
            kWrites<Result>,
            kGives<Result>,
            reinterpret_cast<void (*)()>(function),
            [](void (*erased)(), [[maybe_unused]] Values& values, At at) {
              const auto call = reinterpret_cast<Result (*)(All...)>(erased);
              return results_of(call(Argument<I>::get(values[I])..., at));
            }};
  }
};

/// The types of a function's forms, of what it is without the user's line.
template <typename Result, typename... Parameters>
struct InPlaceForm {
  struct Type;  // there is none
};
template <typename... Parameters>
struct InPlaceForm<Tensor, const Tensor&, Parameters...> {
  using Type = Tensor&(Tensor&, Parameters..., At);
};
template <typename Result, typename... Parameters>
struct OutForm {
  struct Type;
};
template <typename... Parameters>
struct OutForm<Tensor, Parameters...> {
  using Type = Tensor&(Tensor&, Parameters..., At);
};
template <typename... Parameters>
struct OutForm<std::tuple<Tensor, Tensor>, Parameters...> {
  using Type = std::tuple<Tensor&, Tensor&>(Tensor&, Tensor&, Parameters..., At);
};
template <typename Signature>
struct FormsOf;
template <typename Result, typename... Parameters>
struct FormsOf<Result(Parameters...)> {
  using Function = Result(Parameters..., At);
  using InPlace = typename InPlaceForm<Result, Parameters...>::Type;
  using Out = typename OutForm<Result, Parameters...>::Type;
};

class Functions {
 public:
  /// Those after the first are called `name` with an underscore, or with _out if they take more.
  template <typename First, typename... More>
  void operator()(const std::string& name, First* function, More*... forms) {
    add(name, Form<First>::boxed(function));
    (add(name + (Form<More>::kCount == Form<First>::kCount ? "_" : "_out"),
         Form<More>::boxed(forms)),
     ...);
  }

  template <typename Signature, typename Forms = FormsOf<Signature>>
  void of(const char* name, typename Forms::Function* function) {
    (*this)(name, function);
  }
  template <typename Signature, typename Forms = FormsOf<Signature>>
  void of(const char* name, typename Forms::Function* function, typename Forms::InPlace* in_place) {
    (*this)(name, function, in_place);
  }
  template <typename Signature, typename Forms = FormsOf<Signature>>
  void of(const char* name, typename Forms::Function* function, typename Forms::Out* out) {
    (*this)(name, function, out);
  }
  template <typename Signature, typename Forms = FormsOf<Signature>>
  void of(const char* name, typename Forms::Function* function, typename Forms::InPlace* in_place,
          typename Forms::Out* out) {
    (*this)(name, function, in_place, out);
  }

  const std::map<std::string, std::vector<Overload>>& all() const { return overloads_; }

 private:
  void add(const std::string& name, Overload overload);

  std::map<std::string, std::vector<Overload>> overloads_;
};

/// All lists together.
const Functions& functions();
/// The overload of a function that takes `values`, or null.
const Overload* find_overload(const std::string& name, const Values& values);

/// A list: its file enters it.
struct RegisterFunctions {
  explicit RegisterFunctions(void (*list)(Functions&));
};

// Short names for the lists, beside those of the out forms.
using Pieces = std::vector<Tensor>;
using Two = std::tuple<Tensor, Tensor>;
using Three = std::tuple<Tensor, Tensor, Tensor>;

}  // namespace notape::functions
