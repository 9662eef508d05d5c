// Convolutions on CUDA, composed of its other kernels.
#include "cuda/composed/convolution.h"
#include "ops/conv/im2col.h"

namespace notape::cuda {
namespace {

const Implementation convolutions[] = {
    {conv2d_kernel, kCUDA, convolve},
    {conv2d_backward_input_kernel, kCUDA, convolve_backward_input},
    {conv2d_backward_weight_kernel, kCUDA, convolve_backward_weight},
    {im2col_kernel, kCUDA, unfold_windows},
    {col2im_kernel, kCUDA, fold_windows},
};

}  // namespace
}  // namespace notape::cuda
