// Windows of images on CUDA, composed of its other kernels.
#include "cuda/composed/convolution.h"
#include "ops/conv/im2col.h"

namespace notape::cuda {
namespace {

const Implementation windows[] = {
    {im2col_kernel, kCUDA, unfold_windows},
    {col2im_kernel, kCUDA, fold_windows},
};

}  // namespace
}  // namespace notape::cuda
