#include "ops/conv/im2col.h"

#include "ops/cpu/im2col.h"

namespace notape {
namespace {

/// visit(image, columns) for each image of the batch.
template <typename T, typename Visit>
void for_each_image(const Tensor& image, const Tensor& columns, const Conv2dProblem& p,
                    Visit visit) {
  const int64_t of_image = p.image[1] * p.image[2] * p.image[3];
  const int64_t of_columns = p.window() * p.positions();
  for (int64_t n = 0; n < p.image[0]; ++n)
    visit(image.impl().data_as<T>() + n * of_image, columns.impl().data_as<T>() + n * of_columns);
}

void im2col_on_cpu(const Operation&, const Tensor& columns, const Tensor& image,
                   const Conv2dProblem& p) {
  visit_type(image.dtype(), [&]<typename T>() {
    for_each_image<T>(image, columns, p, [&](const T* from, T* to) {
      im2col(p, from, to, RowRange{0, p.response[2]});
    });
  });
}

void col2im_on_cpu(const Operation& op, const Tensor& image, const Tensor& columns,
                   const Conv2dProblem& p) {
  visit_computed(image.dtype(), [&]<typename T>() {
    if constexpr (std::is_same_v<T, Bool>) {
      no_kernel(op, kBool, kCPU);
    } else {
      for_each_image<T>(image, columns, p, [&](T* to, const T* from) {
        std::fill_n(to, p.image[1] * p.image[2] * p.image[3], T(0));
        add_col2im(p, from, to, RowRange{0, p.response[2]});
      });
    }
  });
}

}  // namespace

constinit Im2colKernel im2col_kernel(im2col_on_cpu);
constinit Col2imKernel col2im_kernel(col2im_on_cpu);

}  // namespace notape
