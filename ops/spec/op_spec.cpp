#include "ops/spec/op_spec.h"

#include <algorithm>
#include <cstring>

namespace notape {
namespace {

std::vector<const OpSpec*>& rows() {
  static std::vector<const OpSpec*> all;
  return all;
}

}  // namespace

RegisterOp::RegisterOp(OpSpec spec) : spec_(std::move(spec)) { rows().push_back(&spec_); }

const std::vector<const OpSpec*>& op_specs() {
  [[maybe_unused]] static const bool once = [] {  // not call_once: see device_interface.cpp
    std::sort(rows().begin(), rows().end(), [](const OpSpec* a, const OpSpec* b) {
      const int family = std::strcmp(a->family, b->family);
      return family != 0 ? family < 0 : std::strcmp(a->name, b->name) < 0;
    });
    return true;
  }();
  return rows();
}

const OpSpec& find_op_spec(std::string_view name) {
  for (const OpSpec* spec : op_specs())
    if (spec->name == name) return *spec;
  throw UnknownOperator("no operator is called '{}'; `notape verify list` shows all {}", name,
                        op_specs().size());
}

std::vector<int64_t> Draw::shape(int min_rank, int max_rank, int64_t min_size, int64_t max_size) {
  std::vector<int64_t> sizes(static_cast<std::size_t>(integer(min_rank, max_rank)));
  for (int64_t& size : sizes) {
    // Mostly ordinary sizes; 0 and 1 stay a minority.
    size = integer(0, 9) == 0 ? min_size : integer(std::max<int64_t>(min_size, 1), max_size);
  }
  return sizes;
}

std::vector<int64_t> Draw::broadcast_of(const std::vector<int64_t>& full) {
  const auto dropped = integer(0, 3) == 0 ? integer(0, static_cast<int64_t>(full.size())) : 0;
  std::vector<int64_t> sizes(full.begin() + dropped, full.end());
  for (int64_t& size : sizes)
    if (integer(0, 3) == 0) size = 1;
  return sizes;
}

int64_t Draw::dimension(int64_t rank) {
  if (rank == 0) return 0;
  const int64_t dim = integer(0, rank - 1);
  return boolean() ? dim - rank : dim;
}

}  // namespace notape
