// Loops through positions against loops over single elements: long lines in blocks, positions that
// are checked on the way, repeated ones.
#include "autograd/testing/expect.h"
#include "ops/ops.h"
#include "ops/parallel.h"

namespace notape::testing {
namespace {

std::size_t at(int64_t i) { return static_cast<std::size_t>(i); }

/// Where element i of an index of these sizes leads to along `dim`, flat.
int64_t target(const std::vector<int64_t>& sizes, const std::vector<int64_t>& index_sizes,
               int64_t dim, int64_t i, int64_t position) {
  int64_t rest = i, flat = 0, stride = 1;
  for (int64_t d = static_cast<int64_t>(sizes.size()) - 1; d >= 0; --d) {
    flat += (d == dim ? position : rest % index_sizes[at(d)]) * stride;
    rest /= index_sizes[at(d)];
    stride *= sizes[at(d)];
  }
  return flat;
}

/// gather, its gradient and scatter_add along `dim`.
void expect_plain_loops(const Tensor& x, int64_t dim, const Tensor& index) {
  SCOPED_TRACE(::testing::Message()
               << name_of(x.dtype()) << ", dim " << dim << ", index of " << index.numel());
  const std::vector<int64_t> sizes = x.sizes().vec(), index_sizes = index.sizes().vec();
  const std::vector<double> from = values(x), positions = values(index);
  const Tensor source = to(randint(0, 5, index_sizes), x.dtype());
  const std::vector<double> added = values(source);
  std::vector<double> picked, sums = from, gradient(from.size());
  for (int64_t i = 0; i < index.numel(); ++i) {
    const auto flat =
        at(target(sizes, index_sizes, dim, i, static_cast<int64_t>(positions[at(i)])));
    picked.push_back(from[flat]);
    sums[flat] += added[at(i)];
    gradient[flat] += added[at(i)];
  }
  ASSERT_EQ(values(x.gather(dim, index)), picked);
  ASSERT_EQ(values(x.scatter_add(dim, index, source)), sums);
  if (!x.is_floating_point()) return;
  const Tensor leaf = x.detach().requires_grad_();
  leaf.gather(dim, index).backward(source);
  ASSERT_EQ(values(leaf.grad()), gradient);
}

TEST(IndirectLoops, DoWhatALoopOverElementsDoes) {
  const std::vector<std::vector<int64_t>> shapes[] = {
      {{3, 2500}, {3, 2500}}, {{2500, 3}, {2049, 3}}, {{70, 600}, {70, 600}},
      {{2, 5, 7}, {1, 3, 7}}, {{5000}, {1}},          {{4, 6}, {0, 6}}};
  for (const ScalarType type : {kFloat32, kFloat64, kInt32, kInt64, kUInt8, kBFloat16})
    for (const auto& shape : shapes) {
      const Tensor x = to(randint(0, 5, shape[0]), type);
      for (int64_t dim = 0; dim < x.dim(); ++dim) {
        std::vector<int64_t> sizes = shape[1];
        if (sizes[0] > 0) sizes[at(dim)] += 3;  // some positions twice
        const Tensor index = randint(shape[0][at(dim)], sizes);
        if (type == kUInt8 || type == kBFloat16) {  // sums of few, exact in so few bits
          if (index.numel() > 100) continue;
        }
        expect_plain_loops(x, dim, index);
        expect_plain_loops(x, dim, to(index, kInt32));
        if (x.dim() == 2)
          expect_plain_loops(x.t().contiguous().t(), dim, index.t().contiguous().t());
      }
    }
}

TEST(IndirectLoops, AddInTheSameOrderWithAnyNumberOfThreads) {
  manual_seed(3);
  const int before = get_num_threads();
  const Tensor base = randn({6, 40, 500}), source = randn({6, 40, 500});
  for (int64_t dim = 0; dim < 3; ++dim) {
    const Tensor index = randint(base.size(dim), base.sizes());
    std::vector<std::vector<double>> sums;
    for (const int threads : {1, 2, 5}) {
      set_num_threads(threads);
      sums.push_back(values(base.scatter_add(dim, index, source)));
      sums.push_back(values(base.transpose(0, 2)
                                .scatter_add(2 - dim, index.transpose(0, 2), source.transpose(0, 2))
                                .transpose(0, 2)));
    }
    for (const auto& sum : sums) EXPECT_EQ(sum, sums[0]) << dim;
  }
  set_num_threads(before);
}

TEST(IndirectLoops, AddRowsInTheSameOrderWithAnyNumberOfThreads) {
  manual_seed(4);
  const int before = get_num_threads();
  for (const int64_t columns : {1, 15, 130, 4001}) {
    const Tensor base = randn({7, columns}), source = randn({900, columns});
    const Tensor index = randint(7, {900}), wide = index.unsqueeze(1).expand({900, columns});
    std::vector<std::vector<double>> sums;
    for (const int threads : {1, 2, 5}) {
      set_num_threads(threads);
      sums.push_back(values(base.index_add(0, index, source)));
      sums.push_back(values(base.scatter_add(0, wide, source)));
      sums.push_back(values(base.index_put({index}, source, true)));
    }
    for (std::size_t i = 3; i < sums.size(); ++i) EXPECT_EQ(sums[i], sums[i % 3]) << columns;
  }
  set_num_threads(before);
}

TEST(IndirectLoops, TakeAnIndexThatIsExpanded) {
  const Tensor x = to(randint(-5, 5, {6, 1500}), kFloat32), column = randint(6, {4, 1});
  expect_plain_loops(x, 0, column.expand({4, 1500}));
  expect_plain_loops(x.t(), 1, column.expand({4, 1500}).t());
}

TEST(IndirectLoops, NameThePositionThatIsOutOfRangeAndChangeNothing) {
  for (const auto& [where, position] : std::vector<std::pair<int64_t, int64_t>>{
           {0, -1}, {1023, 40}, {1024, 40}, {89999, 1 << 20}}) {
    Tensor index = randint(40, {2250, 40});
    index.data_ptr<int64_t>()[where] = position;
    const std::string message =
        "index " + std::to_string(position) + " is out of bounds for dimension 1 with size 40";
    const Tensor x = zeros({2250, 40}), source = ones({2250, 40});
    Tensor written = x.clone();
    const Unchanged before({x, written});
    expect_error<IndexError>(message.c_str(), [&] { x.gather(1, index); });
    expect_error<IndexError>(message.c_str(), [&] { x.scatter_add(1, index, source); });
    expect_error<IndexError>(message.c_str(), [&] { written.scatter_add_(1, index, source); });
    before.check();
  }
  const Tensor nowhere = zeros({3, 0});
  expect_error<IndexError>("index 0 is out of bounds for dimension 1 with size 0", [&] {
    nowhere.gather(1, zeros({3, 1}, kInt64));
  });
}

TEST(IndirectLoops, LetTheLastOfSeveralWritesStay) {
  struct Write {
    int64_t size, count;
    bool is_column;
  };
  // Of many positions a bit for each entry is kept, of few ones a set.
  for (const auto& [size, count, is_column] : {Write{5000, 3000, false}, Write{1 << 16, 5, false},
                                               Write{64, 64, false}, Write{300, 700, true}}) {
    const Tensor x = rand({size, is_column ? 2 : 1}, kFloat64).requires_grad_();
    Tensor index = randint(size, {count});
    index.data_ptr<int64_t>()[0] = index.data_ptr<int64_t>()[count - 1];
    const Tensor value = rand({count, x.size(1)}, kFloat64).requires_grad_();
    const Tensor seed = rand(x.sizes(), kFloat64);
    std::vector<double> result = values(x), of_x = values(seed), sums = result;
    const std::vector<double> written = values(value), positions = values(index), all = of_x;
    std::vector<double> of_value(written.size());
    for (int64_t i = 0; i < count; ++i)
      for (int64_t k = 0; k < x.size(1); ++k) {
        const auto to = at(static_cast<int64_t>(positions[at(i)]) * x.size(1) + k);
        result[to] = written[at(i * x.size(1) + k)];
        of_x[to] = 0;
        bool stays = true;
        for (int64_t later = i + 1; later < count; ++later)
          stays &= positions[at(later)] != positions[at(i)];
        of_value[at(i * x.size(1) + k)] = stays ? all[to] : 0;
      }
    const Tensor y = index_put(x, {index}, value);
    EXPECT_EQ(values(y), result);
    y.backward(seed);
    EXPECT_EQ(values(x.grad()), of_x);
    EXPECT_EQ(values(value.grad()), of_value);
    for (int64_t i = 0; i < count; ++i)
      for (int64_t k = 0; k < x.size(1); ++k)
        sums[at(static_cast<int64_t>(positions[at(i)]) * x.size(1) + k)] +=
            written[at(i * x.size(1) + k)];
    const std::vector<double> found = values(index_put(x, {index}, value, true));
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(found[i], sums[i], 1e-12);
  }
}

TEST(IndirectLoops, ReadTheGradientOfASum) {  // which is one number, repeated
  const Tensor x = ones({4, 3}, kFloat64).requires_grad_();
  const Tensor value = ones({2}, kFloat64).requires_grad_();
  (index_put(x, {tensor({1, 1}), tensor({2, 2})}, value).sum() * 3).backward();
  expect_values(x.grad(), {3, 3, 3, 3, 3, 0, 3, 3, 3, 3, 3, 3});
  expect_values(value.grad(), {0, 3});
}

}  // namespace
}  // namespace notape::testing
