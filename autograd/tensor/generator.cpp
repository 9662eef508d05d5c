#include "autograd/tensor/generator.h"

#include <cmath>
#include <cstring>
#include <numbers>
#include <random>

#include "autograd/error.h"
#include "autograd/tensor/draw_watch.h"
#include "autograd/tensor/factories.h"
#include "autograd/tensor/philox.h"

namespace notape {
namespace {

// What get_state() gives: which kind of state it is, and the place.
struct StateBytes {
  char kind[8] = {'p', 'h', 'i', 'l', 'o', 'x', '1', '0'};
  uint64_t seed = 0, counter = 0, left = 0;
};

thread_local constinit Generator* in_scope = nullptr;

Generator& generator_of_the_process() {
  static Generator& generator = *new Generator(67280421310721ull);  // outlives all threads
  return generator;
}

}  // namespace

std::array<uint32_t, 4> philox(uint64_t seed, uint64_t counter) { return philox_of(seed, counter); }

void Generator::State::go_to(uint64_t number, uint64_t place) {
  seed.store(number, std::memory_order_relaxed);
  drawn.store(place, std::memory_order_relaxed);
}

/// A block's last word comes first.
uint32_t Generator::State::word(uint64_t place) const {
  return philox(seed.load(std::memory_order_relaxed), place / 4)[3 - place % 4];
}

void Generator::set_current_seed(uint64_t seed) { state_->go_to(seed, 0); }

uint64_t Generator::seed() {
  std::random_device device;
  const uint64_t high = device();
  set_current_seed(high << 32 | device());
  return current_seed();
}

Tensor Generator::get_state() const {
  StateBytes bytes;
  const uint64_t drawn = state_->drawn.load(std::memory_order_relaxed);
  bytes.seed = current_seed();
  bytes.counter = (drawn + 3) / 4;
  bytes.left = 4 * bytes.counter - drawn;
  const Tensor result = empty({sizeof bytes}, kUInt8);
  std::memcpy(result.impl().data(), &bytes, sizeof bytes);
  return result;
}

void Generator::set_state(const Tensor& state) {
  if (state.dtype() != kUInt8)
    throw DtypeError("Generator::set_state: RNG state must be a uint8 tensor, got {}",
                     name_of(state.dtype()));
  if (!state.device().is_cpu())
    throw DeviceError("Generator::set_state: RNG state must be on the CPU, got {}",
                      to_string(state.device()));
  StateBytes bytes, expected;
  if (state.numel() != sizeof bytes || !state.is_contiguous())
    throw ValueError("Generator::set_state: RNG state must be {} contiguous bytes, got size {}",
                     sizeof bytes, to_string(state.sizes()));
  std::memcpy(&bytes, state.impl().data(), sizeof bytes);
  if (std::memcmp(bytes.kind, expected.kind, sizeof bytes.kind) != 0 || bytes.left > 3 ||
      bytes.counter > UINT64_MAX / 4 || (bytes.left > 0 && bytes.counter == 0))
    throw ValueError("Generator::set_state: the bytes are no state of this generator");
  state_->go_to(bytes.seed, 4 * bytes.counter - bytes.left);
}

Generator Generator::clone() const {
  Generator result(current_seed());
  result.copy_state(*this);
  return result;
}

void Generator::copy_state(const Generator& other) {
  state_->go_to(other.current_seed(), other.state_->drawn.load(std::memory_order_relaxed));
}

uint32_t Generator::next32() {
  DrawWatch::note(*this, 1);
  return state_->word(state_->drawn.fetch_add(1, std::memory_order_relaxed));
}

uint64_t Generator::next64() {
  DrawWatch::note(*this, 2);
  const uint64_t place = state_->drawn.fetch_add(2, std::memory_order_relaxed);
  if (place % 4 == 3)
    return static_cast<uint64_t>(state_->word(place)) << 32 | state_->word(place + 1);
  const auto block = philox(current_seed(), place / 4);
  return static_cast<uint64_t>(block[3 - place % 4]) << 32 | block[2 - place % 4];
}

double Generator::normal() {
  const double u = 1.0 - uniform(), v = uniform();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

uint64_t Generator::below(uint64_t bound) {
  const uint64_t limit = bound * (UINT64_MAX / bound);
  uint64_t draw = next64();
  while (draw >= limit) draw = next64();
  return draw % bound;
}

Generator& default_generator() { return in_scope ? *in_scope : generator_of_the_process(); }

constinit thread_local DrawWatch* DrawWatch::innermost_ = nullptr;

DrawWatch::DrawWatch()
    : watched_(default_generator()), at_start_(watched_.clone()), outer_(innermost_) {
  innermost_ = this;
}
DrawWatch::~DrawWatch() { innermost_ = outer_; }

void DrawWatch::note_other(const Generator& generator) {
  for (const auto& [other, before] : others_)
    if (other == generator) return;
  others_.emplace_back(generator, generator.clone());
}

bool DrawWatch::was_disturbed() const {
  const auto place = [](const Generator& generator) {
    return generator.state_->drawn.load(std::memory_order_relaxed);
  };
  return words_ > 0 && watched_.current_seed() == at_start_.current_seed() &&
         place(watched_) > place(at_start_) + words_;
}

void manual_seed(uint64_t seed) { default_generator().set_current_seed(seed); }

GeneratorScope::GeneratorScope(const std::optional<Generator>& generator)
    : generator_(generator.value_or(Generator())), before_(in_scope) {
  if (generator_.defined()) in_scope = &generator_;
}
GeneratorScope::~GeneratorScope() { in_scope = before_; }

}  // namespace notape
