// log sum exp(x). The largest element, which is subtracted, changes nothing, so it has no gradient.
#include "gradbench.h"

using namespace gradbench;

Tensor log_sum_exp(const Tensor& x) {
  const Tensor largest = x.detach().amax();
  return largest + (x - largest).exp().sum().log();
}

int main(int count, char** arguments) {
  return run(count, arguments,
             {{"primal",
               [](const Json& input) {
                 const Tensor x = to_tensor(input["x"]);
                 return to_json(timed(input, [&] { return log_sum_exp(x); }));
               }},
              {"gradient", [](const Json& input) {
                 const Tensor x = leaf(to_tensor(input["x"]));
                 return to_json(timed(input, [&] { return gradient(log_sum_exp(x), x); }));
               }}});
}
