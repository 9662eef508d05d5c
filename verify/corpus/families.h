// The families of the corpus, each in the file of its name.
#pragma once
#include "autograd/tensor/factories.h"
#include "ops/ops.h"
#include "verify/corpus/rule.h"

namespace notape::verify::corpus {

/// Collects the entries of one family.
class Family {
 public:
  Family(const char* name, std::vector<Entry>& entries) : name_(name), entries_(entries) {}
  template <typename Author>
  void add(Author author) {
    entries_.push_back(entry_of(name_, std::move(author)));
  }
  void add_foreign(std::shared_ptr<const notape_operator> right, std::vector<Mistake> mistakes);

 private:
  const char* name_;
  std::vector<Entry>& entries_;
};

void add_activations(std::vector<Entry>& entries);
void add_piecewise_activations(std::vector<Entry>& entries);
void add_normalisations(std::vector<Entry>& entries);
void add_losses(std::vector<Entry>& entries);
void add_attention(std::vector<Entry>& entries);
void add_physics(std::vector<Entry>& entries);

}  // namespace notape::verify::corpus
