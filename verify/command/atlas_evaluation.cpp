#include "verify/command/atlas_evaluation.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "autograd/autograd.h"
#include "verify/checks/outcome.h"
#include "verify/numeric/tolerance.h"
#include "verify/processes/interruption.h"

namespace notape::verify::atlas {
namespace {

/// In double as in float32: what a row states must be met to so many units in the last place.
constexpr double kUnits = 4;

constexpr Layout kLayouts[] = {{Layout::Kind::Contiguous},  {Layout::Kind::Offset, 3},
                               {Layout::Kind::Permuted, 1}, {Layout::Kind::Slice, 1},
                               {Layout::Kind::Step, 2},     {Layout::Kind::SlicedPermuted, 1}};

bool is_pointwise(const Row& row) { return row.kind == Kind::Pointwise; }

/// Points are laid out twice, in a matrix, so that it has permuted layouts.
Numbers doubled(const Numbers& numbers) {
  Numbers result = numbers;
  result.insert(result.end(), numbers.begin(), numbers.end());
  return result;
}
Numbers as_evaluated(const Row& row, const Numbers& stated) {
  return is_pointwise(row) ? doubled(stated) : stated;
}
std::vector<int64_t> sizes_of(const Row& row) {
  return is_pointwise(row) ? std::vector<int64_t>{2, row.sizes[0]} : row.sizes;
}

Tensor tensor_of(const Row& row, const Numbers& numbers, ScalarType dtype, Device device,
                 const Layout& layout) {
  return make_tensor(as_evaluated(row, numbers), sizes_of(row), dtype, device, layout);
}

/// J (1, ..., 1), at once for a function of each point alone, else the sum of the results' changes
/// with each entry.
Numbers forward(const Row& row, const Spelling& spelling, const Tensor& x, ScalarType dtype,
                Device device) {
  namespace forward_ad = autograd::forward_ad;
  const auto tangent_along = [&](const Numbers& direction) -> Numbers {
    const NoGradGuard no_grad;
    const forward_ad::DualLevelGuard level;
    const Tensor u = make_tensor(direction, sizes_of(row), dtype, device);
    const auto dual = forward_ad::unpack_dual(spelling.call(forward_ad::make_dual(x, u)));
    if (!dual.tangent.defined()) return Numbers(static_cast<std::size_t>(dual.primal.numel()), 0);
    return numbers_of(dual.tangent);
  };
  const auto entries = static_cast<std::size_t>(x.numel());
  if (is_pointwise(row)) return tangent_along(Numbers(entries, 1));
  Numbers result;
  for (std::size_t i = 0; i < entries; ++i) {
    Numbers direction(entries, 0);
    direction[i] = 1;
    double sum = 0;
    for (double change : tangent_along(direction)) sum += change;
    result.push_back(sum);
  }
  return result;
}

void differentiate(const Row& row, const Spelling& spelling, const Tensor& x, Evaluation& result) {
  const Tensor leaf = x.detach().requires_grad_();
  Tensor y = spelling.call(leaf);
  result.value = numbers_of(y);
  for (std::size_t order = 0; order < row.derivatives.size(); ++order) {
    if (y.defined() && y.requires_grad())
      y = autograd::grad({y}, {leaf}, {ones_like(y)}, true, true, true)[0];
    else
      y = Tensor();
    if (order == 0 && !y.defined() && x.numel() == 0)
      result.problem = "no gradient, not even one without entries";
    if (y.defined() && !(y.sizes() == x.sizes())) result.problem = "a gradient of the wrong shape";
    result.derivatives.push_back(y.defined() ? numbers_of(y)
                                             : Numbers(static_cast<std::size_t>(x.numel()), 0));
  }
}

/// Equal to the bit, but zeros of both signs are equal, and all NaN.
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }
bool same(const Numbers& a, const Numbers& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return same(x, y); });
}
bool near(const Numbers& stated, const Numbers& got, ScalarType dtype) {
  return std::equal(stated.begin(), stated.end(), got.begin(), got.end(), [=](double s, double g) {
    s = round_to(s, dtype);
    return same(s, g) || ulps_between(s, g, dtype) <= kUnits;
  });
}

