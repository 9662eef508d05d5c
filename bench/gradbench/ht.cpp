// Hand tracking: the errors of a hand's surface at measured points, for a pose of 26 numbers, and
// their Jacobian by one forward pass with all 26 tangents.
#include <cmath>

#include "gradbench.h"

using namespace gradbench;

constexpr std::size_t kBones = 22, kRows = 25;  // the rows of a pose: three global ones, and bones

struct Hand {
  explicit Hand(const Json& input) : theta(to_tensor(input["theta"])) {
    const Json &data = input["data"], &model = data["model"];
    parents = model["parents"].get<std::vector<int64_t>>();
    relatives = to_tensor(model["base_relatives"]);
    inverses = to_tensor(model["inverse_base_absolutes"]);
    positions = to_tensor(model["base_positions"]);
    weights = to_tensor(model["weights"]);
    is_mirrored = model["is_mirrored"];
    points = to_tensor(data["points"]);
    std::vector<int64_t> vertices;
    if (!input["us"].empty()) barycentric = to_tensor(input["us"]);
    for (const int64_t one : data["correspondences"].get<std::vector<int64_t>>())
      if (!barycentric.defined())
        vertices.push_back(one);
      else
        for (const Json& corner : model["triangles"][static_cast<std::size_t>(one)])
          vertices.push_back(corner);
    corners = tensor(vertices);
  }
  std::vector<int64_t> parents;
  Tensor theta, relatives, inverses, positions, weights, points;
  Tensor barycentric;  ///< (N, 2), or undefined: points belong to vertices
  Tensor corners;      ///< the vertices of each point, one or three
  bool is_mirrored;
};

/// Where each number of a pose (25, 3) stands in theta, zero and one.
Tensor pose_places() {
  std::vector<int64_t> place(kRows * 3, 26);
  for (std::size_t i = 0; i < 3; ++i) {
    place[i] = static_cast<int64_t>(i);
    place[3 + i] = 27;
    place[6 + i] = static_cast<int64_t>(3 + i);
  }
  int64_t next = 6;
  std::size_t row = 5;
  for (int finger = 0; finger < 5; ++finger, ++row)
    for (int joint = 0; joint < 3; ++joint, ++row) {
      place[row * 3] = next++;
      if (joint == 0) place[row * 3 + 1] = next++;
    }
  return tensor(place);
}

/// (n, 3, 3) of the nine entries, each (n).
Tensor matrices(const std::vector<Tensor>& entries) { return stack(entries, 1).view({-1, 3, 3}); }

/// Rotations by the angles (n, 3): about x by the first, y by the third and z by the second.
Tensor rotations(const Tensor& angles) {
  const std::vector<Tensor> s = angles.sin().unbind(1), c = angles.cos().unbind(1);
  const Tensor o = zeros_like(s[0]), l = ones_like(s[0]);
  return matrices({c[1], -s[1], o, s[1], c[1], o, o, o, l})
      .bmm(matrices({c[2], o, s[2], o, l, o, -s[2], o, c[2]}))
      .bmm(matrices({l, o, o, o, c[0], -s[0], o, s[0], c[0]}));
}

/// The rotation about r by its length.
Tensor rotation_about(const Tensor& r, bool is_small) {
  if (is_small) return eye(3, dtype(kFloat64));
  const Tensor angle = r.square().sum().sqrt(), axis = r / angle, zero = zeros_like(r[0]);
  const Tensor cross = matrices({zero.view({1}), -axis[2].view({1}), axis[1].view({1}),
                                 axis[2].view({1}), zero.view({1}), -axis[0].view({1}),
                                 -axis[1].view({1}), axis[0].view({1}), zero.view({1})})[0];
  return eye(3, dtype(kFloat64)) * angle.cos() + cross * angle.sin() +
         axis.unsqueeze(1) * axis.unsqueeze(0) * (1 - angle.cos());
}

