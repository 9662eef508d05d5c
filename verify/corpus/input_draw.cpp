#include "verify/corpus/input_draw.h"

#include <algorithm>
#include <cmath>

#include "verify/generate/values.h"

namespace notape::verify::corpus {

InputDraw::InputDraw(std::string_view name, uint64_t seed) : state_(seed) {
  for (const char letter : name) {
    state_ ^= static_cast<unsigned char>(letter);
    next();
  }
}

uint64_t InputDraw::next() {  // SplitMix64: Steele, Lea, Flood 2014
  uint64_t z = state_ += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  state_ = state_ ^ (z << 1);
  return z ^ (z >> 31);
}

double InputDraw::unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

int64_t InputDraw::integer(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(unit() * static_cast<double>(high - low + 1));
}

template <typename F>
Tensor InputDraw::leaf(const std::vector<int64_t>& sizes, const F& value) {
  Numbers values(static_cast<std::size_t>(numel_of(sizes)));
  for (double& one : values) one = value();
  return make_tensor(values, sizes, kFloat64).requires_grad_(true);
}

Tensor InputDraw::uniform(const std::vector<int64_t>& sizes, double low, double high) {
  return leaf(sizes, [&] { return number(low, high); });
}

Tensor InputDraw::magnitudes(const std::vector<int64_t>& sizes, double low, double high) {
  return leaf(sizes, [&] { return std::exp2(number(std::log2(low), std::log2(high))); });
}

Tensor InputDraw::signed_magnitudes(const std::vector<int64_t>& sizes, double low, double high) {
  return leaf(sizes, [&] {
    const double size = std::exp2(number(std::log2(low), std::log2(high)));
    return unit() < 0.5 ? size : -size;
  });
}

Tensor InputDraw::off_kinks(const std::vector<int64_t>& sizes, double low, double high,
                            const std::vector<double>& kinks, double distance) {
  return leaf(sizes, [&] {
    for (;;) {
      const double value = number(low, high);
      if (std::none_of(kinks.begin(), kinks.end(),
                       [&](double kink) { return std::abs(value - kink) < distance; }))
        return value;
    }
  });
}

Tensor InputDraw::whole(const std::vector<int64_t>& sizes, int64_t low, int64_t high) {
  return leaf(sizes, [&] { return static_cast<double>(integer(low, high)); });
}

Tensor InputDraw::indices(const std::vector<int64_t>& sizes, int64_t end) {
  return leaf(sizes, [&] { return static_cast<double>(integer(0, end - 1)); }).detach().to(kInt64);
}

Tensor InputDraw::bits(const std::vector<int64_t>& sizes) {
  return constant(leaf(sizes, [&] { return unit() < 0.5 ? 0.0 : 1.0; }));
}

Tensor constant(const Tensor& tensor) { return tensor.detach(); }

namespace {

template <typename... Rest>
Undrawn undrawn(Tensor (InputDraw::*method)(const std::vector<int64_t>&, Rest...),
                std::vector<int64_t> sizes, std::decay_t<Rest>... rest) {
  return [=](InputDraw& draw) { return (draw.*method)(sizes, rest...); };
}

}  // namespace

Undrawn uniform(std::vector<int64_t> sizes, double low, double high) {
  return undrawn(&InputDraw::uniform, std::move(sizes), low, high);
}
Undrawn magnitudes(std::vector<int64_t> sizes, double low, double high) {
  return undrawn(&InputDraw::magnitudes, std::move(sizes), low, high);
}
Undrawn signed_magnitudes(std::vector<int64_t> sizes, double low, double high) {
  return undrawn(&InputDraw::signed_magnitudes, std::move(sizes), low, high);
}
Undrawn off_kinks(std::vector<int64_t> sizes, double low, double high, std::vector<double> kinks) {
  return [=](InputDraw& draw) { return draw.off_kinks(sizes, low, high, kinks); };
}
Undrawn whole(std::vector<int64_t> sizes, int64_t low, int64_t high) {
  return undrawn(&InputDraw::whole, std::move(sizes), low, high);
}
Undrawn indices(std::vector<int64_t> sizes, int64_t end) {
  return undrawn(&InputDraw::indices, std::move(sizes), end);
}
Undrawn bits(std::vector<int64_t> sizes) { return undrawn(&InputDraw::bits, std::move(sizes)); }

std::function<variable_list(InputDraw&)> drawn(std::vector<Undrawn> inputs) {
  return [inputs = std::move(inputs)](InputDraw& draw) {
    variable_list x;
    for (const Undrawn& one : inputs) x.push_back(one(draw));
    return x;
  };
}

}  // namespace notape::verify::corpus
