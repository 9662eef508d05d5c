#include "ops/spec/joined_results.h"

#include "autograd/error.h"
#include "ops/shape.h"

namespace notape {
namespace {

thread_local CutResults* current_cut = nullptr;

}  // namespace

CutResults::CutResults(uint64_t cut) : cut_(cut), before_(std::exchange(current_cut, this)) {}
CutResults::~CutResults() { current_cut = before_; }

void CutResults::apply(TensorList& results) {
  entries_.clear();
  for (std::size_t i = 0; i < results.size(); ++i) {
    entries_.push_back(results[i].numel());
    if (i < 64 && (cut_ >> i & 1)) results[i] = results[i].detach();
  }
}

Tensor joined_results(const TensorList& results) {
  TensorList real;
  for (const Tensor& result : results)
    if (result.defined() && result.is_floating_point()) real.push_back(result);
  if (real.empty()) throw ValueError("the function returns nothing that could be differentiated");
  if (current_cut) current_cut->apply(real);
  if (real.size() == 1) return real[0];
  for (Tensor& result : real) result = result.reshape({-1});
  return cat(real, 0);
}

}  // namespace notape
