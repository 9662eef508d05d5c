// Whether OpenBLAS shares out a product to threads of its own.
#pragma once

namespace notape::blas {

/// In its scope OpenBLAS computes on the thread that calls it: where one thread is all there may
/// be, or where several of ours call it at a time. It has one setting for all threads; at the end
/// of the last scope the number is back that was there before the first, unless another was set.
class OneThread {
 public:
  explicit OneThread(bool is_wanted = true);
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  bool is_wanted_;
};

}  // namespace notape::blas
