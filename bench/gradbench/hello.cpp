// The square of a number, and its derivative.
#include "gradbench.h"

using namespace gradbench;

int main(int count, char** arguments) {
  const auto square = [](const Tensor& x) { return x * x; };
  return run(count, arguments,
             {{"square",
               [&](const Json& input) {
                 return to_json(timed(input, [&] { return square(to_tensor(input)); }));
               }},
              {"double", [&](const Json& input) {
                 return to_json(timed(input, [&] {
                   const Tensor x = leaf(to_tensor(input));
                   return gradient(square(x), x);
                 }));
               }}});
}
