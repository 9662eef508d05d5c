// The saddle of |x|^2 - |y|^2: the least of the greatest, each found by descent.
#include "descent.h"

using namespace gradbench;

Tensor saddle_at(Mode outer, Mode inner, const Tensor& start) {
  const auto f = [](const Tensor& x, const Tensor& y) {
    return x.square().sum() - y.square().sum();
  };
  const Field greatest = [&](const Tensor& x) {
    const auto negative = [&](const Tensor& y) { return -f(x, y); };
    return f(x, descend(inner, negative, start, /*is_inner=*/true));
  };
  const Tensor x = descend(outer, greatest, start, /*is_inner=*/false);
  const auto negative = [&](const Tensor& y) { return -f(x, y); };
  return cat({x, descend(outer, negative, start, /*is_inner=*/false)});
}

int main(int count, char** arguments) {
  std::map<std::string, Function> functions;
  for (const std::string name : {"rr", "rf", "fr", "ff"})
    functions[name] = [name](const Json& input) {
      const Tensor start = to_tensor(input["start"]);
      return to_json(
          timed(input, [&] { return saddle_at(mode_of(name[0]), mode_of(name[1]), start); }));
    };
  return run(count, arguments, functions);
}
