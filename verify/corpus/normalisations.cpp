// Normalisations over rows, groups, channels and weights, each with the backward that libraries
// have: gradient minus its mean minus its part along the result.
#include <cmath>

#include "ops/reduce.h"
#include "ops/selection.h"
#include "verify/corpus/family.h"

namespace notape::verify::corpus {
namespace {

constexpr double kEpsilon = 1e-5;

/// (x - mean) / sqrt(var + eps) over `dims`, and what is in front of it.
struct Normalised {
  Tensor result, rate;
};

Normalised normalised(const Tensor& x, const std::vector<int64_t>& dims, double epsilon) {
  const Tensor centred = x - mean(x, dims, true);
  const Tensor rate = rsqrt(mean(square(centred), dims, true) + epsilon);
  return {centred * rate, rate};
}

/// The gradient of `normalised`, from that of its result.
Tensor through(const Normalised& of, const Tensor& given, const std::vector<int64_t>& dims,
               const Slip& slip) {
  const Tensor centre = mean(given, dims, true);
  const Tensor along = of.result * mean(given * of.result, dims, true);
  if (slip("mean-twice")) return of.rate * (given - 2 * centre - along);
  if (slip("no-mean")) return of.rate * (given - along);
  if (slip("no-variance")) return of.rate * (given - centre);
  if (slip("rate")) return given - centre - along;
  return of.rate * (given - centre - along);
}

const std::vector<Slipping> kThroughSlips = {
    "mean-twice", "no-mean", "no-variance", {"rate", Kind::LostFactor}};

/// Of one tensor over `dims`, without weights.
Authored plain(const char* name, std::vector<int64_t> sizes, std::vector<int64_t> dims,
               double centre = 0) {
  return {.name = name,
          .forward = [=](const variable_list& x) -> variable_list {
            return {normalised(x[0], dims, kEpsilon).result};
          },
          .backward = [=](const Call& call) -> variable_list {
            const Tensor x = call.slip("detached") ? call.x[0].detach() : call.x[0];
            const double epsilon = call.slip("no-epsilon") ? 0 : kEpsilon;
            return {through(normalised(x, dims, epsilon), call.given[0], dims, call.slip)};
          },
          .inputs = drawn({uniform(sizes, centre - 1, centre + 1)}),
          .slips = {"mean-twice", "no-variance", "no-epsilon", "detached"}};
}

Authored layer_norm() {
  const std::vector<int64_t> row = {-1};
  return {.name = "layer_norm",
          .forward = [=](const variable_list& x) -> variable_list {
            return {normalised(x[0], row, kEpsilon).result * x[1] + x[2]};
          },
          .backward = [=](const Call& call) -> variable_list {
            const Normalised of = normalised(call.x[0], row, kEpsilon);
            const Tensor& given = call.given[0];
            const Tensor of_weight = sum(given * of.result, 0);
            return {through(of, given * call.x[1], row, call.slip),
                    call.slip("missing") ? zeros_like(call.x[1]) : of_weight,
                    call.slip("mean-of-bias") ? mean(given, 0) : sum(given, 0)};
          },
          .inputs = drawn({uniform({3, 5}, -3, 3), uniform({5}, 0.5, 2), uniform({5}, -1, 1)}),
          .slips = {"mean-twice", "no-variance", "missing", {"mean-of-bias", Kind::WrongAxis}}};
}

Authored rms_norm() {
  return {.name = "rms_norm",
          .forward = [](const variable_list& x) -> variable_list {
            return {x[0] * rsqrt(mean(square(x[0]), -1, true) + kEpsilon) * x[1]};
          },
          .backward = [](const Call& call) -> variable_list {
            const Tensor x = call.slip("detached") ? call.x[0].detach() : call.x[0];
            const double epsilon = call.slip("no-epsilon") ? 0 : kEpsilon;
            const Tensor rate = rsqrt(mean(square(x), -1, true) + epsilon);
            const Tensor given = call.given[0] * call.x[1];
            const Tensor part = mean(given * x, -1, true);
            const Tensor power = call.slip("square") ? rate * rate : rate * rate * rate;
            return {rate * given - power * x * part,
                    sum(call.given[0] * x * (call.slip("factor") ? ones_like(rate) : rate), 0)};
          },
          .inputs = drawn({signed_magnitudes({3, 6}, 1e-3, 4), uniform({6}, -2, 2)}),
          .slips = {"no-epsilon", {"square", Kind::LostFactor}, "factor", "detached"}};
}

/// Written as loops, in blocks of four.
Authored rms_norm_loop() {
  constexpr std::size_t kRows = 2, kSize = 7, kBlock = 4;
  const auto rate_of = [](const double* x) {
    double total = 0;
    for (std::size_t i = 0; i < kSize; ++i) total += x[i] * x[i];
    return 1 / std::sqrt(total / kSize + kEpsilon);
  };
  return {.name = "rms_norm_loop",
          .forward = [=](const variable_list& in) -> variable_list {
            only_of_sizes(in[0], {kRows, kSize});
            Numbers x = numbers_of(in[0]), y(x.size());
            for (std::size_t row = 0; row < kRows; ++row)
              for (std::size_t i = row * kSize; i < (row + 1) * kSize; ++i)
                y[i] = x[i] * rate_of(&x[row * kSize]);
            return {filled_like(in[0], y)};
          },
          .backward = [=](const Call& call) -> variable_list {
            const Numbers x = numbers_of(call.x[0]);
            const Numbers given =
                call.slip("strided") ? as_if_contiguous(call.given[0]) : numbers_of(call.given[0]);
            const std::size_t end = call.slip("last-block") ? kSize / kBlock * kBlock : kSize;
            Numbers gradient(x.size());
            for (std::size_t row = 0; row < kRows; ++row) {
              const std::size_t at = row * kSize;
              const double rate = rate_of(&x[at]);
              double part = 0;
              for (std::size_t i = 0; i < end; ++i) part += given[at + i] * x[at + i];
              if (call.slip("row-of-first")) part = given[0] * x[0];
              for (std::size_t i = at; i < at + kSize; ++i)
                gradient[i] = rate * given[i] - rate * rate * rate * x[i] * part / kSize;
            }
            return {filled_like(call.x[0], gradient)};
          },
          .inputs = between(-2, 2, {kRows, kSize}),
          .slips = {"strided", "last-block", {"row-of-first", Kind::WrongAxis}},
          .traits = {.order = 1}};
}

Authored l2_normalise() {
  return {.name = "l2_normalise",
          .forward = [](const variable_list& x) -> variable_list {
            return {x[0] / clamp(sqrt(sum(square(x[0]), -1, true)), 1e-12)};
          },
          .backward = [](const Call& call) -> variable_list {
            const Tensor x = call.slip("detached") ? call.x[0].detach() : call.x[0];
            const Tensor norm = sqrt(sum(square(x), -1, true)), unit = x / norm;
            const Tensor part = sum(call.given[0] * unit, -1, true);
            if (call.slip("sign")) return {(call.given[0] + unit * part) / norm};
            if (call.slip("term")) return {call.given[0] / norm};
            return {(call.given[0] - unit * part) / (call.slip("power") ? norm * norm : norm)};
          },
          .inputs = drawn({signed_magnitudes({2, 5}, 1e-3, 10)}),
          .slips = {"sign", "term", "power", "detached"}};
}

/// scale v / |v|, by rows of v
Authored weight_norm() {
  return {.name = "weight_norm",
          .forward = [](const variable_list& x) -> variable_list {
            return {x[1] * x[0] / sqrt(sum(square(x[0]), 1, true))};
          },
          .backward = [](const Call& call) -> variable_list {
            const Tensor &v = call.x[0], &scale = call.x[1], &given = call.given[0];
            const Tensor norm = sqrt(sum(square(v), 1, true));
            const Tensor of_scale = sum(given * v, 1, true) / norm;
            const Tensor pull = call.slip("sign") ? -of_scale : of_scale;
            return {
                (call.slip("factor") ? ones_like(scale) : scale) / norm * (given - pull * v / norm),
                call.slip("missing") ? Tensor() : of_scale};
          },
          .inputs = drawn({uniform({3, 4}, -2, 2), uniform({3, 1}, 0.5, 3)}),
          .slips = {"sign", "factor", "missing"}};
}

/// With given mean and variance, by channel: x (N, C)
Elementwise batch_norm_eval() {
  return {.name = "batch_norm_eval",
          .forward = [](const variable_list& x) -> Tensor {
            return (x[0] - x[3]) * rsqrt(x[4] + kEpsilon) * x[1] + x[2];
          },
          .slopes = [](const variable_list& x, const Slip& slip) -> variable_list {
            const Tensor rate = rsqrt(x[4] + (slip("no-epsilon") ? 0 : kEpsilon));
            const Tensor centred = slip("mean") ? x[0] : x[0] - x[3];
            if (slip("swapped")) return {rate * x[1], ones_like(x[0]), centred * rate};
            return {slip("factor") ? rate : rate * x[1], centred * rate, ones_like(x[0])};
          },
          .inputs = [](InputDraw& draw) -> variable_list {
            return {draw.uniform({4, 3}, -3, 3), draw.uniform({3}, 0.5, 2),
                    draw.uniform({3}, -1, 1), constant(draw.uniform({3}, -1, 1)),
                    constant(draw.magnitudes({3}, 0.01, 4))};
          },
          .slips = {"no-epsilon", {"mean", Kind::MeanTwice}, "swapped", "factor"}};
}

/// (x - mean) / s with the unbiased s, of all entries
Authored standardise() {
  return {.name = "standardise",
          .forward = [](const variable_list& x) -> variable_list {
            return {(x[0] - mean(x[0])) / sqrt(var(x[0]))};
          },
          .backward = [](const Call& call) -> variable_list {
            const Tensor x = call.slip("detached") ? call.x[0].detach() : call.x[0];
            const double count = static_cast<double>(x.numel()) - (call.slip("biased") ? 0 : 1);
            const Tensor s = sqrt(var(x)), unit = (x - mean(x)) / s;
            const Tensor& given = call.given[0];
            const Tensor along = unit * sum(given * unit) / count;
            const Tensor centre = call.slip("no-mean") ? zeros_like(s) : mean(given);
            return {(given - centre - along) / s};
          },
          .inputs = between(-2, 5, {8}),
          .slips = {"biased", "no-mean", "detached"}};
}

}  // namespace

void add_normalisations(std::vector<Entry>& entries) {
  Family family("normalisations", entries);
  family.add(layer_norm());
  family.add(rms_norm());
  family.add(rms_norm_loop());
  family.add(l2_normalise());
  family.add(weight_norm());
  family.add(batch_norm_eval());
  family.add(standardise());
  family.add(plain("batch_norm_train", {5, 3}, {0}));
  family.add(plain("instance_norm", {2, 2, 6}, {2}));
  family.add(plain("group_norm", {2, 2, 2, 3}, {2, 3}));
  Authored far = plain("layer_norm_far_from_zero", {2, 5}, {1}, 1000);
  far.slips = kThroughSlips;
  family.add(far);
}

}  // namespace notape::verify::corpus
