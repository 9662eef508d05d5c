// Numbers and places as people read them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/tensor/scalar_type.h"
#include "ops/core/device_function.h"

namespace notape::verify {

/// Enough digits to distinguish numbers of `dtype`.
std::string number_text(double value, ScalarType dtype);
std::string number_text(math::Wide value);  ///< rounded to float64
/// "[0, 2]" for a row-major position.
std::string coordinates(const std::vector<int64_t>& sizes, std::size_t position);
/// 1234567 -> "1,234,567"
std::string grouped(int64_t number);
/// "1 operator", "1,234 operators"
std::string counted(int64_t number, std::string_view noun);

}  // namespace notape::verify
