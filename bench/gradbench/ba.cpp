// Bundle adjustment: the errors of points that cameras see, and their sparse Jacobian. Observations
// are taken in blocks, a row of numbers each: one backward for each of the two coordinates.
#include "gradbench.h"

using namespace gradbench;

constexpr int64_t kBlock = 1024;

struct Scene {
  explicit Scene(const Json& input)
      : n(input["n"]),
        m(input["m"]),
        p(input["p"]),
        cameras(to_tensor(input["cam"]).unsqueeze(1).repeat({1, n})),
        points(to_tensor(input["x"]).unsqueeze(1).repeat({1, m})),
        weights(full({p}, input["w"].get<double>(), dtype(kFloat64))),
        features(to_tensor(input["feat"]).unsqueeze(1).repeat({1, p})) {}
  int64_t n, m, p;
  Tensor cameras, points, weights, features;  ///< (11, n), (3, m), (p), (2, p)
};

/// What a block of observations depends on: rotation (3), centre (3), focal length, principal point
/// (2), distortion (2), point (3) and weight.
std::vector<Tensor> gather_block(const Scene& in, int64_t first, int64_t length) {
  const Tensor i = arange(first, first + length);
  const Tensor cameras = in.cameras.index_select(1, i.remainder(in.n));
  std::vector<Tensor> parts = cameras.split_with_sizes({3, 3, 1, 2, 2});
  parts.push_back(in.points.index_select(1, i.remainder(in.m)));
  parts.push_back(in.weights.narrow(0, first, length).unsqueeze(0));
  return parts;
}

/// Rodrigues' rotation of v.
Tensor rotate(const Tensor& r, const Tensor& v) {
  const Tensor square = r.square().sum(0), is_zero = square == 0;
  const bool some_are_zero = is_zero.any().item<bool>();
  const Tensor angle = (some_are_zero ? square.masked_fill(is_zero, 1.0) : square).sqrt();
  const Tensor axis = r / angle, cosine = angle.cos();
  const Tensor rotated = v * cosine + linalg_cross(axis, v, 0) * angle.sin() +
                         axis * ((axis * v).sum(0) * (1 - cosine));
  return some_are_zero ? where(is_zero, v + linalg_cross(r, v, 0), rotated) : rotated;
}

/// The errors in both coordinates.
std::vector<Tensor> project(const std::vector<Tensor>& in, const Tensor& features) {
  const std::vector<Tensor> seen = rotate(in[0], in[5] - in[1]).unbind(0);
  const Tensor x = seen[0] / seen[2], y = seen[1] / seen[2], square = x * x + y * y;
  const Tensor scale = in[2][0] * (1 + in[4][0] * square + in[4][1] * (square * square));
  return {in[6][0] * (x * scale + in[3][0] - features[0]),
          in[6][0] * (y * scale + in[3][1] - features[1])};
}

Tensor weight_errors(const Tensor& weights) { return 1 - weights.square(); }

template <typename F>
void for_blocks(const Scene& in, const F& f) {
  for (int64_t first = 0; first < in.p; first += kBlock) f(first, std::min(kBlock, in.p - first));
}

/// The errors (p, 2) of projections, and those (p) of weights.
std::vector<Tensor> objective(const Scene& in) {
  const Tensor errors = empty({in.p, 2}, dtype(kFloat64));
  for_blocks(in, [&](int64_t first, int64_t length) {
    const std::vector<Tensor> both =
        project(gather_block(in, first, length), in.features.narrow(1, first, length));
    for (int64_t row = 0; row < 2; ++row)
      errors.narrow(0, first, length).select(1, row).copy_(both[static_cast<std::size_t>(row)]);
  });
  return {errors, weight_errors(in.weights)};
}

/// A sparse matrix by rows.
struct Sparse {
  std::vector<int64_t> rows, columns;
  Tensor values;
};

Sparse jacobian(const Scene& in) {
  Sparse result{{}, {}, empty({in.p * 31}, dtype(kFloat64))};
  const Tensor values = result.values.narrow(0, 0, in.p * 30).view({in.p, 2, 15});
  for_blocks(in, [&](int64_t first, int64_t length) {
    std::vector<Tensor> inputs;
    for (const Tensor& part : gather_block(in, first, length)) inputs.push_back(leaf(part));
    const std::vector<Tensor> both = project(inputs, in.features.narrow(1, first, length));
    for (int64_t row = 0; row < 2; ++row) {
      const Tensor sum = both[static_cast<std::size_t>(row)].sum();
      int64_t column = 0;
      for (const Tensor& by : autograd::grad({sum}, inputs, {}, /*retain_graph=*/row == 0)) {
        values.narrow(0, first, length).select(1, row).narrow(1, column, by.size(0)).copy_(by.t());
        column += by.size(0);
      }
    }
  });
  const Tensor weights = leaf(in.weights);
  result.values.narrow(0, in.p * 30, in.p).copy_(gradient(weight_errors(weights).sum(), weights));
  for (int64_t i = 0; i <= 3 * in.p; ++i)
    result.rows.push_back(i <= 2 * in.p ? 15 * i : 28 * in.p + i);
  result.columns.reserve(static_cast<std::size_t>(31 * in.p));
  for (int64_t i = 0; i < 2 * in.p; ++i) {
    const int64_t observation = i / 2;
    for (int64_t j = 0; j < 11; ++j) result.columns.push_back(11 * (observation % in.n) + j);
    for (int64_t j = 0; j < 3; ++j)
      result.columns.push_back(11 * in.n + 3 * (observation % in.m) + j);
    result.columns.push_back(11 * in.n + 3 * in.m + observation);
  }
  for (int64_t i = 0; i < in.p; ++i) result.columns.push_back(11 * in.n + 3 * in.m + i);
  return result;
}

/// The first 30 and the last, which is all that is asked for.
template <typename Numbers>
Json ends(const Numbers* numbers, std::size_t count) {
  Json list(std::vector<Numbers>(numbers, numbers + std::min<std::size_t>(count, 30)));
  list.push_back(numbers[count - 1]);
  return list;
}

int main(int count, char** arguments) {
  return run(count, arguments,
             {{"objective",
               [](const Json& input) {
                 const Scene in(input);
                 const std::vector<Tensor> errors = timed(input, [&] { return objective(in); });
                 return Json{
                     {"reproj_error", {{"elements", to_json(errors[0][0])}, {"repeated", in.p}}},
                     {"w_err", {{"element", to_json(errors[1][0])}, {"repeated", in.p}}}};
               }},
              {"jacobian", [](const Json& input) {
                 const Scene in(input);
                 const Sparse found = timed(input, [&] { return jacobian(in); });
                 return Json{{"rows", ends(found.rows.data(), found.rows.size())},
                             {"cols", ends(found.columns.data(), found.columns.size())},
                             {"vals", ends(found.values.data_ptr<double>(), found.columns.size())}};
               }}});
}