/// What bones do to the base positions, (22, 4, 4): a product for each depth of the skeleton.
Tensor transforms(const Hand& in, const Tensor& angles) {
  const Tensor relatives =
      cat({in.relatives.narrow(2, 0, 3).bmm(rotations(angles)), in.relatives.narrow(2, 3, 1)}, 2);
  std::vector<int64_t> place(kBones, -1), depth(kBones, 0);
  for (std::size_t i = 0; i < kBones; ++i)
    if (in.parents[i] >= 0) depth[i] = depth[static_cast<std::size_t>(in.parents[i])] + 1;
  std::vector<Tensor> levels;
  Tensor above;
  int64_t known = 0;
  for (int64_t level = 0; known < static_cast<int64_t>(kBones); ++level) {
    std::vector<int64_t> bones, parents;
    const int64_t start = known - (above.defined() ? above.size(0) : 0);
    for (std::size_t i = 0; i < kBones; ++i)
      if (depth[i] == level) {
        bones.push_back(static_cast<int64_t>(i));
        place[i] = known++;
        if (level > 0) parents.push_back(place[static_cast<std::size_t>(in.parents[i])] - start);
      }
    const Tensor own = relatives.index_select(0, tensor(bones));
    above = level == 0 ? own : above.index_select(0, tensor(parents)).bmm(own);
    levels.push_back(above);
  }
  return cat(levels).index_select(0, tensor(place)).bmm(in.inverses);
}

/// The vertices' positions (V, 22, 4), each weighted for every bone: of all vertices, or only of
/// the corners where these are fewer.
Tensor weighted(const Hand& in, bool only_corners) {
  const auto of = [&](const Tensor& all) {
    return only_corners ? all.index_select(0, in.corners) : all;
  };
  return (of(in.weights).unsqueeze(2) * of(in.positions).unsqueeze(1)).flatten(1);
}

/// Where the corners of each point are, (N, 1 or 3, 3).
Tensor corners(const Hand& in, const Tensor& weighted, const Tensor& theta, bool is_small) {
  static const Tensor places = pose_places();
  const Tensor constants = tensor({0.0, 1.0}, dtype(kFloat64));
  const Tensor pose = cat({theta, constants}).index_select(0, places).view({-1, 3});
  Tensor bones = transforms(in, pose.narrow(0, 3, kBones)).narrow(1, 0, 3).transpose(1, 2);
  bones = bones.reshape({4 * kBones, 3});
  if (in.is_mirrored) bones = bones * tensor({-1.0, 1.0, 1.0}, dtype(kFloat64));
  const Tensor global = rotation_about(pose[0], is_small) * pose[1];
  const Tensor positions = addmm(pose[2], weighted, bones.mm(global.t()));
  const bool has_all = weighted.size(0) != in.corners.size(0);
  return (has_all ? positions.index_select(0, in.corners) : positions)
      .view({in.points.size(0), -1, 3});
}

/// The errors (N, 3) with barycentric coordinates u (N, 2) of the corners, if there are any.
Tensor errors(const Hand& in, const Tensor& corners, const Tensor& u) {
  if (!u.defined()) return in.points - corners.squeeze(1);
  const Tensor all = cat({u, 1 - u.sum({1}, true)}, 1);
  return in.points - (all.unsqueeze(2) * corners).sum(1);
}

struct Prepared {
  explicit Prepared(const Hand& in)
      : only_corners(in.corners.size(0) < in.positions.size(0)),
        base(weighted(in, only_corners)),
        is_small(in.theta.narrow(0, 0, 3).norm().item<double>() < 1e-4) {}
  bool only_corners;
  Tensor base;
  bool is_small;
};

Tensor objective(const Hand& in) {
  const Prepared made(in);
  return errors(in, corners(in, made.base, in.theta, made.is_small), in.barycentric).flatten();
}

/// By theta; before it, where there are any, each error by the coordinates of its own point: the
/// slope as those of all points grow together.
Tensor jacobian(const Hand& in) {
  namespace functional = autograd::functional;
  const Prepared made(in);
  const Tensor by_theta = functional::jacobian(
      [&](const Tensor& theta) {
        return errors(in, corners(in, made.base, theta, made.is_small), in.barycentric).flatten();
      },
      in.theta, {.strategy = functional::Strategy::Forward, .vectorize = true});
  if (!in.barycentric.defined()) return by_theta;
  const Tensor still = corners(in, made.base, in.theta, made.is_small);
  std::vector<Tensor> columns;
  for (int64_t i = 0; i < 2; ++i) {
    const Tensor direction = zeros_like(in.barycentric);
    direction.select(1, i).fill_(1.0);
    const auto of_u = [&](const Tensor& u) { return errors(in, still, u); };
    columns.push_back(
        functional::jvp(of_u, in.barycentric, direction).product.flatten().unsqueeze(1));
  }
  columns.push_back(by_theta);
  return cat(columns, 1);
}

int main(int count, char** arguments) {
  const auto on = [](Tensor (*f)(const Hand& in)) {
    return [f](const Json& input) {
      const Hand in(input);
      return to_json(timed(input, [&] { return f(in); }));
    };
  };
  return run(count, arguments, {{"objective", on(objective)}, {"jacobian", on(jacobian)}});
}
