// The checks themselves, and when those apply that ask their own case: check.h has them in order.
#pragma once
#include "verify/checks/subject.h"

namespace notape::verify {

// Each is defined in the file of its name.

// What an operator computes.
Outcome check_value(const Subject& subject);
Outcome check_reverse(const Subject& subject);
Evidence reverse_evidence(const Subject& subject, int which);
Outcome check_forward_mode(const Subject& subject);
Evidence forward_mode_evidence(const Subject& subject, int which);
Outcome check_second_order(const Subject& subject);
Evidence second_order_evidence(const Subject& subject, int which);
Outcome check_third_order(const Subject& subject);
Outcome check_ties(const Subject& subject);
Outcome check_tails(const Subject& subject);

/// Whether the row of the subject declares kinks or arguments whose entries must not tie, or its
/// reference has other places where comparisons tie.
bool has_singular_places(const Subject& subject);
/// KINK or JUMP if the derivative there is the convention's, with the slopes as evidence.
Outcome check_kinks(const Subject& subject);

/// Of an operator without a reference: no entry of its result is NaN inside its domain.
Outcome check_finite(const Subject& subject);
/// Whether it is one at this case: what stays NaN looks as if it stood still, and has no slope.
bool is_nan_inside_domain(const Subject& subject);

// `reverse`, for operators without a reference.
Outcome check_opaque_reverse(const Subject& subject);
/// Whether the gradient is wrong along u, beyond doubt and away from kinks.
bool is_wrong_along(const Subject& subject, const Direction& u);
Evidence opaque_reverse_evidence(const Subject& subject, int which);

// What operators of version 2 of the C interface declare beside a backward is held against them: a
// reference in long double, its exact slope, and the derivative on kinks.
bool has_foreign_reference(const Subject& subject);
/// The value against the reference. The radius is what one unit in the last place of the inputs
/// does to the reference, what other rounding modes do to the value, and a few roundings; and
/// where that is not enough, how errors scatter nearby, as far as both dtypes say so.
Outcome check_foreign_reference(const Subject& subject);

bool has_foreign_slope(const Subject& subject);
/// <J^T v, u> against <v, J u> of the reference, which no difference has blurred.
Outcome check_foreign_slope(const Subject& subject);

bool has_foreign_kinks(const Subject& subject);
/// One entry of each input that has kinks, put onto each of them: the gradient there is what the
/// convention makes of the slopes of both sides, as measured, and so is the forward derivative.
Outcome check_foreign_kinks(const Subject& subject);

// Side effects: which tensors it overwrites, what it remembers from call to call, what it changes
// around it. These come first where theirs is the more exact reason.
Outcome check_inputs(const Subject& subject);
Outcome check_repeat(const Subject& subject);
Outcome check_modes(const Subject& subject);
Outcome check_kept(const Subject& subject);
Outcome check_concurrent(const Subject& subject);
Outcome check_shapes(const Subject& subject);
Outcome check_no_grad(const Subject& subject);
Outcome check_saved(const Subject& subject);
Outcome check_hygiene(const Subject& subject);

// What must not matter: layouts, where inputs come from, who else holds the memory, the number of
// threads, where a block of a long tensor ends.
Outcome check_layouts(const Subject& subject);
Outcome check_strides(const Subject& subject);
Outcome check_sources(const Subject& subject);
Outcome check_subsets(const Subject& subject);
Outcome check_in_place(const Subject& subject);
Outcome check_shared(const Subject& subject);
Outcome check_long(const Subject& subject);
/// `long` for users' operators.
Outcome check_growth(const Subject& subject);
Outcome check_sizes(const Subject& subject);
Outcome check_threads(const Subject& subject);

// What must pass through unchanged: undefined gradients, other dtypes, NaN.
Outcome check_incoming(const Subject& subject);
Outcome check_results(const Subject& subject);
Outcome check_masked(const Subject& subject);
Outcome check_promotion(const Subject& subject);
Outcome check_nonfinite(const Subject& subject);

/// Whether the result comes from a user's Function<T> or C operator, and not only from operators of
/// the library, which are checked by themselves.
bool has_function_of_users(const Subject& subject);
/// Whether `results` has several results to leave gradients out of.
bool has_several_results(const Subject& subject);
/// Whether `sizes` has a longer case of the subject's operator to look at.
bool can_be_longer(const Subject& subject);
/// Whether `promotion` has two arguments to give different types to.
bool can_be_mixed(const Subject& subject);

}  // namespace notape::verify
