// What moves entries: copies, pieces, indices.
#include "bench/side_by_side/cases.h"

namespace side {
namespace {

void add_moves(std::vector<Case>& cases) {
  const Tensor m = leaf({1024, 1024}), half = leaf({512, 1024}), other = leaf({512, 1024});
  add_pair(cases, "transposed copy 1M", [=] { return m.t().contiguous(); });
  add_pair(cases, "cat to 1M", [=] { return library::cat({half, other}); });
  add_pair(cases, "stack to 1M", [=] { return library::stack({half, other}); });
  add_pair(cases, "pad 1M", [=] { return library::constant_pad_nd(m, {1, 1, 1, 1}, 0); });
  add_pair(cases, "repeat to 1M", [=] { return half.repeat({2, 1}); });
  const Tensor long_line = leaf({1 << 22}), piece = library::rand({1 << 20});
  cases.push_back({"slice write into a clone of 4M, forward and backward", [=] {
                     const Tensor clone = long_line.clone();
                     clone.narrow(0, 1 << 20, 1 << 20).copy_(piece);
                     clone.sum().backward();
                   }});
}

void add_indices(std::vector<Case>& cases) {
  const Tensor m = leaf({1024, 1024}), places = library::randint(1024, {1024, 1024});
  const Tensor rows = library::randint(1024, {1024});
  add_pair(cases, "gather 1M", [=] { return m.gather(1, places); });
  add_pair(cases, "index_select 1024 rows", [=] { return m.index_select(0, rows); });
  const Tensor zeros = library::zeros({1024, 1024});
  add_pair(cases, "scatter_add 1M", [=] { return zeros.scatter_add(1, places, m); });
  const Tensor words = leaf({32000, 256}), text = library::randint(32000, {64, 50});
  add_pair(cases, "embedding 64x50 of 32000x256", [=] { return library::embedding(words, text); });
  const Tensor line = leaf({1 << 20}), values = leaf({1 << 16});
  const Tensor spots = library::randint(1 << 20, {1 << 16});
  cases.push_back({"index_put 64k into 1M, forward and backward",
                   [=] { library::index_put(line, {spots}, values).sum().backward(); }});
}

}  // namespace

void add_indexing(std::vector<Case>& cases) {
  add_moves(cases);
  add_indices(cases);
}

}  // namespace side
