// Family: what a file of the corpus adds its entries to.
#pragma once
#include "autograd/tensor/factories.h"
#include "ops/arithmetic.h"
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

}  // namespace notape::verify::corpus
