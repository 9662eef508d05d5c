// Invocation: the buffers of one call across the C interface (version 2), guarded, and what is
// wrong with them afterwards.
#pragma once
#include <deque>

#include "verify/plugin/foreign_case.h"

namespace notape::verify {

/// A list of buffers as a plugin gets it; empty places have data NULL.
class BufferList {
 public:
  BufferList() = default;
  BufferList(BufferList&&) = default;
  BufferList& operator=(BufferList&&) = default;

  GuardedBuffer& add(GuardedBuffer buffer);
  /// Puts every buffer there; fetch() brings them back.
  void put_on(Device device);
  void fetch();
  /// With sizes, but without data.
  void add_missing(const notape_shape& shape, int32_t dtype);

  std::size_t size() const { return places_.size(); }
  bool has(std::size_t i) const { return places_[i] != nullptr; }
  GuardedBuffer& operator[](std::size_t i) { return *places_[i]; }
  const notape_tensor& seen(std::size_t i) const { return views_[i]; }
  /// Null for an empty list.
  notape_tensor* const* pointers();
  /// The first fault.
  std::string fault() const;

 private:
  std::deque<GuardedBuffer> buffers_;
  std::vector<GuardedBuffer*> places_;
  std::deque<notape_tensor> views_;
  std::vector<notape_tensor*> pointers_;
};

struct Invocation {
  Invocation(const ForeignCase& called, int32_t real, Device where = {})
      : one(called), dtype(real), device(where) {}

  const ForeignCase& one;
  const int32_t dtype;
  const Device device;
  BufferList inputs, outputs, saved, grad_outputs, grad_inputs, tangents, output_tangents;

  /// Calls one of the operator's functions. Throws ForeignOperatorError for a refusal, and for
  /// anything that the buffers show it to have done.
  void run(const char* name, int (*function)(const notape_call* call));
  /// NOTAPE_REAL is the type of the call.
  int32_t type_of(int32_t declared) const { return declared == NOTAPE_REAL ? dtype : declared; }
  /// NOTAPE_FLOAT32 is the type of the call where that is wider.
  int32_t type_of_output(std::size_t k) const {
    const int32_t declared = one.declaration->output_dtype(k);
    const bool is_narrow = dtype == NOTAPE_BFLOAT16 || dtype == NOTAPE_FLOAT16;
    return declared == NOTAPE_FLOAT32 && !is_narrow ? dtype : type_of(declared);
  }
};

}  // namespace notape::verify
