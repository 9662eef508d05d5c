#include "ops/functions/functions.h"

namespace notape::functions {
namespace {

const RegisterFunctions index_functions([](Functions& f) {
  f("index", index, index_out);
  f("index_select", index_select, index_select_out);
  f("gather", gather, gather_out);
  f("scatter_add", scatter_add, scatter_add_, scatter_add_out);
  f.of<Tensor(X, I, X, X)>("index_add", index_add);
  f.of<Tensor(X, I, X, X, Scalar)>("index_add", index_add, index_add_, index_add_out);
  f.of<Tensor(X, I, X, X)>("scatter", scatter, scatter_, scatter_out);
  f.of<Tensor(X, I, X, Scalar)>("scatter", scatter, scatter_, scatter_out);
  f.of<Tensor(X, I, X, X, Text)>("scatter", scatter, scatter_, scatter_out);
  f.of<Tensor(X, I, X, Scalar, Text)>("scatter", scatter, scatter_, scatter_out);
  f("masked_select", masked_select, masked_select_out);
  f.of<Tensor(X, Indices, X, bool)>("index_put", index_put, index_put_);
  f.of<O(O, Indices, X)>("index_put_", index_put_);
  f.of<O(O, Indices, Scalar)>("index_put_", index_put_);
  f("embedding", embedding);
  f("nonzero", nonzero, nonzero_out);
  f.of<Pieces(X)>("where", where);
  f("bincount", bincount);
  f("one_hot", one_hot);
  f("unique_consecutive", unique_consecutive);
  f.of<Tensor(X, X, bool, bool, Maybe<Text>, X)>("searchsorted", searchsorted, searchsorted_out);
  f.of<Tensor(X, Scalar, bool, bool, Maybe<Text>, X)>("searchsorted", searchsorted,
                                                      searchsorted_out);
  f.of<Tensor(X, X, bool, bool)>("bucketize", bucketize, bucketize_out);
  f.of<Tensor(Scalar, X, bool, bool)>("bucketize", bucketize);
  f.of<Tensor(X, X, bool, bool)>("isin", isin, isin_out);
  f.of<Tensor(X, Scalar, bool, bool)>("isin", isin, isin_out);
  f.of<Tensor(Scalar, X, bool, bool)>("isin", isin, isin_out);
  f("take", take, take_out);
  f("take_along_dim", take_along_dim, take_along_dim_out);
  f("index_copy", index_copy, index_copy_, index_copy_out);
  f.of<Tensor(X, I, X, Scalar)>("index_fill", index_fill, index_fill_);
  f.of<Tensor(X, I, X, X)>("index_fill", index_fill, index_fill_);
  f("scatter_reduce", scatter_reduce, scatter_reduce_, scatter_reduce_out);
  f("embedding_bag", embedding_bag);
});

}  // namespace
}  // namespace notape::functions
