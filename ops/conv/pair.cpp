#include "autograd/error.h"
#include "ops/conv.h"

namespace notape {

Pair::Pair(std::initializer_list<Integer> list) : std::array<int64_t, 2>{} {
  if (list.size() != 1 && list.size() != 2)
    throw ValueError("a size per spatial dimension needs one or two numbers, but got {}",
                     list.size());
  (*this)[0] = *list.begin();
  (*this)[1] = *(list.end() - 1);
}

}  // namespace notape
