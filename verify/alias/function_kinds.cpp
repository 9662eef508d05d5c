#include "verify/alias/function_kinds.h"

namespace notape::verify::alias {
namespace {

using Effect = FunctionKind::Effect;

template <typename F>
variable_list one_of_one(const Tensor& x, const Tensor&) {
  return {F::apply(x)};
}
template <typename F>
variable_list none_of_one(const Tensor& x, const Tensor&) {
  F::apply(x);
  return {};
}

const FunctionKind kKinds[] = {
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
};

}  // namespace

std::span<const FunctionKind> function_kinds() { return kKinds; }

}  // namespace notape::verify::alias
