#include "paper_examples/data/idx.h"

#include <gmock/gmock.h>

#include <numeric>

#include "autograd/testing/temporary_folder.h"
#include "ops/ops.h"
#include "paper_examples/data/datasets/mnist.h"
#include "paper_examples/data/package_file.h"
#include "paper_examples/testing/gzipped.h"
#include "paper_examples/testing/message_of.h"

namespace notape::data {
namespace {

using ::testing::HasSubstr;

std::string idx_file(const std::vector<uint32_t>& sizes, const std::string& values) {
  std::string bytes{0, 0, 8, static_cast<char>(sizes.size())};
  for (uint32_t size : sizes)
    for (int shift : {24, 16, 8, 0}) bytes += static_cast<char>(size >> shift);
  return bytes + values;
}

/// Bytes 0, 1, 2, ...
std::string counting(std::size_t size) {
  std::string bytes(size, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  return bytes;
}

TEST(IdxFile, ReadsItemsWhenTheyAreAskedForFromGzipAndPlainFiles) {
  const testing::TemporaryFolder folder;
  const std::string bytes = idx_file({3, 2, 4}, counting(24));
  for (const std::string& content : {bytes, gzipped(bytes)}) {
    const IdxFile file(folder.write("a", content));
    EXPECT_EQ(file.sizes(), (std::vector<int64_t>{3, 2, 4}));
    EXPECT_EQ(file.item(2).sizes(), (IntArrayRef{2, 4}));
    EXPECT_TRUE(file.item(2).equal(arange(16, 24).view({2, 4}).to(kUInt8)));
    EXPECT_TRUE(file.all().equal(arange(24).view({3, 2, 4}).to(kUInt8)));
    for (int64_t index : {-1, 3})
      EXPECT_THAT(message_of<IndexError>([&] { file.item(index); }), HasSubstr("it has 3"));
  }
}

TEST(IdxFile, NamesFileAndByteOfWhatItCannotRead) {
  const testing::TemporaryFolder folder;
  const std::string whole = idx_file({2, 3}, counting(6));
  std::string wrong_type = whole, no_magic = whole, no_dimensions = whole;
  wrong_type[2] = 0x0d;
  no_magic[1] = 1;
  no_dimensions[3] = 0;
  const uint32_t most = 0xffffffff;
  const std::pair<std::string, std::string> cases[] = {
      {"", "byte 0: truncated: the magic number"},
      {no_magic, "byte 0: no IDX file"},
      {wrong_type, "byte 2: values of type 13"},
      {no_dimensions, "byte 3: an array without dimensions"},
      {whole.substr(0, 9), "byte 8: truncated: a size needs 4 bytes, 1 are left"},
      {whole.substr(0, 17), "byte 12: sizes [2, 3] want 6 bytes after the header, the file has 5"},
      {whole + "x", "byte 12: sizes [2, 3] want 6 bytes after the header, the file has 7"},
      {idx_file({most, most, most}, ""), "byte 12: the sizes [4294967295, 4294967295] overflow"},
      {gzipped(whole).substr(0, 20), "byte 20: truncated"},
  };
  for (const auto& [bytes, message] : cases) {
    const std::string path = folder.write("bad", bytes).string();
    EXPECT_THAT(message_of([&] { IdxFile file(path); }),
                ::testing::StartsWith(path + ": " + message));
  }
  EXPECT_THAT(message_of([&] { IdxFile file(folder / "none"); }), HasSubstr("No such file"));
  EXPECT_THAT(message_of([&] { IdxFile file(folder.path()); }), HasSubstr("not a regular file"));
}

TEST(IdxFile, SaysThatTheFileHasBecomeShorter) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("a", idx_file({3, 2}, counting(6)));
  const IdxFile file(path);
  std::filesystem::resize_file(path, 15);
  EXPECT_NO_THROW(file.item(0));
  EXPECT_THAT(message_of([&] { file.item(2); }), HasSubstr("byte 16: the file has become shorter"));
}

TEST(IdxLabels, RefuseClassesOutOfRange) {
  const testing::TemporaryFolder folder;
  const auto path = folder.write("labels", idx_file({3}, {0, 9, 4}));
  EXPECT_TRUE(read_idx_labels(path, 10).equal(tensor({0, 9, 4})));
  EXPECT_THAT(message_of([&] { read_idx_labels(path, 9); }),
              HasSubstr("byte 9: class 9 of item 1 is outside 0..8"));
}

TEST(MNIST, C15_IsTheSameReadAtOnceAndOneByOne) {
  const testing::TemporaryFolder folder;
  folder.write("train-images-idx3-ubyte", idx_file({2, 2, 2}, counting(8)));
  folder.write("train-labels-idx1-ubyte.gz", gzipped(idx_file({2}, {7, 1})));
  datasets::MNIST all(folder.path());
  datasets::LazyMNIST lazy(datasets::MNISTFiles::in(folder.path(), "train"));
  EXPECT_EQ(all.images().sizes(), (IntArrayRef{2, 1, 2, 2}));
  EXPECT_TRUE(all.is_train());
  ASSERT_EQ(all.size(), 2u);
  ASSERT_EQ(lazy.size(), 2u);
  EXPECT_NEAR(all.get(1).data[0][1][0].item(), 6.0 / 255, 1e-7);
  EXPECT_EQ(all.get(0).target.item<int64_t>(), 7);
  for (std::size_t i : {0, 1}) {
    EXPECT_TRUE(all.get(i).data.equal(lazy.get(i).data));
    EXPECT_TRUE(all.get(i).target.equal(lazy.get(i).target));
  }
}

TEST(MNIST, RefusesFilesThatDoNotBelongTogether) {
  const testing::TemporaryFolder folder;
  const auto mode = datasets::MNIST::Mode::kTest;
  EXPECT_THAT(message_of([&] { datasets::MNIST(folder.path(), mode); }),
              HasSubstr("t10k-images-idx3-ubyte: no such file, nor "));
  folder.write("t10k-images-idx3-ubyte", idx_file({2, 2, 2}, counting(8)));
  folder.write("t10k-labels-idx1-ubyte", idx_file({3}, {7, 1, 1}));
  EXPECT_THAT(message_of([&] { datasets::MNIST(folder.path(), mode); }),
              HasSubstr("t10k-images-idx3-ubyte: byte 4: 2 images, and "));
  folder.write("t10k-images-idx3-ubyte", idx_file({3}, counting(3)));
  EXPECT_THAT(message_of([&] { datasets::MNIST(folder.path(), mode); }),
              HasSubstr("1 dimensions; images have three"));
}

TEST(MNIST, FashionOfTheDebianPackage) {
  std::filesystem::path images;
  try {
    images = find_package_file("dataset-fashion-mnist",
                               "usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz");
  } catch (const MissingPackage& missing) {
    GTEST_SKIP() << missing.what();
  }
  const datasets::MNIST test(images.parent_path(), datasets::MNIST::Mode::kTest);
  EXPECT_EQ(test.images().sizes(), (IntArrayRef{10000, 1, 28, 28}));
  for (int64_t label = 0; label < 10; ++label)
    EXPECT_EQ(test.targets().eq(label).sum().item<int64_t>(), 1000) << label;
  const std::filesystem::path folder = images.parent_path();
  EXPECT_EQ(IdxFile(folder / "train-images-idx3-ubyte.gz").sizes(),
            (std::vector<int64_t>{60000, 28, 28}));
  EXPECT_EQ(read_idx_labels(folder / "train-labels-idx1-ubyte.gz", 10).numel(), 60000);
}

}  // namespace
}  // namespace notape::data
