#include "paper_examples/nn/dropout.h"

#include <fmt/ostream.h>

#include "ops/random.h"

namespace notape::nn {
namespace {

const DropoutOptions& checked(const DropoutOptions& o, const char* name) {
  if (!(o.p() >= 0 && o.p() <= 1))
    throw ValueError("{}: {} is no probability: it has to be between 0 and 1", name, o.p());
  return o;
}

void print(std::ostream& out, const char* name, const DropoutOptions& o) {
  fmt::print(out, "{}(p={}{})", name, o.p(), o.inplace() ? ", inplace=true" : "");
}

}  // namespace

DropoutImpl::DropoutImpl(const DropoutOptions& o) : options(checked(o, "Dropout")) {}
Tensor DropoutImpl::forward(Tensor input) const {
  if (options.inplace()) return dropout_(input, options.p(), is_training());
  return dropout(input, options.p(), is_training());
}
void DropoutImpl::pretty_print(std::ostream& out) const { print(out, "Dropout", options); }

Dropout2dImpl::Dropout2dImpl(const DropoutOptions& o) : options(checked(o, "Dropout2d")) {}
Tensor Dropout2dImpl::forward(Tensor input) const {
  if (options.inplace()) return feature_dropout_(input, options.p(), is_training());
  return feature_dropout(input, options.p(), is_training());
}
void Dropout2dImpl::pretty_print(std::ostream& out) const { print(out, "Dropout2d", options); }

}  // namespace notape::nn
