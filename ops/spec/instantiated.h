// What nearly every operator's file instantiates, instantiated once (instantiated.cpp). Only builds
// without an optimiser gain by it, those under sanitizers, which see it in their precompiled header
// (ops/CMakeLists.txt); it is no part of what is installed.
#pragma once
#include <string>
#include <vector>

#include "autograd/tensor/tensor.h"
#include "ops/spec/op_spec.h"
#include "ops/spec/plain.h"

#ifndef NOTAPE_INSTANTIATE
#define NOTAPE_INSTANTIATE extern template
#endif

NOTAPE_INSTANTIATE class std::basic_string<char>;  // of C++17 alone in g++ 12's own library
NOTAPE_INSTANTIATE class std::vector<double>;
NOTAPE_INSTANTIATE class std::vector<int64_t>;
NOTAPE_INSTANTIATE class std::vector<std::size_t>;
NOTAPE_INSTANTIATE class std::vector<__float128>;
NOTAPE_INSTANTIATE class std::vector<notape::math::WideDual>;
NOTAPE_INSTANTIATE class std::vector<notape::Tensor>;
NOTAPE_INSTANTIATE class std::vector<notape::Argument>;
NOTAPE_INSTANTIATE struct notape::PlainTensor<double>;
NOTAPE_INSTANTIATE struct notape::PlainTensor<__float128>;
NOTAPE_INSTANTIATE struct notape::PlainTensor<notape::math::WideDual>;
NOTAPE_INSTANTIATE class std::vector<notape::PlainTensor<double>>;
NOTAPE_INSTANTIATE class std::vector<notape::PlainTensor<__float128>>;
NOTAPE_INSTANTIATE class std::vector<notape::PlainTensor<notape::math::WideDual>>;
