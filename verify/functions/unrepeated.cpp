#include "verify/unrepeated.h"

namespace notape::verify {
namespace {

thread_local int depth = 0;

}  // namespace

Unrepeated::Unrepeated() { ++depth; }
Unrepeated::~Unrepeated() { --depth; }
bool Unrepeated::is_on() { return depth > 0; }

}  // namespace notape::verify
