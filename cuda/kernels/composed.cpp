// Windows, pooling and interpolation on CUDA, composed of its other kernels.
#include "cuda/composed/convolution.h"
#include "cuda/composed/max_pool2d.h"
#include "cuda/composed/resample.h"
#include "ops/conv/im2col.h"

namespace notape::cuda {
namespace {

const Implementation windows[] = {
    {im2col_kernel, kCUDA, unfold_windows},
    {col2im_kernel, kCUDA, fold_windows},
};
const Implementation resampling(resample_kernel, kCUDA, resample_by_terms);
const Implementation pooling[] = {
    {max_pool2d_kernel, kCUDA, pool_maxima},
    {max_pool2d_gather_kernel, kCUDA, gather_maxima},
    {max_pool2d_scatter_kernel, kCUDA, scatter_maxima},
};

}  // namespace
}  // namespace notape::cuda
