// Tables and indices: what is read several times gets several gradients.
#include <cmath>

#include "ops/index.h"
#include "ops/linalg.h"
#include "ops/reduce.h"
#include "ops/selection.h"
#include "ops/shape.h"
#include "ops/transcendental.h"
#include "verify/corpus/family.h"

namespace notape::verify::corpus {
namespace {

/// The places that an index tensor names.
std::vector<std::size_t> places_of(const Tensor& index) {
  std::vector<std::size_t> result;
  for (const double one : numbers_of(index)) result.push_back(static_cast<std::size_t>(one));
  return result;
}

Numbers incoming_of(const Call& call) {
  return call.slip("strided") ? as_if_contiguous(call.given[0]) : numbers_of(call.given[0]);
}

/// Adds rows of `size` from `from` to the rows of `to` that `places` names, or overwrites them.
void scatter(Numbers& to, const Numbers& from, const std::vector<std::size_t>& places,
             std::size_t size, bool overwrites) {
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t k = 0; k < size; ++k) {
      double& cell = to[places[i] * size + k];
      cell = overwrites ? from[i * size + k] : cell + from[i * size + k];
    }
}

const Traits kFirst = {.order = 1};

void add_lookups(Family& family) {
  family.add(
      Authored{.name = "embedding",  // rows of a table (5, 3) by six indices; row 0 is padding
               .forward = [](const variable_list& x) -> variable_list {
                 only_of_sizes(x[0], {5, 3});
                 return {index_select(x[0], 0, x[1])};
               },
               .backward = [](const Call& call) -> variable_list {
                 Numbers table(15);
                 std::vector<std::size_t> places = places_of(call.x[1]);
                 if (call.slip("last-block")) places.resize(4);
                 scatter(table, incoming_of(call), places, 3, call.slip("overwrites"));
                 if (call.slip("padding"))
                   for (std::size_t k = 0; k < 3; ++k) table[k] = 0;
                 return {filled_like(call.x[0], table), Tensor()};
               },
               .inputs = drawn({uniform({5, 3}, -2, 2), indices({6}, 5)}),
               .slips = {"overwrites", "last-block", {"padding", Kind::WrongBranch}, "strided"},
               .traits = kFirst});
  family.add(Authored{
      .name = "embedding_bag",  // mean of the rows that two bags of three name
      .forward = [](const variable_list& x) -> variable_list {
        const Tensor rows = index_select(x[0], 0, x[1].reshape({-1}));
        return {mean(rows.reshape({2, 3, 4}), 1)};
      },
      .backward = [](const Call& call) -> variable_list {
        const Tensor share = call.given[0] / (call.slip("count") ? 1 : 3);
        const Tensor spread = share.unsqueeze(1).expand({2, 3, 4}).reshape({6, 4});
        if (call.slip("distinct")) {  // an index that stands twice in a bag counts once
          Numbers table(20);
          scatter(table, numbers_of(spread), places_of(call.x[1]), 4, true);
          return {filled_like(call.x[0], table), Tensor()};
        }
        const Tensor zero = zeros_like(call.x[0]);
        const Tensor index = call.x[1].reshape({-1});
        return {index_add(zero, 0, index, call.slip("incoming") ? sign(spread) : spread), Tensor()};
      },
      .inputs = drawn({uniform({5, 4}, -2, 2), indices({2, 3}, 5)}),
      .slips = {{"count", Kind::LostFactor}, {"distinct", Kind::DuplicateIndex}, "incoming"}});
}

void add_gathers(Family& family) {
  family.add(Authored{.name = "gather_rows",  // x[i, index[i, j]]
                      .forward = [](const variable_list& x) -> variable_list {
                        only_of_sizes(x[0], {3, 5});
                        only_of_sizes(x[1], {3, 4});
                        return {gather(x[0], 1, x[1])};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const Numbers given = incoming_of(call);
                        const std::vector<std::size_t> places = places_of(call.x[1]);
                        Numbers gradient(15);
                        for (std::size_t i = 0; i < 3; ++i)
                          for (std::size_t j = 0; j < 4; ++j) {
                            const std::size_t row = call.slip("row") ? 0 : i;
                            double& cell = gradient[row * 5 + places[i * 4 + j]];
                            cell = call.slip("overwrites") ? given[i * 4 + j]
                                                           : cell + given[i * 4 + j];
                          }
                        return {filled_like(call.x[0], gradient), Tensor()};
                      },
                      .inputs = drawn({uniform({3, 5}, -2, 2), indices({3, 4}, 5)}),
                      .slips = {"overwrites", {"row", Kind::WrongAxis}, "strided"},
                      .traits = kFirst});
  family.add(
      Authored{.name = "one_hot_product",  // a row of the weights (4, 3) per class, scaled
               .forward = [](const variable_list& x) -> variable_list {
                 const Tensor hot = (x[1].unsqueeze(1) == arange(4).unsqueeze(0)).to(kFloat64);
                 return {mm(hot, x[0]) * x[2].unsqueeze(1)};
               },
               .backward = [](const Call& call) -> variable_list {
                 const Tensor hot = (call.x[1].unsqueeze(1) == arange(4).unsqueeze(0)).to(kFloat64);
                 const Tensor scale = call.x[2].unsqueeze(1), &given = call.given[0];
                 const Tensor of_scale = sum(given * mm(hot, call.x[0]), 1);
                 return {mm(t(hot), call.slip("factor") ? given : given * scale), Tensor(),
                         call.slip("missing") ? Tensor()
                         : call.slip("mean")  ? of_scale / 3
                                              : of_scale};
               },
               .inputs = drawn({uniform({4, 3}, -2, 2), indices({5}, 4), uniform({5}, -2, 2)}),
               .slips = {"factor", "missing", {"mean", Kind::LostFactor}}});
}

void add_reductions(Family& family) {
  family.add(Authored{.name = "segment_sum",  // (7, 2) into 4 segments
                      .forward = [](const variable_list& x) -> variable_list {
                        return {index_add(zeros({4, 2}, dtype(x[0].dtype())), 0, x[1], x[0])};
                      },
                      .backward = [](const Call& call) -> variable_list {
                        const Tensor rows = index_select(call.given[0], 0, call.x[1]);
                        if (call.slip("last-block"))
                          return {rows * (arange(7) < 4).to(kFloat64).unsqueeze(1), Tensor()};
                        return {call.slip("incoming") ? ones_like(rows) : rows, Tensor()};
                      },
                      .inputs = drawn({uniform({7, 2}, -2, 2), indices({7}, 4)}),
                      .slips = {"last-block", "incoming"}});
  family.add(
      Authored{.name = "scatter_mean",  // means of the entries that an index puts together
               .forward = [](const variable_list& x) -> variable_list {
                 const Tensor none = zeros({4}, dtype(x[0].dtype()));
                 const Tensor counts = index_add(none, 0, x[1], ones_like(x[0]));
                 return {index_add(none, 0, x[1], x[0]) / clamp(counts, 1)};
               },
               .backward = [](const Call& call) -> variable_list {
                 const Tensor none = zeros({4}, dtype(call.x[0].dtype()));
                 const Tensor counts = index_add(none, 0, call.x[1], ones_like(call.x[0]));
                 if (call.slip("count"))
                   return {index_select(call.given[0], 0, call.x[1]), Tensor()};
                 if (call.slip("one-more"))
                   return {index_select(call.given[0] / (counts + 1), 0, call.x[1]), Tensor()};
                 return {index_select(call.given[0] / clamp(counts, 1), 0, call.x[1]), Tensor()};
               },
               .inputs = drawn({uniform({7}, -2, 2), indices({7}, 4)}),
               .slips = {{"count", Kind::LostFactor}, {"one-more", Kind::WrongConstant}}});
}

void add_pools(Family& family) {
  family.add(
      Authored{.name = "max_pool",  // windows of three; entries are whole numbers, so that some tie
               .forward = [](const variable_list& x) -> variable_list {
                 return {std::get<0>(max(x[0].reshape({3, 3}), 1))};
               },
               .backward = [](const Call& call) -> variable_list {
                 const Numbers x = numbers_of(call.x[0]), given = incoming_of(call);
                 Numbers gradient(9);
                 for (std::size_t row = 0; row < 3; ++row) {
                   double top = x[3 * row];
                   for (std::size_t k = 1; k < 3; ++k) top = std::max(top, x[3 * row + k]);
                   for (std::size_t k = 0; k < 3; ++k) {
                     if (x[3 * row + k] != top) continue;
                     gradient[3 * row + k] = given[row];
                     if (!call.slip("all-tied")) break;
                   }
                   if (call.slip("first")) gradient[3 * row] = given[row];
                 }
                 return {filled_like(call.x[0], gradient)};
               },
               .inputs = drawn({whole({9}, 0, 4)}),
               .slips = {"all-tied", {"first", Kind::WrongBranch}, "strided"},
               .traits = {.order = 1, .kinks = true}});
}

void add_scans(Family& family) {
  family.add(
      Authored{.name = "cumulative_sum_loop",
               .forward = [](const variable_list& x) -> variable_list { return {cumsum(x[0], 0)}; },
               .backward = [](const Call& call) -> variable_list {
                 const Numbers given = incoming_of(call);
                 Numbers gradient(given.size());
                 double total = 0;
                 for (std::size_t i = given.size(); i-- > 0;) {
                   if (call.slip("exclusive")) gradient[i] = total;
                   total += given[i];
                   if (!call.slip("exclusive")) gradient[i] = total;
                   if (call.slip("block") && i == 4) total = 0;
                 }
                 if (call.slip("forward")) gradient = numbers_of(cumsum(call.given[0], 0));
                 return {filled_like(call.x[0], gradient)};
               },
               .inputs = between(-2, 2, {7}),
               .slips = {{"exclusive", Kind::LostTerm},
                         {"block", Kind::LastBlock},
                         {"forward", Kind::WrongAxis},
                         "strided"},
               .traits = kFirst});
  family.add(Authored{
      .name = "smooth_histogram",  // sum over entries of exp(-(x - c)^2 / 2 / 0.3^2) per bin
      .forward = [](const variable_list& x) -> variable_list {
        const Tensor d = x[0].unsqueeze(1) - linspace(-2, 2, 5, dtype(x[0].dtype()));
        return {sum(exp(square(d) / (-2 * 0.09)), 0)};
      },
      .backward = [](const Call& call) -> variable_list {
        const Tensor x = call.slip("detached") ? call.x[0].detach() : call.x[0];
        const Tensor d = x.unsqueeze(1) - linspace(-2, 2, 5, dtype(x.dtype()));
        const Tensor bump = exp(square(d) / (-2 * 0.09));
        const double width = call.slip("width") ? 0.3 : 0.09;
        if (call.slip("sign")) return {sum(call.given[0] * bump * d / width, 1)};
        return {sum(call.given[0] * bump * d / -width, 1)};
      },
      .inputs = between(-2.5, 2.5, {6}),
      .slips = {{"width", Kind::LostFactor}, "sign", "detached"}});
}

}  // namespace

void add_tables(std::vector<Entry>& entries) {
  Family family("tables", entries);
  add_lookups(family);
  add_gathers(family);
  add_reductions(family);
  add_pools(family);
  add_scans(family);
}

}  // namespace notape::verify::corpus
