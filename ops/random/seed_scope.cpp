#include "autograd/tensor/generator.h"
#include "ops/random/draw_mask.h"

namespace notape {

struct SeedScope::State {
  GeneratorScope scope;
};

SeedScope::SeedScope(uint64_t seed) : state_(new State{GeneratorScope(Generator(seed))}) {}
SeedScope::~SeedScope() = default;

}  // namespace notape
