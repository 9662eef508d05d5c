// Products of vectors and matrices. All are members of Tensor.
// Operands need one dtype (DtypeError) and fitting shapes (ShapeError, naming them); outer
// promotes. Integers are multiplied as they are and wrap around; bool: NoKernel. A sum of no
// products is 0.
// All throw UndefinedTensor and DeviceError. G is the gradient of the result.
#pragma once
#include <optional>
#include <string_view>
#include <tuple>

#include "ops/at.h"

namespace notape {

/// (n, k) x (k, m) -> (n, m), the matrix product A B;  dA = G B^T,  dB = A^T G.
Tensor mm(const Tensor& self, const Tensor& mat2, At at = At::current());
/// (b, n, k) x (b, k, m) -> (b, n, m): mm of each pair. The batches do not broadcast.
Tensor bmm(const Tensor& self, const Tensor& mat2, At at = At::current());
/// NumPy's matmul: (..., n, k) x (..., k, m) -> (..., n, m) with broadcast batches; a 1-d operand
/// is a row on the left, a column on the right, and leaves no dimension. Made of mm, bmm and dot,
/// which carry the derivatives. Throws ShapeError for a 0-d operand.
Tensor matmul(const Tensor& self, const Tensor& other, At at = At::current());
/// beta self + alpha mat1 mat2 for (n, k) x (k, m); self broadcasts to (n, m), in place it has that
/// shape. With beta = 0 self is not read, NaN or not;  dself = beta G,  dmat1 = alpha G mat2^T,
/// dmat2 = alpha mat1^T G. Throws DtypeError for floating factors of integers.
Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta = 1,
             Scalar alpha = 1, At at = At::current());
Tensor& addmm_(Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta = 1,
               Scalar alpha = 1, At at = At::current());
/// (n) . (n) -> (), the sum of a_i b_i;  da = g b,  db = g a.
Tensor dot(const Tensor& self, const Tensor& other, At at = At::current());
/// (n), (m) -> (n, m), y_ij = a_i b_j. Made of mul, which promotes and carries the derivative.
Tensor outer(const Tensor& self, const Tensor& vec2, At at = At::current());

/// (n, k) x (k) -> (n), the matrix times the vector;  dA = g v^T,  dv = A^T g.
Tensor mv(const Tensor& self, const Tensor& vec, At at = At::current());
/// beta self + alpha mat vec for (n, k) x (k); self broadcasts to (n), in place it has that shape.
/// With beta = 0 self is not read. Made of addmm.
Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta = 1,
             Scalar alpha = 1, At at = At::current());
Tensor& addmv_(Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta = 1,
               Scalar alpha = 1, At at = At::current());
/// beta self + alpha batch1 batch2 for (b, n, k) x (b, k, m); self broadcasts to (b, n, m), in
/// place it has that shape. With beta = 0 self is not read, NaN or not;  dself = beta G,  dbatch1 =
/// alpha G batch2^T,  dbatch2 = alpha batch1^T G. Throws DtypeError for floating factors of
/// integers.
Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta = 1,
               Scalar alpha = 1, At at = At::current());
Tensor& baddbmm_(Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta = 1,
                 Scalar alpha = 1, At at = At::current());
/// input weight^T + bias: (.., k) x (m, k) -> (.., m), with bias (m), or any shape that broadcasts
/// to (m); weight may be (k), which leaves no dimension. Made of addmm and matmul. Not a member.
Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {},
              At at = At::current());
/// Einstein's sums: "bij,bjk->bik" names the dimensions of each operand and of the result by
/// letters; what the result does not name is summed over. A letter twice in one operand is its
/// diagonal; "..." stands for dimensions that broadcast; without "->" the result has the letters
/// that occur once, in alphabetical order, behind "...". Sizes of one letter are equal or 1. Pairs
/// are contracted by bmm, of up to four operands in the order with the fewest products. All of one
/// dtype. Throws ValueError for an equation that says something else, ShapeError, DtypeError.
Tensor einsum(std::string_view equation, const TensorList& tensors, At at = At::current());
/// The sum of products over dims_self of self and dims_other of other, which have the same sizes or
/// 1: the other dimensions of self, then those of other. Throws ShapeError.
Tensor tensordot(const Tensor& self, const Tensor& other, IntArrayRef dims_self,
                 IntArrayRef dims_other, At at = At::current());
/// y[.., o] = sum over i, j of input1[.., i] weight[o, i, j] input2[.., j] + bias[o]. Not a member.
Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const Tensor& bias = {}, At at = At::current());
/// The vectors a x b along dim, of size 3 (ShapeError), broadcast otherwise;  da = b x g,
/// db = g x a.
Tensor linalg_cross(const Tensor& self, const Tensor& other, Integer dim = -1,
                    At at = At::current());
/// softmax(scale query key^T + mask) value: query (.., L, E), key (.., S, E), value (.., S, Ev)
/// -> (.., L, Ev), batches broadcast. attn_mask broadcasts to (.., L, S): bool keeps where true,
/// floating is added and has a gradient; is_causal keeps the lower triangle. A row that a mask
/// leaves nothing of gives 0, with gradient 0. Then dropout_p of the weights are dropped. scale
/// defaults to 1 / sqrt(E); enable_gqa repeats heads (dimension -3) of key and value for several of
/// query. Not a member. Throws ValueError for both a mask and is_causal, ShapeError, DtypeError.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& attn_mask = {}, double dropout_p = 0,
                                    bool is_causal = false, std::optional<double> scale = {},
                                    bool enable_gqa = false, At at = At::current());
