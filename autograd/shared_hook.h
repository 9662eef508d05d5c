// SharedHook: what a user wrote to be called again and again. All copies are one object, so that it
// keeps its state, and one that is being called stays alive when it is removed meanwhile.
#pragma once
#include <concepts>
#include <functional>
#include <memory>

namespace notape {

template <typename Signature>
class SharedHook;

template <typename Result, typename... Arguments>
class SharedHook<Result(Arguments...)> {
 public:
  using Function = std::function<Result(Arguments...)>;

  SharedHook() = default;
  SharedHook(std::nullptr_t) {}
  template <typename F>
  requires(!std::same_as<std::remove_cvref_t<F>, SharedHook> &&
           std::constructible_from<Function, F>) SharedHook(F&& hook) {
    Function function(std::forward<F>(hook));
    if (function) function_ = std::make_shared<const Function>(std::move(function));
  }

  explicit operator bool() const { return static_cast<bool>(function_); }
  Result operator()(Arguments... arguments) const {
    return (*function_)(std::forward<Arguments>(arguments)...);
  }

 private:
  std::shared_ptr<const Function> function_;
};

}  // namespace notape
