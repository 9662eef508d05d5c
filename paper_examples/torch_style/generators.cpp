// Generators: handles, states, and what draws from them. The numbers are each library's own, so
// only whether they are equal is printed.
#include <torch/torch.h>

#include <iostream>
#include <mutex>

torch::Tensor drawn_by(at::Generator generator) {  // by value: it goes on all the same
  return torch::randn({5}, generator);
}

void print_equal(const torch::Tensor& a, const torch::Tensor& b) {
  std::cout << torch::equal(a, b);
}

int main() {
  at::Generator generator = at::detail::createCPUGenerator(42);
  at::Generator same_seed = at::make_generator<at::CPUGeneratorImpl>(42);
  std::cout << generator.current_seed() << generator.defined() << at::Generator().defined()
            << (generator == same_seed) << generator.device() << "\n";
  const torch::Tensor first = drawn_by(generator), second = drawn_by(generator);
  print_equal(first, second);
  print_equal(first, drawn_by(same_seed));
  print_equal(second, drawn_by(same_seed));
  std::cout << "\n";

  const torch::Tensor state = generator.get_state();
  std::cout << state.scalar_type() << state.dim() << "\n";
  const torch::Tensor third = drawn_by(generator);
  {
    std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_state(state);
  }
  print_equal(third, drawn_by(generator));
  same_seed.set_state(state);
  print_equal(third, drawn_by(same_seed));
  print_equal(drawn_by(generator.clone()), drawn_by(generator));
  std::cout << "\n";

  generator.set_current_seed(42);
  print_equal(first, drawn_by(generator));
  torch::manual_seed(42);
  print_equal(first, torch::randn({5}));
  const torch::Tensor of_default = at::detail::getDefaultCPUGenerator().get_state();
  const torch::Tensor next = torch::rand({3});
  at::Generator the_default = at::globalContext().defaultGenerator(torch::kCPU);
  the_default.set_state(of_default);
  print_equal(next, torch::rand({3}));
  std::cout << "\n";

  const torch::Tensor weights = torch::full({20}, 0.5);
  const auto draw_all = [&](at::Generator g) {
    torch::Tensor x = torch::zeros({20});
    std::vector<torch::Tensor> all = {torch::rand({3}, g),
                                      torch::rand({3}, g, torch::kDouble),
                                      torch::randint(100, {9}, g),
                                      torch::randint(-5, 100, {9}, g),
                                      torch::randperm(20, g),
                                      at::normal(0.0, weights, g),
                                      at::normal(weights, 1.0, g),
                                      at::normal(weights, weights, g),
                                      torch::normal(0.0, 2.0, {4}, g),
                                      torch::bernoulli(weights, g),
                                      weights.bernoulli(0.25, g),
                                      weights.multinomial(5, false, g),
                                      torch::rrelu(-weights, 0.1, 0.9, true, g)};
    all.push_back(x.uniform_(0, 1, g).clone());
    all.push_back(x.normal_(0, 1, g).clone());
    all.push_back(x.exponential_(1, g).clone());
    all.push_back(x.random_(g).clone());
    all.push_back(x.random_(10, g).clone());
    all.push_back(x.bernoulli_(0.5, g).clone());
    all.push_back(x.bernoulli_(weights, g).clone());
    return all;
  };
  const auto once = draw_all(at::detail::createCPUGenerator(1));
  const auto again = draw_all(at::detail::createCPUGenerator(1));
  for (std::size_t i = 0; i < once.size(); ++i) print_equal(once[i], again[i]);
  std::cout << "\n";

  for (const torch::Tensor& no_state : {torch::zeros({4}), torch::zeros({4}, torch::kByte)}) {
    try {
      generator.set_state(no_state);
      std::cout << "taken\n";
    } catch (const c10::Error&) {
      std::cout << "refused\n";
    }
  }
}
