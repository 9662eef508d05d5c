// Tensors that go out of scope.
#include <fmt/format.h>

#include "verify/alias/executor.h"

namespace notape::verify::alias {

Drop Drop::propose(Draws&, Slot a) { return {a}; }

Expectation Drop::expect(const Oracle&, bool) const { return {}; }

void Drop::apply(Oracle& oracle, bool) const { oracle.set(a, Alias()); }

void Drop::run(Executor& executor) const { executor.held(a).reset(); }

std::string Drop::text() const { return fmt::format("t{}.reset();", a); }

}  // namespace notape::verify::alias
