// torch::save and torch::load, to files and streams, and files that are none.
#include <torch/torch.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

int main() {
  const std::string path = std::tmpnam(nullptr);
  const torch::Tensor x = torch::arange(6, torch::kFloat64).view({2, 3});
  torch::save(x, path);
  torch::Tensor y;
  torch::load(y, path);
  std::cout << torch::equal(x, y) << y.scalar_type() << y.sizes() << y.requires_grad() << "\n";

  std::stringstream stream;
  torch::save(x.clone().requires_grad_(), stream);
  torch::Tensor z = torch::zeros({1}, torch::kFloat64);
  torch::load(z, stream);  // keeps its own flag
  std::cout << torch::equal(x, z) << z.requires_grad() << "\n";

  std::vector<torch::Tensor> list;
  for (int64_t i = 0; i < 12; ++i) list.push_back(torch::full({i}, i, torch::kInt64));
  torch::save(list, path);
  std::vector<torch::Tensor> loaded = {x};
  torch::load(loaded, path);
  std::cout << loaded.size();
  for (std::size_t i = 0; i < list.size(); ++i) std::cout << torch::equal(list[i], loaded[i + 1]);
  std::cout << "\n";
  std::stringstream list_stream;
  torch::save(list, list_stream);
  std::vector<torch::Tensor> from_stream;
  torch::load(from_stream, list_stream);
  std::cout << from_stream.size() << torch::equal(list[11], from_stream[11]) << "\n";

  std::ostringstream whole;
  torch::save(x, whole);
  for (const std::string& bytes : {std::string(), std::string("no tensor at all"),
                                   whole.str().substr(0, whole.str().size() / 2)}) {
    std::ofstream(path, std::ios::binary) << bytes;
    try {
      torch::load(y, path);
      std::cout << "loaded\n";
    } catch (const c10::Error&) {
      std::cout << "refused\n";
    }
  }
  std::remove(path.c_str());
  try {
    torch::load(y, path);
    std::cout << "loaded\n";
  } catch (const c10::Error&) {
    std::cout << "refused\n";
  }
  std::cout << torch::equal(x, y) << "\n";
}
