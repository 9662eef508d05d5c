#include "verify/alias/function_kinds.h"

#include "verify/alias/keeping_functions.h"

namespace notape::verify::alias {
namespace {

using Effect = FunctionKind::Effect;

template <typename F>
variable_list one_of_one(const Tensor& x, const Tensor&) {
  return {F::apply(x)};
}
template <typename F>
variable_list product(const Tensor& x, const Tensor& y) {
  return {F::apply(x, y)};
}
template <typename F>
variable_list none_of_one(const Tensor& x, const Tensor&) {
  F::apply(x);
  return {};
}

/// x y by a function that keeps what it needs in its own way.
template <typename F>
constexpr FunctionKind keeping(const char* name, FunctionKind::Keeps keeps) {
  return {name, Effect::FreshOfTwo, 1, false, 1, product<F>, /*has_jvp=*/false, keeps};
}

using Keeps = FunctionKind::Keeps;
const FunctionKind kFunctionKinds[] = {
    {"Product", Effect::FreshOfTwo, 1, false, 1,
     [](const Tensor& x, const Tensor& y) { return variable_list{Product::apply(x, y)}; },
     /*has_jvp=*/true},
    {"CopyAndProduct", Effect::Two, 1, false, 2,
     [](const Tensor& x, const Tensor& y) { return CopyAndProduct::apply(x, y); },
     /*has_jvp=*/true},
    {"DirtyTriple", Effect::Dirty, 3, false, 0, none_of_one<DirtyTriple>,
     /*has_jvp=*/true},
    {"DirtyProduct", Effect::DirtyOfTwo, 1, false, 0,
     [](const Tensor& x, const Tensor& y) {
       DirtyProduct::apply(x, y);
       return variable_list();
     },
     /*has_jvp=*/true},
    {"ReturnInput", Effect::Alias, 3, false, 1, one_of_one<ReturnInput>},
    {"ReturnView", Effect::Alias, 2, true, 1, one_of_one<ReturnView>},
    {"ReturnViewOfOwn", Effect::AliasOfOwn, 3, true, 1, one_of_one<ReturnViewOfOwn>},
    {"SilentWrite", Effect::Silent, 2, false, 1, one_of_one<SilentWrite>},
    {"DirtyNotReturned", Effect::Refused, 2, false, 0, none_of_one<DirtyNotReturned>},
    {"DirtyAndMore", Effect::DirtyPlus, 2, false, 1,
     [](const Tensor& x, const Tensor&) { return variable_list{DirtyAndMore::apply(x)[1]}; }},
    {"ReturnDeclaredView", Effect::Declared, 2, true, 1, one_of_one<ReturnDeclaredView>},
    keeping<ProductByCopies>("ProductByCopies", Keeps::Copies),
    keeping<ProductByStack>("ProductByStack", Keeps::Copies),
    keeping<ProductByCat>("ProductByCat", Keeps::Copies),
    keeping<ProductByViewWrite>("ProductByViewWrite", Keeps::Copies),
    keeping<ProductByBaseWrite>("ProductByBaseWrite", Keeps::Copies),
    keeping<ProductByIndexPut>("ProductByIndexPut", Keeps::Copies),
    keeping<ProductBySavedData>("ProductBySavedData", Keeps::Copies),
    keeping<ProductByOutside>("ProductByOutside", Keeps::Copies),
    keeping<ProductByOutsideView>("ProductByOutsideView", Keeps::Copies),
    keeping<ProductByAliases>("ProductByAliases", Keeps::Aliases),
    keeping<ProductByConstants>("ProductByConstants", Keeps::Inputs),
};

}  // namespace

std::span<const FunctionKind> function_kinds() { return kFunctionKinds; }

}  // namespace notape::verify::alias
