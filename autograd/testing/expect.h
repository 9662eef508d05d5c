// What the core's tests share: values as numbers, expected errors, and counters that must return.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <typeinfo>

#include "autograd/autograd.h"
#include "autograd/tensor/tensor_extra.h"

namespace notape::testing {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

/// The elements in row-major order; no graph.
inline std::vector<double> values(const Tensor& tensor) {
  const Geometry& geometry = tensor.impl().geometry();
  std::vector<double> result(static_cast<std::size_t>(geometry.numel()));
  visit_type(tensor.dtype(), [&]<typename T>() {
    const T* data = static_cast<const T*>(tensor.impl().storage()->data());
    for (std::size_t i = 0; i < result.size(); ++i) {
      auto rest = static_cast<int64_t>(i);
      int64_t at = geometry.offset();
      for (int d = geometry.dim(); d-- > 0; rest /= geometry.size(d))
        at += rest % geometry.size(d) * geometry.stride(d);
      result[i] = static_cast<double>(data[at]);
    }
  });
  return result;
}

/// A float64 leaf that requires grad.
inline Tensor leaf(const NestedNumbers& numbers) {
  return tensor(numbers, dtype(kFloat64).requires_grad(true));
}
/// A float64 tensor that does not.
inline Tensor constant(const NestedNumbers& numbers) { return tensor(numbers, dtype(kFloat64)); }
/// A float64 leaf 1, 2, ..., n.
inline Tensor counting_leaf(int64_t n) {
  return arange(1, n + 1, dtype(kFloat64).requires_grad(true));
}

inline void expect_values(const Tensor& tensor, const std::vector<double>& expected,
                          double tolerance = 0,
                          std::source_location at = std::source_location::current()) {
  const ::testing::ScopedTrace trace(at.file_name(), static_cast<int>(at.line()), "expect_values");
  ASSERT_TRUE(tensor.defined());
  EXPECT_THAT(values(tensor), Pointwise(::testing::DoubleNear(tolerance), expected));
}

/// `program` must throw exactly E, with `fragment` in its message.
template <typename E, typename F>
void expect_error(std::string_view fragment, F&& program,
                  std::source_location at = std::source_location::current()) {
  const ::testing::ScopedTrace trace(at.file_name(), static_cast<int>(at.line()), "expect_error");
  try {
    program();
  } catch (const E& error) {
    EXPECT_THAT(error.what(), HasSubstr(std::string(fragment)));
    EXPECT_TRUE(typeid(error) == typeid(E)) << "a class derived from it: " << error.kind();
    return;
  } catch (const std::exception& error) {
    FAIL() << "another class: " << error.what();
  }
  FAIL() << "nothing was thrown; expected: " << fragment;
}

/// Everything alive now must be all that is alive when the scope ends.
class NothingLeaks {
 public:
  NothingLeaks() : before_(counters()) {}
  ~NothingLeaks() {
    const Counters now = counters();
    EXPECT_EQ(now.live_tensors, before_.live_tensors);
    EXPECT_EQ(now.live_nodes, before_.live_nodes);
    EXPECT_EQ(now.live_storages, before_.live_storages);
    EXPECT_EQ(now.live_bytes, before_.live_bytes);
    EXPECT_EQ(now.saved_bytes, before_.saved_bytes);
  }

 private:
  Counters before_;
};

/// What an error with state S must leave as it was.
class Unchanged {
 public:
  explicit Unchanged(std::vector<Tensor> tensors) : tensors_(std::move(tensors)) {
    for (const Tensor& t : tensors_) before_.push_back(state_of(t));
  }
  void check(std::source_location at = std::source_location::current()) const {
    const ::testing::ScopedTrace trace(at.file_name(), static_cast<int>(at.line()), "Unchanged");
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      const State now = state_of(tensors_[i]);
      EXPECT_EQ(now.values, before_[i].values) << "values of tensor " << i;
      EXPECT_EQ(now.version, before_[i].version) << "version of tensor " << i;
      EXPECT_EQ(now.flags, before_[i].flags) << "flags of tensor " << i;
      EXPECT_EQ(now.history, before_[i].history) << "history of tensor " << i;
      EXPECT_EQ(now.gradient, before_[i].gradient) << "gradient of tensor " << i;
      EXPECT_EQ(now.strides, before_[i].strides) << "strides of tensor " << i;
    }
  }

 private:
  struct State {
    std::vector<double> values;
    uint64_t version;
    uint16_t flags;
    NodeRef history;
    std::vector<double> gradient;
    std::vector<int64_t> strides;
  };
  static State state_of(const Tensor& t) {
    const TensorImpl& impl = t.impl();
    const bool has_grad = impl.extra() && impl.extra()->grad.defined();
    return {notape::testing::values(t),
            t._version(),
            impl.flags(),
            impl.history(),
            has_grad ? notape::testing::values(impl.extra()->grad) : std::vector<double>(),
            t.strides().vec()};
  }

  std::vector<Tensor> tensors_;
  std::vector<State> before_;
};

}  // namespace notape::testing
