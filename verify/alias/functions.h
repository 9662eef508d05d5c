// User functions of the campaign: they save inputs or outputs, write inputs, return inputs or views
// of them, and declare that rightly or wrongly. Programs that a failure prints include this header.
#pragma once
#include "autograd/function.h"
#include "ops/arithmetic.h"

namespace notape::verify::alias {

using autograd::AutogradContext;
using autograd::Function;

/// a b + c d, where undefined tangents count as zero.
inline Tensor sum_of_products(const Tensor& a, const Tensor& b, const Tensor& c, const Tensor& d) {
  if (!a.defined()) return c.defined() ? c * d : Tensor();
  return c.defined() ? a * b + c * d : a * b;
}

/// x y, by saved factors.
template <typename T>
struct OfSavedFactors : Function<T> {
  static variable_list backward(AutogradContext* context, variable_list g) {
    const variable_list saved = context->get_saved_variables();
    return {g[0] * saved[1], g[0] * saved[0]};
  }
  static variable_list jvp(AutogradContext* context, variable_list t) {
    const variable_list saved = context->get_saved_variables();
    return {sum_of_products(t[0], saved[1], t[1], saved[0])};
  }
};
/// The gradient times a number.
template <typename T, int kFactor>
struct Scaled : Function<T> {
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0] * kFactor}; }
};

/// x y, saving both.
struct Product : OfSavedFactors<Product> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& y) {
    context->save_for_backward({x, y});
    return x * y;
  }
};

/// A copy of x, and x y; saves that copy, an output, and y.
struct CopyAndProduct : Function<CopyAndProduct> {
  static variable_list forward(AutogradContext* context, const Tensor& x, const Tensor& y) {
    const Tensor copy = x.clone();
    context->save_for_backward({copy, y});
    return {copy, copy * y};
  }
  static variable_list backward(AutogradContext* context, variable_list g) {
    const variable_list saved = context->get_saved_variables();
    return {g[0] + g[1] * saved[1], g[1] * saved[0]};
  }
  static variable_list jvp(AutogradContext* context, variable_list t) {
    const variable_list saved = context->get_saved_variables();
    return {t[0].defined() ? t[0].clone() : t[0], sum_of_products(t[0], saved[1], t[1], saved[0])};
  }
};

/// x *= 3, declared.
struct DirtyTriple : Scaled<DirtyTriple, 3> {
  static Tensor forward(AutogradContext* context, const Tensor& x) {
    context->mark_dirty({x});
    Tensor(x).mul_(3);
    return x;
  }
  static variable_list jvp(AutogradContext*, variable_list t) {
    return {t[0].defined() ? t[0] * 3 : t[0]};
  }
};

/// x *= y, declared; saves a copy of the old x, and y.
struct DirtyProduct : OfSavedFactors<DirtyProduct> {
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& y) {
    context->mark_dirty({x});
    context->save_for_backward({x.clone(), y});
    Tensor(x).mul_(y);
    return x;
  }
};

/// x itself, with derivative 3.
struct ReturnInput : Scaled<ReturnInput, 3> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x; }
};

/// A view of x, with derivative 2.
struct ReturnView : Function<ReturnView> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x.unsqueeze(0); }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0].squeeze(0) * 2}; }
};

/// A view of x, with derivative 2, declared: once it has been written, a plain view.
struct ReturnDeclaredView : Function<ReturnDeclaredView> {
  static Tensor forward(AutogradContext* context, const Tensor& x) {
    const Tensor view = x.unsqueeze(0);
    context->view_of(view, x);
    return view;
  }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0].squeeze(0) * 2}; }
};

/// A view of the intermediate 3 x.
struct ReturnViewOfOwn : Function<ReturnViewOfOwn> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return (x * 3).unsqueeze(0); }
  static variable_list backward(AutogradContext*, variable_list g) { return {g[0].squeeze(0) * 3}; }
};

/// Doubles x without a word, and returns a copy with derivative 2.
struct SilentWrite : Scaled<SilentWrite, 2> {
  static Tensor forward(AutogradContext*, const Tensor& x) {
    Tensor(x).mul_(2);
    return x.clone();
  }
};

/// Declares x dirty and does not return it: refused.
struct DirtyNotReturned : Scaled<DirtyNotReturned, 2> {
  static Tensor forward(AutogradContext* context, const Tensor& x) {
    context->mark_dirty({x});
    Tensor(x).mul_(2);
    return x.clone();
  }
};

/// x *= 2, declared, and 5 x of the new x; refused if x is a view.
struct DirtyAndMore : Function<DirtyAndMore> {
  static variable_list forward(AutogradContext* context, const Tensor& x) {
    context->mark_dirty({x});
    Tensor(x).mul_(2);
    return {x, x * 5};
  }
  static variable_list backward(AutogradContext*, variable_list g) {
    return {g[0] * 2 + g[1] * 10};
  }
};

}  // namespace notape::verify::alias
