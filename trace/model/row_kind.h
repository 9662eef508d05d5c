// The kind of a row, by its category as any dialect since 2021 spells it.
#pragma once
#include <string_view>

namespace notape::trace {

enum class RowKind : unsigned char {
  HostOp,
  HostKernel,  ///< the arithmetic inside an op of the CPU
  Annotation,
  ApiCall,
  Kernel,
  Copy,
  Fill,
  Sync,
  GpuAnnotation,
  Overhead,
  Stack,   ///< a Python frame
  Memory,  ///< an instant event of the caching allocator
  LaunchFlow,
  GradFlow,
  Span,  ///< the profiler's own row
  Unknown,
};

/// Work of the GPU.
inline bool is_gpu_row(RowKind kind) {
  return kind == RowKind::Kernel || kind == RowKind::Copy || kind == RowKind::Fill;
}

/// What figures are made of, and an instant cannot be.
inline bool is_measured(RowKind kind) {
  return kind == RowKind::HostOp || kind == RowKind::HostKernel || kind == RowKind::ApiCall ||
         kind == RowKind::Sync || is_gpu_row(kind);
}

RowKind row_kind(std::string_view category);

/// Today's name of the category; `category` itself if it is unknown.
std::string_view category_today(std::string_view category);

}  // namespace notape::trace
