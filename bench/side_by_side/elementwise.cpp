// Large tensors, entry by entry.
#include "bench/side_by_side/cases.h"

namespace side {
namespace {

void add_of_size(std::vector<Case>& cases, int64_t size, const std::string& label) {
  const Tensor x = leaf({size}), y = leaf({size});
  add_pair(cases, "add " + label, [=] { return x + y; });
  add_pair(cases, "mul " + label, [=] { return x * y; });
  add_pair(cases, "div " + label, [=] { return x / y; });
  add_pair(cases, "relu " + label, [=] { return x.relu(); });
  add_pair(cases, "exp " + label, [=] { return x.exp(); });
  add_pair(cases, "log " + label, [=] { return x.log(); });
  add_pair(cases, "tanh " + label, [=] { return x.tanh(); });
  add_pair(cases, "sigmoid " + label, [=] { return x.sigmoid(); });
  add_pair(cases, "erf " + label, [=] { return x.erf(); });
  add_pair(cases, "sin " + label, [=] { return x.sin(); });
  add_pair(cases, "pow 2.5 " + label, [=] { return x.pow(2.5); });
  add_pair(cases, "pow tensor " + label, [=] { return x.pow(y); });
  add_pair(cases, "gelu " + label, [=] { return library::gelu(x); });
}

}  // namespace

void add_elementwise(std::vector<Case>& cases) {
  add_of_size(cases, 1 << 16, "64k");
  add_of_size(cases, 1 << 20, "1M");
  const Tensor m = leaf({1024, 1024}), row = leaf({1024}), column = leaf({1024, 1});
  add_pair(cases, "add a row to 1M", [=] { return m + row; });
  add_pair(cases, "add a column to 1M", [=] { return m + column; });
  cases.push_back({"randn 1M", [] { library::randn({1024, 1024}); }});
  const Tensor chosen = library::rand({1024, 1024}) > 0.5;
  add_pair(cases, "where 1M", [=] { return library::where(chosen, m, column); });
}

}  // namespace side
