// Rows of elementwise operators: their reference is the operator's own functor on other kinds of
// numbers, so the row states only names and domains.
#pragma once
#include "ops/spec/far_domain.h"
#include "ops/spec/plain.h"

namespace notape {

/// Options of a row that few operators need.
struct ElementwiseRow {
  Domain domain = {};
  Domain other = {};                               ///< of the second operand
  std::optional<Domain> far = {}, far_other = {};  ///< the same far out
  bool distinct = false;  ///< no two entries tie, nor do those of different operands
  /// The forms with a number as second operand, drawn from the same domain.
  Tensor (*number)(const Tensor&, Scalar, SourceLocation) = nullptr;
  Tensor& (*number_in_place)(Tensor&, Scalar, SourceLocation) = nullptr;
};

/// y = f(x). `call_in_place` may be null. `far`: near_or_far().
template <typename F>
OpSpec unary_spec(const char* name, Tensor (*call)(const Tensor&, SourceLocation),
                  Tensor& (*call_in_place)(Tensor&, SourceLocation), Domain domain,
                  std::optional<Domain> far = {},
                  std::source_location at = std::source_location::current()) {
  return {
      .name = name,
      .family = "elementwise",
      .draw =
          [=](Draw& draw) {
            OpCase one;
            one.arguments = {{.sizes = draw.shape(0, 4), .domain = near_or_far(draw, domain, far)}};
            one.call = [=](const variable_list& x) {
              return call(x[0], SourceLocation::current());
            };
            if (call_in_place)
              one.call_in_place = [=](variable_list& x) {
                call_in_place(x[0], SourceLocation::current());
              };
            one.reference = elementwise_reference(F{});
            return one;
          },
      .at = at};
}

inline OpSpec with_traits(Trait traits, OpSpec spec) {
  spec.traits = spec.traits | traits;
  return spec;
}

/// y = f(a, number).
template <typename F>
OpCase number_case(Draw& draw, const ElementwiseRow& row) {
  const double number = draw.real(row.other.low, row.other.high);
  OpCase one;
  one.label = format_message("other={}", {number});
  one.arguments = {{.sizes = draw.shape(0, 4), .domain = near_or_far(draw, row.domain, row.far)}};
  one.call = [number, call = row.number](const variable_list& x) {
    return call(x[0], number, SourceLocation::current());
  };
  if (row.number_in_place)
    one.call_in_place = [number, call = row.number_in_place](variable_list& x) {
      call(x[0], number, SourceLocation::current());
    };
  one.reference = elementwise_reference([number]<typename T>(T a) { return F{}(a, T(number)); });
  return one;
}

/// y = f(a, b), broadcast. `call_in_place` may be null.
template <typename F>
OpSpec binary_spec(const char* name, Tensor (*call)(const Tensor&, const Tensor&, SourceLocation),
                   Tensor& (*call_in_place)(Tensor&, const Tensor&, SourceLocation),
                   ElementwiseRow row = {},
                   std::source_location at = std::source_location::current()) {
  return {.name = name,
          .family = "elementwise",
          .draw =
              [=](Draw& draw) {
                if (row.number && draw.integer(0, 2) == 2) return number_case<F>(draw, row);
                OpCase one;
                const auto full = draw.shape(0, 4);
                const bool in_place = call_in_place && draw.boolean();
                one.arguments = {{.sizes = in_place ? full : draw.broadcast_of(full),
                                  .domain = near_or_far(draw, row.domain, row.far),
                                  .distinct = row.distinct},
                                 {.sizes = draw.broadcast_of(full),
                                  .domain = near_or_far(draw, row.other, row.far_other),
                                  .distinct = row.distinct}};
                one.call = [=](const variable_list& x) {
                  return call(x[0], x[1], SourceLocation::current());
                };
                if (in_place)
                  one.call_in_place = [=](variable_list& x) {
                    call_in_place(x[0], x[1], SourceLocation::current());
                  };
                one.reference = elementwise_reference(F{});
                return one;
              },
          .at = at};
}

}  // namespace notape
