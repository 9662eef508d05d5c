// User functions of the campaign that compute x y and keep what their backward needs on every path:
// what they have computed from the inputs loses a term of the second derivative, which must raise.
#pragma once
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
#include "ops/index.h"
#include "ops/shape.h"
#include "verify/alias/functions.h"

namespace notape::verify::alias {

using TwoTensors = std::pair<Tensor, Tensor>;

/// T::keep(context, x, y) in forward; T::find(context, like) gives both back.
template <typename T>
struct KeepingProduct : Function<T> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& y) {
    T::keep(context, x, y);
    return x * y;
  }
  static variable_list backward(AutogradContext* context, variable_list g) {
    const auto [x, y] = T::find(context, g[0]);
    return {g[0] * y, g[0] * x};
  }
};

inline TwoTensors two_saved(AutogradContext* context) {
  const variable_list saved = context->get_saved_variables();
  return {saved.at(0), saved.at(1)};
}
inline TwoTensors two_parts(const Tensor& both) { return {both.select(0, 0), both.select(0, 1)}; }
inline Tensor room_for_two(const Tensor& x) { return stack({zeros_like(x), zeros_like(x)}, 0); }

struct ProductByCopies : KeepingProduct<ProductByCopies> {
  static void keep(AutogradContext* context, const Tensor& x, const Tensor& y) {
    context->save_for_backward({x.clone(), y * 1});
  }
  static TwoTensors find(AutogradContext* context, const Tensor&) { return two_saved(context); }
};

struct ProductByStack : KeepingProduct<ProductByStack> {
  static void keep(AutogradContext* context, const Tensor& x, const Tensor& y) {
    context->save_for_backward({stack({x, y}, 0)});
  }
  static TwoTensors find(AutogradContext* context, const Tensor&) {
    return two_parts(context->get_saved_variables()[0]);
  }
};

struct ProductByCat : KeepingProduct<ProductByCat> {
  static void keep(AutogradContext* context, const Tensor& x, const Tensor& y) {
    context->save_for_backward({cat({x.reshape({-1}), y.reshape({-1})}, 0)});
  }
  static TwoTensors find(AutogradContext* context, const Tensor& like) {
    const variable_list parts = context->get_saved_variables()[0].chunk(2, 0);
    return {parts[0].view(like.sizes()), parts[1].view(like.sizes())};
  }
};

/// Writes into views of what it saves.
struct ProductByViewWrite : KeepingProduct<ProductByViewWrite> {
  static void keep(AutogradContext* context, const Tensor& x, const Tensor& y) {
    const Tensor both = room_for_two(x);
    both[0].copy_(x);
    both.select(0, 1).add_(y);
    context->save_for_backward({both});
  }
  static TwoTensors find(AutogradContext* context, const Tensor&) {
    return two_parts(context->get_saved_variables()[0]);
  }
};

/// Saves views that are older than the write into their base.
struct ProductByBaseWrite : KeepingProduct<ProductByBaseWrite> {
  static void keep(AutogradContext* context, const Tensor& x, const Tensor& y) {
    const Tensor both = room_for_two(x);
    context->save_for_backward({both[0], both[1]});
    both.copy_(stack({x, y}, 0));
  }
  static TwoTensors find(AutogradContext* context, const Tensor&) { return two_saved(context); }
};

struct ProductByIndexPut : KeepingProduct<ProductByIndexPut> {
  static void keep(AutogradContext* context, const Tensor& x, const Tensor& y) {
    Tensor both = room_for_two(x);
    both.index_put_({int64_t{0}}, x);
    both.index_put_({tensor({1}, kInt64)}, y.unsqueeze(0));
    context->save_for_backward({both});
  }
  static TwoTensors find(AutogradContext* context, const Tensor&) {
    return two_parts(context->get_saved_variables()[0]);
  }
};

struct ProductBySavedData : KeepingProduct<ProductBySavedData> {
  static void keep(AutogradContext* context, const Tensor& x, const Tensor& y) {
    context->saved_data["x"] = x.clone();
    context->saved_data["list"] = TensorList{y * 1};
  }
  static TwoTensors find(AutogradContext* context, const Tensor&) {
    return {context->saved_data["x"].toTensor(), context->saved_data["list"].toTensorVector()[0]};
  }
};

/// Shares a list with its backward, as a captured variable would.
struct ProductByOutside : KeepingProduct<ProductByOutside> {
  using Shared = std::shared_ptr<TensorList>;
  static void keep(AutogradContext* context, const Tensor& x, const Tensor& y) {
    context->saved_data["outside"] =
        std::make_shared<TensorList>(TensorList{x.clone(), (y * 1).detach()});
  }
  static TwoTensors find(AutogradContext* context, const Tensor&) {
    const Shared shared = std::any_cast<Shared>(context->saved_data["outside"]);
    return {shared->at(0), shared->at(1)};
  }
};

/// The same with a buffer that is written through one alias and read through another.
struct ProductByOutsideView : KeepingProduct<ProductByOutsideView> {
  using Shared = std::shared_ptr<TensorList>;
  static void keep(AutogradContext* context, const Tensor& x, const Tensor& y) {
    const Tensor both = room_for_two(x);
    const Shared shared = std::make_shared<TensorList>(TensorList{both[0], both.data()});
    both[0].copy_(x);
    both.detach().select(0, 1).copy_(y);
    context->saved_data["outside"] = shared;
  }
  static TwoTensors find(AutogradContext* context, const Tensor&) {
    const Shared shared = std::any_cast<Shared>(context->saved_data["outside"]);
    return {shared->at(0), shared->at(1).select(0, 1)};
  }
};

struct ProductByAliases : KeepingProduct<ProductByAliases> {
  static void keep(AutogradContext* context, const Tensor& x, const Tensor& y) {
    context->save_for_backward({x.detach(), y.unsqueeze(0)});
  }
  static TwoTensors find(AutogradContext* context, const Tensor&) {
    const variable_list saved = context->get_saved_variables();
    return {saved[0], saved[1].squeeze(0)};
  }
};

/// Saves the inputs, and constants and masks that it has computed.
struct ProductByConstants : KeepingProduct<ProductByConstants> {
  static void keep(AutogradContext* context, const Tensor& x, const Tensor& y) {
    Tensor overwritten = x * y;
    overwritten.fill_(1);
    context->save_for_backward({x, y, ones_like(x) * 1, overwritten, (x == x)});
  }
  static TwoTensors find(AutogradContext* context, const Tensor&) {
    const variable_list saved = context->get_saved_variables();
    return {saved[0] * saved[2] * saved[4].to(kFloat64), saved[1] * saved[3]};
  }
};

}  // namespace notape::verify::alias
