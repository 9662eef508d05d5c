#include "paper_examples/nn/embedding.h"

#include <fmt/ostream.h>

#include "ops/ops.h"
#include "paper_examples/nn/init.h"

namespace notape::nn {

EmbeddingImpl::EmbeddingImpl(const EmbeddingOptions& o)
    : options(o),
      weight(register_parameter("weight",
                                init::normal_(empty({o.num_embeddings(), o.embedding_dim()})))) {
  if (!o.padding_idx()) return;
  padding_row_ = *o.padding_idx() + (*o.padding_idx() < 0 ? o.num_embeddings() : 0);
  if (padding_row_ < 0 || padding_row_ >= o.num_embeddings())
    throw ValueError("Embedding: padding_idx {} is none of {} rows", *o.padding_idx(),
                     o.num_embeddings());
  const NoGradGuard no_grad;
  weight.select(0, padding_row_).zero_();
}

Tensor EmbeddingImpl::forward(const Tensor& indices) const {
  return embedding(weight, indices, padding_row_, options.scale_grad_by_freq());
}

void EmbeddingImpl::pretty_print(std::ostream& out) const {
  fmt::print(out, "Embedding(num_embeddings={}, embedding_dim={}", options.num_embeddings(),
             options.embedding_dim());
  if (options.padding_idx()) fmt::print(out, ", padding_idx={}", *options.padding_idx());
  out << ")";
}

}  // namespace notape::nn
