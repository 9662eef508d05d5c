// .npy files: against bytes that NumPy 1.24 wrote, round trips, and damaged files.
#include "autograd/interchange/npy.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>

#include "autograd/interchange/testing/scratch.h"
#include "ops/ops.h"

namespace notape {
namespace {

using namespace notape::testing;
using namespace std::string_literals;

class Npy : public ::testing::Test {
 protected:
  std::string file(std::string_view bytes) const {
    const std::string path = folder_ / "x.npy";
    put_bytes(path, bytes);
    return path;
  }
  /// A version 1.0 file with this header.
  std::string file_with(const std::string& header, const std::string& data = "") const {
    std::string bytes = "\x93NUMPY\x01\x00"s;
    bytes += static_cast<char>(header.size() & 0xff);
    bytes += static_cast<char>(header.size() >> 8);
    return file(bytes + header + data);
  }
  void expect_refused(std::string_view fragment, const std::string& path) const {
    expect_error<FileError>(fragment, [&] { load_npy(path); });
    expect_error<FileError>(path, [&] { load_npy(path); });
  }

  TemporaryFolder folder_;
};

TEST_F(Npy, BigEndianFortranArrayOfNumPy_KeepsValuesAndStrides) {
  const Tensor x = load_npy(file(
      "\x93NUMPY\x01\x00v\x00{'descr': '>i4', 'fortran_order': True, 'shape': (2, 3), }           "
      "                                                \n\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\4\0\0\0\2\0\0\0\5"s));
  EXPECT_EQ(x.dtype(), kInt32);
  EXPECT_EQ(x.sizes(), IntArrayRef({2, 3}));
  EXPECT_EQ(x.strides(), IntArrayRef({1, 2}));
  expect_values(x, {0, 1, 2, 3, 4, 5});
}

TEST_F(Npy, VersionThreeOfNumPy_IsRead) {
  const Tensor x = load_npy(file(
      "\x93NUMPY\x03\x00t\0\0\0{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }           "
      "                                               \n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xf0?\0\0\0\0\0\0\0@"s));
  EXPECT_EQ(x.dtype(), kFloat64);
  expect_values(x, {0, 1, 2});
}

TEST_F(Npy, HeaderOfVersionTwo_IsRead) {
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}\n";
  expect_values(load_npy(file("\x93NUMPY\x02\x00"s + static_cast<char>(header.size()) + "\0\0\0"s +
                              header + "\x07\x09")),
                {7, 9});
}

TEST_F(Npy, SavedFile_IsWhatNumPyWrites) {
  save_npy(folder_ / "x.npy", tensor({{1.0, 2.0}}));
  EXPECT_EQ(bytes_of(folder_ / "x.npy"),
            "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }"s +
                std::string(58, ' ') + "\n\0\0\x80?\0\0\0@"s);
  save_npy(folder_ / "s.npy", scalar_tensor(true, kBool));
  EXPECT_THAT(bytes_of(folder_ / "s.npy"),
              HasSubstr("{'descr': '|b1', 'fortran_order': False, 'shape': (), }    "));
}

TEST_F(Npy, EveryDtypeAndRandomShape_ComesBackBitForBit) {
  EXPECT_TRUE(rc::check("random shapes", [&] {
    const auto rank = *rc::gen::inRange<std::size_t>(0, 6);
    const auto sizes =
        *rc::gen::container<std::vector<int64_t>>(rank, rc::gen::inRange<int64_t>(0, 5));
    for (ScalarType type : kAllTypes) {
      const Tensor x = random_bits(sizes, type);
      save_npy(folder_ / "x.npy", x);
      RC_ASSERT(bytes_of(folder_ / "x.npy").size() % 64 ==
                static_cast<std::size_t>(x.numel()) * x.element_size() % 64);
      expect_same_bits(load_npy(folder_ / "x.npy"), x);
    }
  }));
}

TEST_F(Npy, StridedTensorWithHistory_IsSavedRowMajor) {
  const Tensor x = tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}, requires_grad());
  save_npy(folder_ / "t.npy", x.t());
  save_npy(folder_ / "e.npy", x.narrow(1, 1, 1).expand({2, 2}) * 2);
  const Tensor t = load_npy(folder_ / "t.npy");
  EXPECT_FALSE(t.requires_grad());
  EXPECT_TRUE(t.is_contiguous());
  EXPECT_EQ(t.sizes(), IntArrayRef({3, 2}));
  expect_values(t, {1, 4, 2, 5, 3, 6});
  expect_values(load_npy(folder_ / "e.npy"), {4, 4, 10, 10});
}

