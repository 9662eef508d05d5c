// NpyDict: the header of an .npy file, a Python literal such as
//   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace notape::interchange {

struct NpyDict {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

/// Throws FileError, beginning with `name`, unless exactly these three keys are there.
NpyDict parse_npy_dict(std::string_view text, const std::string& name);

}  // namespace notape::interchange