std::string text_of(const Numbers& numbers, ScalarType dtype) {
  std::string text = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + number_text(numbers[i], dtype);
  return text + "]";
}

using Compare = std::function<void(const std::string& what, const Numbers&, const Numbers&)>;

/// Everything an evaluation and a row or another evaluation have in common.
void compare_all(const Evaluation& a, const Evaluation& b, const Compare& compare) {
  compare("the value", a.value, b.value);
  if (!a.derivatives.empty()) compare("the forward derivative", a.forward, b.forward);
  for (std::size_t k = 0; k < a.derivatives.size(); ++k)
    compare(k == 0 ? "the gradient" : format_message("derivative {} in reverse", {k + 1}),
            a.derivatives[k], k < b.derivatives.size() ? b.derivatives[k] : Numbers());
}

Evaluation stated(const Row& row) {
  Evaluation result{as_evaluated(row, row.value), {}, {}, {}};
  for (const Numbers& derivative : row.derivatives)
    result.derivatives.push_back(as_evaluated(row, derivative));
  if (!result.derivatives.empty()) result.forward = result.derivatives[0];
  return result;
}

void survey_row(const Row& row, Device device, Report& report) {
  const Evaluation wanted = stated(row);
  std::vector<Evaluation> contiguous;
  for (const ScalarType dtype : {kFloat64, kFloat32})
    for (const Layout& layout : kLayouts) {
      std::vector<Evaluation> all;
      for (const Spelling& spelling : row.spellings) {
        const std::string where =
            format_message("{} in {}, layout {}: ",
                           {spelling.name, name_of(dtype),
                            describe(tensor_of(row, row.x, dtype, device, layout), layout)});
        all.push_back(evaluate(row, spelling, dtype, device, layout));
        const Evaluation& one = all.back();
        if (!one.problem.empty()) report.findings.push_back({&row, where + one.problem});
        const auto demand = [&](bool fine, const std::string& what, const Numbers& expected,
                                const Numbers& got, const std::string& of) {
          ++report.comparisons;
          if (!fine)
            report.findings.push_back(
                {&row, where + format_message("{} is {}, {} {}", {what, text_of(got, dtype), of,
                                                                  text_of(expected, dtype)})});
        };
        compare_all(wanted, one, [&](const std::string& what, const Numbers& a, const Numbers& b) {
          demand(near(a, b, dtype), what, a, b, "the row states");
        });
        compare_all(all.front(), one,
                    [&](const std::string& what, const Numbers& a, const Numbers& b) {
                      demand(same(a, b), what, a, b, std::string(row.spellings[0].name) + " has");
                    });
        if (layout.kind != Layout::Kind::Contiguous)
          compare_all(contiguous[all.size() - 1], one,
                      [&](const std::string& what, const Numbers& a, const Numbers& b) {
                        demand(same(a, b), what, a, b, "contiguous it has");
                      });
      }
      if (layout.kind == Layout::Kind::Contiguous) contiguous = all;
      if (dtype == kFloat64 && layout.kind == Layout::Kind::Contiguous)
        report.table.emplace_back(&row, all.front());
    }
}

}  // namespace

Evaluation evaluate(const Row& row, const Spelling& spelling, ScalarType dtype, Device device,
                    const Layout& layout) {
  Evaluation result;
  try {
    const Tensor x = tensor_of(row, row.x, dtype, device, layout);
    differentiate(row, spelling, x, result);
    result.forward = forward(row, spelling, x, dtype, device);
  } catch (const std::exception& error) {
    result.problem = error.what();
  }
  return result;
}

Report survey(const std::vector<const Row*>& wanted, Device device) {
  Report report;
  std::size_t surveyed = 0;
  for (const Row* row : wanted) {
    if (Interruption::requested()) break;
    survey_row(*row, device, report);
    ++surveyed;
  }
  if (surveyed < wanted.size())
    report.interrupted = format_message("{} after {} of {} functions",
                                        {Interruption::name(), surveyed, wanted.size()});
  return report;
}

}  // namespace notape::verify::atlas