/// {output, weights} of several heads: scaled_dot_product_attention of projections x W^T + b of
/// query (L, N, E), key (S, N, Ek) and value (S, N, Ev), cut into num_heads parts of width
/// E / num_heads (ValueError unless it divides), whose results out_proj_weight (E, E) joins. All of
/// them may lack N. in_proj_weight is (3 E, E), or q_, k_ and v_proj_weight (E, E), (E, Ek), (E,
/// Ev) with use_separate_proj_weight. bias_k and bias_v (1, 1, E), and zeros with add_zero_attn,
/// are further steps of key and value. key_padding_mask (N, S) and attn_mask (L, S) or (N
/// num_heads, L, S): bool hides where true, floating is added; is_causal says that attn_mask is
/// causal, and needs it. weights are (N, L, S), the mean over heads or with average_attn_weights
/// false (N, num_heads, L, S), and undefined without need_weights. Not a member. Throws ShapeError,
/// DtypeError, ValueError.
std::tuple<Tensor, Tensor> multi_head_attention_forward(
    const Tensor& query, const Tensor& key, const Tensor& value, Integer embed_dim_to_check,
    Integer num_heads, const Tensor& in_proj_weight, const Tensor& in_proj_bias,
    const Tensor& bias_k, const Tensor& bias_v, bool add_zero_attn, double dropout_p,
    const Tensor& out_proj_weight, const Tensor& out_proj_bias, bool training = true,
    const Tensor& key_padding_mask = {}, bool need_weights = true, const Tensor& attn_mask = {},
    bool use_separate_proj_weight = false, const Tensor& q_proj_weight = {},
    const Tensor& k_proj_weight = {}, const Tensor& v_proj_weight = {}, const Tensor& static_k = {},
    const Tensor& static_v = {}, bool average_attn_weights = true, bool is_causal = false,
    At at = At::current());

/// The inner products of the last dimensions: (.., k), (.., k) -> the other dimensions of both. A
/// 0-d operand multiplies.
Tensor inner(const Tensor& self, const Tensor& other, At at = At::current());
/// Kronecker's product: each entry of self times the whole of other.
Tensor kron(const Tensor& self, const Tensor& other, At at = At::current());

// Decompositions of matrices in the last two dimensions, batched over the others, by LAPACK:
// float32 and float64, others are a DtypeError. Throw ShapeError unless matrices are square where
// they have to be. Members where LibTorch has one: det, inverse, logdet, slogdet, cholesky.

/// A^-1;  dA = -A^-T G A^-T. Throws LinalgError for a singular matrix, naming it in a batch.
Tensor linalg_inv(const Tensor& self, At at = At::current());
Tensor inverse(const Tensor& self, At at = At::current());
/// X with A X = B, or X A = B if not left: A (.., n, n), B (.., n, m) or, where LibTorch takes it
/// for a vector, (.., n);  dB = A^-T G,  dA = -dB X^T. Throws LinalgError for a singular matrix.
Tensor linalg_solve(const Tensor& self, const Tensor& other, bool left = true,
                    At at = At::current());
/// linalg_solve of a triangular matrix, of which only one triangle is read, and its diagonal unless
/// unitriangular. A zero on the diagonal gives infinities, as in LibTorch.
Tensor linalg_solve_triangular(const Tensor& self, const Tensor& other, bool upper,
                               bool left = true, bool unitriangular = false, At at = At::current());
/// L lower triangular with L L^T = A, or its transpose if upper. A is symmetric, only its lower (or
/// upper) triangle is read; the gradient is symmetric. Throws LinalgError unless A is positive
/// definite.
Tensor linalg_cholesky(const Tensor& self, bool upper = false, At at = At::current());
Tensor cholesky(const Tensor& self, bool upper = false, At at = At::current());
/// The determinant, (.., n, n) -> (..), 1 for n = 0;  dA = g det(A) A^-T, of singular matrices,
/// too.
Tensor linalg_det(const Tensor& self, At at = At::current());
Tensor det(const Tensor& self, At at = At::current());
/// {sign, log |det|} of the determinant, {0, -inf} of a singular matrix;  dA = g A^-T. sign has no
/// derivative. logdet is log(det), NaN for a negative one.
std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& self, At at = At::current());
std::tuple<Tensor, Tensor> slogdet(const Tensor& self, At at = At::current());
Tensor logdet(const Tensor& self, At at = At::current());
/// {Q, R} with Q R = A (.., m, n), Q with orthonormal columns, R upper triangular: (.., m, k) and
/// (.., k, n) with k = min(m, n) for "reduced", m for "complete"; "r" leaves Q empty. Derivatives
/// for "reduced" with m >= n and full rank, otherwise they raise DerivativeNotImplemented.
std::tuple<Tensor, Tensor> linalg_qr(const Tensor& self, std::string_view mode = "reduced",
                                     At at = At::current());
/// {eigenvalues (.., n), ascending, eigenvectors (.., n, n), columns} of symmetric matrices, of
/// which one triangle is read, UPLO "L" or "U" (ValueError). Derivatives of eigenvectors are
/// undefined where eigenvalues are equal, and up to the sign that LAPACK chose.
std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& self, std::string_view UPLO = "L",
                                       At at = At::current());
Tensor linalg_eigvalsh(const Tensor& self, std::string_view UPLO = "L", At at = At::current());
/// {U, S, Vh} with U diag(S) Vh = A (.., m, n), S (.., min(m, n)) descending; U and Vh square with
/// full_matrices, else (.., m, k) and (.., k, n). Derivatives of U and Vh need distinct singular
/// values, and full_matrices only where it adds nothing (otherwise DerivativeNotImplemented).
std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& self, bool full_matrices = true,
                                              At at = At::current());
Tensor linalg_svdvals(const Tensor& self, At at = At::current());

}  // namespace notape
