#include "autograd/integer.h"

#include "autograd/error.h"

namespace notape {

void Integer::throw_does_not_fit() {
  throw ValueError("value cannot be converted to type int64_t without overflow");
}

}  // namespace notape
