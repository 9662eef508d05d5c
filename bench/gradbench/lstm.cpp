// A sequence through layers of LSTM whose weights are diagonal. Layer i reads character s - i in
// step s: so all layers take a step at a time.
#include "gradbench.h"

using namespace gradbench;

/// main (2 layers, 4 bits), extra (3, bits), state (2 layers, bits), sequence (characters, bits)
Tensor objective(const Tensor& main, const Tensor& extra, const Tensor& state,
                 const Tensor& sequence) {
  const int64_t layers = main.size(0) / 2, bits = main.size(1) / 4, steps = sequence.size(0) - 1;
  std::vector<Tensor> gates;  // weights of forget, in, out, change, then their biases
  for (const Tensor& gate : main.view({layers, 8, bits}).unbind(1))
    gates.push_back(gate.contiguous());
  const std::vector<Tensor> states = state.view({layers, 2, bits}).unbind(1);
  Tensor hidden = states[0].contiguous(), cell = states[1].contiguous();
  const std::vector<Tensor> inputs = (sequence * extra[0]).split(1);
  std::vector<Tensor> last;
  for (int64_t step = 0; step < steps + layers - 1; ++step) {
    // Not all layers run in the first steps and in the last.
    const int64_t from = std::max<int64_t>(0, step - steps + 1), end = std::min(layers, step + 1);
    const auto running = [&](const Tensor& all) {
      return end - from == layers ? all : all.narrow(0, from, end - from);
    };
    const auto gate = [&](const Tensor& input, std::size_t which) {
      return addcmul(running(gates[which + 4]), input, running(gates[which]));
    };
    const Tensor below =
        from > 0 ? hidden.narrow(0, from - 1, end - from)
                 : cat({inputs[static_cast<std::size_t>(step)], hidden.narrow(0, 0, end - 1)});
    const Tensor own = running(hidden);
    const Tensor z = addcmul(running(cell) * gate(below, 0).sigmoid(), gate(own, 1).sigmoid(),
                             gate(own, 3).tanh());
    const Tensor h = gate(below, 2).sigmoid() * z.tanh();
    const auto replaced = [&](const Tensor& all, const Tensor& part) {
      if (end - from == layers) return part;
      return cat({all.narrow(0, 0, from), part, all.narrow(0, end, layers - end)});
    };
    hidden = replaced(hidden, h);
    cell = replaced(cell, z);
    if (end == layers) last.push_back(hidden.narrow(0, layers - 1, 1));
  }
  const Tensor y = addcmul(extra[2], cat(last), extra[1]), next = sequence.narrow(0, 1, steps);
  const Tensor total = (next * (y - (y.exp().sum({1}, true) + 2).log())).sum();
  return total / (-1.0 * static_cast<double>(steps * bits));
}

struct Inputs {
  explicit Inputs(const Json& input)
      : main(to_tensor(input["main_params"])),
        extra(to_tensor(input["extra_params"])),
        state(to_tensor(input["state"])),
        sequence(to_tensor(input["sequence"])) {}
  Tensor main, extra, state, sequence;
};

int main(int count, char** arguments) {
  return run(count, arguments,
             {{"objective",
               [](const Json& input) {
                 const Inputs in(input);
                 return to_json(timed(
                     input, [&] { return objective(in.main, in.extra, in.state, in.sequence); }));
               }},
              {"jacobian", [](const Json& input) {
                 const Inputs in(input);
                 return to_json(timed(input, [&] {
                   const Tensor main = leaf(in.main), extra = leaf(in.extra);
                   const std::vector<Tensor> by = autograd::grad(
                       {objective(main, extra, in.state, in.sequence)}, {main, extra});
                   return cat({by[0].flatten(), by[1].flatten()});
                 }));
               }}});
}
