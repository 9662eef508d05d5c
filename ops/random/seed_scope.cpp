#include "autograd/tensor/generator.h"
#include "ops/random/draw_mask.h"

namespace notape {

struct SeedScope::State {
  Generator generator;
};

SeedScope::SeedScope(uint64_t seed) : before_(new State{default_generator().clone()}) {
  manual_seed(seed);
}
SeedScope::~SeedScope() { default_generator().copy_state(before_->generator); }

}  // namespace notape