TEST_F(Npy, ABoolOfAnotherByte_IsWrittenAsOne) {
  uint8_t bytes[] = {0, 2, 255, 1};
  save_npy(folder_ / "x.npy", from_blob(bytes, {4}, kBool));
  const std::string text = bytes_of(folder_ / "x.npy");
  EXPECT_EQ(text.substr(text.size() - 4), std::string("\0\1\1\1", 4));
}

TEST_F(Npy, AnyNonzeroByteOfABool_IsTrue) {
  const Tensor x = load_npy(
      file_with("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", "\x00\x01\xff"s));
  expect_values(x, {0, 1, 1});
}

TEST_F(Npy, WhatIsWrongWithAFile_IsSaid) {
  const auto header = [](const std::string& descr, const std::string& shape) {
    return "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }";
  };
  const struct {
    std::string header, problem;
  } cases[] = {
      {header("'<f3'", "(1,)"), "dtype '<f3' is not supported"},
      {header("'|f4'", "(1,)"), "dtype '|f4' is not supported"},
      {header("'f4'", "(1,)"), "dtype 'f4' is not supported"},
      {header("''", "(1,)"), "dtype '' is not supported"},
      {header("[('a', '<f4')]", "(1,)"), "structured dtypes are not supported"},
      {header("'<f4'", "(3)"), "the shape is no tuple"},
      {header("'<f4'", "(-3,)"), "negative size -3"},
      {header("'<f4'", "(99999999999999999999,)"), "a size is too large"},
      {header("'<f4'", "(1, x)"), "a size expected"},
      {header("'<f4'", "(4294967296, 4294967296)"), "the number of elements of size"},
      {header("'<f4'", "(0, 4294967296, 4294967296)"), "the number of elements of size"},
      {header("'<f8'", "(1152921504606846976,)"), "the number of elements of size"},
      {header("'<f8'", "(100000000000,)"), "takes 800000000000 bytes, but 0 bytes"},
      {header("'<f4'", "(2,)"), "takes 8 bytes, but 0 bytes of data are there (truncated)"},
      {"", "'{' expected"},
      {"{", "a string expected"},
      {"{'descr", "a string without end"},
      {"{'descr': '<f4'}", "is missing"},
      {"{'descr': '<f4', 'descr': '<f4'}", "a key stands twice"},
      {"{'colour': 1}", "unknown key 'colour'"},
      {"{'fortran_order': 1}", "True or False expected"},
      {header("'<f4'", "()") + " x", "text follows"},
  };
  for (const auto& [text, problem] : cases) {
    SCOPED_TRACE(text);
    expect_refused(problem, file_with(text));
  }
  std::string ones;
  for (int i = 0; i < 65; ++i) ones += "1, ";
  expect_refused("at most 64 dimensions", file_with(header("'<f4'", "(" + ones + ")"), "1234"));
  expect_refused("takes 4 bytes, but 5 bytes", file_with(header("'<f4'", "()"), "12345"));
  expect_refused("is no .npy array", file("PK\x03\x04 something"));
  expect_refused(".npy version 4.0 is not supported", file("\x93NUMPY\x04\x00v\x00"s));
  expect_refused("the header takes 4294967295 bytes", file("\x93NUMPY\x02\x00\xff\xff\xff\xff{}"s));
}

TEST_F(Npy, WhatCannotBeOpened_IsAFileError) {
  expect_refused("No such file", folder_ / "absent.npy");
  expect_refused("not a regular file", folder_ / "");
  const std::string pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  expect_refused("not a regular file", pipe);
}

TEST_F(Npy, WhatCannotBeWritten_IsOneFileErrorAndLeavesNothing) {
  const Tensor x = ones({100000});
  const auto save = [&](const std::string& path) {
    expect_error<FileError>(path + ": cannot be written", [&] { save_npy(path, x); });
  };
  save(folder_ / "absent/x.npy");
  save(folder_ / "");
  save("/dev/full");
  expect_error<UndefinedTensor>("the tensor is an undefined tensor",
                                [&] { save_npy(folder_ / "x.npy", Tensor()); });
  EXPECT_EQ(folder_.files(), 0u);
}

TEST_F(Npy, Overwriting_ReplacesTheFileBehindALink) {
  save_npy(folder_ / "x.npy", ones({3}));
  std::filesystem::create_symlink("x.npy", folder_ / "latest.npy");
  save_npy(folder_ / "latest.npy", zeros({2}));
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "latest.npy"));
  expect_values(load_npy(folder_ / "x.npy"), {0, 0});
  EXPECT_EQ(folder_.files(), 2u);
}

TEST_F(Npy, DamagedFile_IsRefusedOrRead) {
  save_npy(folder_ / "x.npy", tensor({{1.0, 2.0, 3.0}}));
  EXPECT_GT(expect_survives_damage(folder_ / "x.npy", load_npy), 100u);
}

}  // namespace
}  // namespace notape
