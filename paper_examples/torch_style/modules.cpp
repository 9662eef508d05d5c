// torch::nn and torch::optim: modules of LibTorch's and of one's own, trained with optimizers.
#include <torch/torch.h>

#include <cmath>
#include <iostream>

struct NetImpl : torch::nn::Module {
  NetImpl()
      : conv(torch::nn::Conv2dOptions(1, 3, /*kernel_size=*/3).stride(2).padding(1)),
        norm(3),
        fc1(12, 8) {
    register_module("conv", conv);
    register_module("norm", norm);
    register_module("drop", drop);
    register_module("fc1", fc1);
    fc2 = register_module("fc2", torch::nn::Linear(torch::nn::LinearOptions(8, 2).bias(false)));
    scale = register_parameter("scale", torch::full({2}, 0.5));
    register_buffer("seen", torch::zeros({1}));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(norm->forward(conv->forward(x)));
    x = drop(x.flatten(1));
    x = torch::tanh(fc1(x));
    return torch::log_softmax(fc2->forward(x) * scale, /*dim=*/1);
  }
  torch::nn::Conv2d conv;
  torch::nn::BatchNorm2d norm;
  torch::nn::Dropout drop;
  torch::nn::Linear fc1, fc2{nullptr};
  torch::Tensor scale;
};
TORCH_MODULE(Net);

/// The same numbers for every library.
void fill(torch::nn::Module& module) {
  torch::NoGradGuard no_grad;
  double seed = 0;
  for (auto& pair : module.named_parameters()) {
    torch::Tensor& parameter = pair.value();
    auto numbers = torch::arange(parameter.numel(), torch::kFloat64) * 0.37 + seed;
    parameter.copy_(numbers.sin().mul(0.4).view(parameter.sizes()));
    seed += 1;
  }
}

template <typename Optimizer>
void train(const char* name, Net& net, Optimizer& optimizer) {
  fill(*net);
  net->train();
  net->drop->eval();
  auto images = (torch::arange(6 * 16, torch::kFloat64) * 0.11).cos().to(torch::kFloat32);
  images = images.view({6, 1, 4, 4});
  auto classes = torch::tensor({0, 1, 0, 1, 1, 0}, torch::kInt64);
  torch::Tensor loss;
  for (int step = 0; step < 5; ++step) {
    optimizer.zero_grad();
    loss = torch::nll_loss(net->forward(images), classes);
    loss.backward();
    torch::nn::utils::clip_grad_norm_(net->parameters(), 0.5);
    optimizer.step();
  }
  std::cout << name << " " << std::round(loss.item<double>() * 1e4) / 1e4 << "\n";
}

int main() {
  Net net;
  for (const auto& pair : net->named_parameters())
    std::cout << pair.key() << pair.value().sizes() << " ";
  std::cout << "\n";
  for (const auto& pair : net->named_buffers()) std::cout << pair.key() << " ";
  std::cout << "\n"
            << net->children().size() << " " << net->modules().size() << " "
            << net->modules(/*include_self=*/false).size() << "\n";
  for (const auto& module : net->modules(false))
    if (auto* linear = module->as<torch::nn::Linear>())
      std::cout << linear->options.in_features() << " -> " << linear->options.out_features()
                << "\n";

  torch::optim::SGD sgd(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  train("sgd", net, sgd);
  torch::optim::Adam adam(net->parameters(), torch::optim::AdamOptions(0.05).betas({0.8, 0.99}));
  train("adam", net, adam);
  torch::optim::AdamW adamw(net->parameters(), torch::optim::AdamWOptions(0.05));
  train("adamw", net, adamw);
  torch::optim::RMSprop rmsprop(net->parameters(), torch::optim::RMSpropOptions(0.01));
  train("rmsprop", net, rmsprop);
  torch::optim::Adagrad adagrad(net->parameters(), torch::optim::AdagradOptions(0.05));
  train("adagrad", net, adagrad);
  for (auto& group : adagrad.param_groups())
    static_cast<torch::optim::AdagradOptions&>(group.options()).lr(0.01);
  std::cout << static_cast<torch::optim::AdagradOptions&>(adagrad.param_groups()[0].options()).lr()
            << "\n";

  net->eval();
  std::cout << net->is_training() << net->norm->is_training() << "\n";
  net->to(torch::kFloat64);
  std::cout << (net->parameters()[0].dtype() == torch::kFloat64) << "\n";

  torch::nn::Sequential sequential(torch::nn::Linear(3, 4), torch::nn::ReLU(),
                                   torch::nn::Linear(4, 1));
  sequential->push_back("last", torch::nn::Tanh());
  fill(*sequential);
  std::cout << sequential->forward(torch::ones({2, 3})) << "\n";

  torch::nn::LSTM lstm(torch::nn::LSTMOptions(2, 3).num_layers(2).batch_first(true));
  fill(*lstm);
  auto result = lstm->forward(torch::ones({1, 2, 2}));
  std::cout << std::get<0>(result) << "\n" << std::get<1>(std::get<1>(result)).sizes() << "\n";

  torch::nn::CrossEntropyLoss loss(
      torch::nn::CrossEntropyLossOptions().reduction(torch::kSum).label_smoothing(0.1));
  std::cout << loss(torch::eye(3), torch::tensor({0, 1, 1}, torch::kInt64)) << "\n";
  auto weight = torch::empty({3, 3});
  torch::nn::init::constant_(weight, 0.25);
  torch::nn::init::eye_(weight);
  std::cout << weight << "\n" << torch::nn::init::calculate_gain(torch::kTanh) << "\n";
}
