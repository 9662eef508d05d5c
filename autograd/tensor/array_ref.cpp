#include "autograd/tensor/array_ref.h"

namespace notape {

std::string to_string(IntArrayRef list) {
  std::string text = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i) text += ", ";
    text += std::to_string(list[i]);
  }
  return text + "]";
}

}  // namespace notape
