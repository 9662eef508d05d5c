// safetensors files: the format by hand, round trips, and headers that lie.
#include "autograd/interchange/safetensors.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "autograd/interchange/testing/scratch.h"
#include "ops/ops.h"

namespace notape {
namespace {

using namespace notape::testing;
using namespace std::string_literals;

class Safetensors : public ::testing::Test {
 protected:
  std::string file(std::string_view bytes) const {
    const std::string path = folder_ / "x.safetensors";
    put_bytes(path, bytes);
    return path;
  }
  static std::string prefixed(uint64_t length, const std::string& rest) {
    return std::string(reinterpret_cast<const char*>(&length), sizeof length) + rest;
  }
  std::string file_with(const std::string& header, const std::string& data = "") const {
    return file(prefixed(header.size(), header + data));
  }
  void expect_refused(std::string_view fragment, const std::string& path) const {
    expect_error<FileError>(fragment, [&] { load_safetensors(path); });
    expect_error<FileError>(path, [&] { load_safetensors_metadata(path); });
  }

  TemporaryFolder folder_;
};

TEST_F(Safetensors, FileByHand_IsRead) {
  const std::string path = file_with(
      R"({"b":{"dtype":"I32","shape":[],"data_offsets":[8,12]},"__metadata__":{"format":"pt"},)"
      R"("a":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
      R"("none":{"dtype":"F64","shape":[0,3],"data_offsets":[8,8]}}   )",
      "\0\0\x80?\0\0\0@\7\0\0\0"s);
  const NamedTensors tensors = load_safetensors(path);
  ASSERT_EQ(tensors.size(), 3u);
  EXPECT_EQ(tensors.at("a").sizes(), IntArrayRef({1, 2}));
  expect_values(tensors.at("a"), {1, 2});
  EXPECT_EQ(tensors.at("b").dtype(), kInt32);
  expect_values(tensors.at("b"), {7});
  EXPECT_EQ(tensors.at("none").sizes(), IntArrayRef({0, 3}));
  EXPECT_EQ(load_safetensors_metadata(path), (SafetensorsMetadata{{"format", "pt"}}));
}

TEST_F(Safetensors, SavedFile_IsAlignedAndOrderedBySizeOfElements) {
  save_safetensors(folder_ / "x", {{"a", tensor({true}, kBool)}, {"z", tensor({1.0}, kFloat64)}},
                   {{"by", "me"}});
  const std::string header =
      R"({"__metadata__":{"by":"me"},"z":{"dtype":"F64","shape":[1],"data_offsets":[0,8]},)"
      R"("a":{"dtype":"BOOL","shape":[1],"data_offsets":[8,9]}})";
  const std::size_t padded = (header.size() + 7) / 8 * 8;
  EXPECT_EQ(
      bytes_of(folder_ / "x"),
      prefixed(padded, header + std::string(padded - header.size(), ' ') + "\0\0\0\0\0\0\xf0?\1"s));
}

TEST_F(Safetensors, EveryDtypeAndRandomShape_ComesBackBitForBit) {
  EXPECT_TRUE(rc::check("random files", [&] {
    NamedTensors tensors;
    for (ScalarType type : kAllTypes) {
      const auto rank = *rc::gen::inRange<std::size_t>(0, 6);
      const auto sizes =
          *rc::gen::container<std::vector<int64_t>>(rank, rc::gen::inRange<int64_t>(0, 5));
      tensors.emplace("layer \"\\\n\xc3\xa4 " + std::string(name_of(type)),
                      random_bits(sizes, type));
    }
    const SafetensorsMetadata metadata = {{"k\"", *rc::gen::element("v"s, ""s, "\xe2\x82\xac"s)}};
    save_safetensors(folder_ / "x", tensors, metadata);
    RC_ASSERT(load_safetensors_metadata(folder_ / "x") == metadata);
    const NamedTensors back = load_safetensors(folder_ / "x");
    RC_ASSERT(back.size() == tensors.size());
    for (const auto& [name, value] : tensors) expect_same_bits(back.at(name), value);
  }));
}

TEST_F(Safetensors, StridedTensorWithHistory_IsSavedRowMajor) {
  const Tensor x = tensor({{1.0, 2.0}, {3.0, 4.0}}, requires_grad());
  save_safetensors(folder_ / "x", {{"t", x.t()}, {"row", (x * 2).select(0, 1)}});
  const NamedTensors tensors = load_safetensors(folder_ / "x");
  expect_values(tensors.at("t"), {1, 3, 2, 4});
  expect_values(tensors.at("row"), {6, 8});
  EXPECT_FALSE(tensors.at("t").requires_grad());
}

TEST_F(Safetensors, NoTensors_ComeBackAsNone) {
  save_safetensors(folder_ / "x", {});
  EXPECT_EQ(bytes_of(folder_ / "x"), prefixed(8, "{}      "));
  EXPECT_TRUE(load_safetensors(folder_ / "x").empty());
}

TEST_F(Safetensors, WhatIsWrongWithAHeader_IsSaid) {
  const auto entry = [](const std::string& type, const std::string& shape,
                        const std::string& offsets) {
    return R"({"dtype":")" + type + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
  };
  const std::string fine = entry("U8", "[4]", "[0,4]");
  const struct {
    std::string header, problem;
  } cases[] = {
      {"", "is no safetensors file"},
      {" {}", "is no safetensors file"},
      {"[]", "is no safetensors file"},
      {"{\"a\":", "is no safetensors file"},
      {"{\"\xff\":1}", "is no safetensors file"},
      {"{\"a\":" + fine + ",\"a\":" + fine + "}", "'a' stands twice"},
      {"{\"a\":1}", "'a' is not described by"},
      {"{\"a\":{\"dtype\":\"U8\",\"shape\":[4]}}", "'a' is not described by"},
      {"{\"a\":" + entry("U8", "4", "[0,4]") + "}", "'a' is not described by"},
      {"{\"a\":" + entry("U8", "[-4]", "[0,4]") + "}", "'a' is not described by"},
      {"{\"a\":" + entry("U8", "[4.0]", "[0,4]") + "}", "'a' is not described by"},
      {"{\"a\":" + entry("U8", "[4]", "[0,4,8]") + "}", "'a' is not described by"},
      {"{\"a\":" + entry("U8", "[18446744073709551615]", "[0,4]") + "}", "'a' is not described"},
      {"{\"a\":" + entry("F8_E4M3", "[4]", "[0,4]") + "}", "dtype F8_E4M3 of 'a' is not supported"},
      {"{\"a\":" + entry("U8", "[4294967296,4294967296]", "[0,4]") + "}",
       "'a': the number of elements of size"},
      {"{\"a\":" + entry("U8", "[5]", "[0,4]") + "}", "takes 5 bytes, but its data_offsets"},
      {"{\"a\":" + entry("U8", "[4]", "[4,0]") + "}", "takes 4 bytes, but its data_offsets"},
      {"{\"a\":" + entry("F64", "[100000000000]", "[0,800000000000]") + "}",
       "truncated: the tensors take 800000000000 bytes, but 4 bytes"},
      {"{\"a\":" + entry("U8", "[2]", "[0,2]") + "}", "2 bytes follow the last tensor"},
      {"{}", "4 bytes follow the last tensor"},
      {"{\"a\":" + entry("U8", "[3]", "[1,4]") + "}", "there is a hole before the data of 'a'"},
      {"{\"a\":" + fine + ",\"b\":" + entry("U8", "[2]", "[2,4]") + "}",
       "the data of 'b' overlaps"},
      {"{\"a\":" + fine + ",\"__metadata__\":{\"k\":1}}", "no object of strings: 'k'"},
      {"{\"a\":" + fine + ",\"__metadata__\":7}", "__metadata__ is no object of strings"},
  };
  for (const auto& [header, problem] : cases) {
    SCOPED_TRACE(header);
    expect_refused(problem, file_with(header, "1234"));
  }
  expect_refused("a header of 100000001 bytes is claimed", file(prefixed(100'000'001, "{}")));
  expect_refused("a header of 18446744073709551615 bytes", file(prefixed(UINT64_MAX, "{}")));
  expect_refused("truncated: the header takes 1000 bytes", file(prefixed(1000, "{}")));
  expect_refused("No such file", folder_ / "absent");
}

TEST_F(Safetensors, DeeplyNestedHeader_IsRefusedWithoutRecursion) {
  const std::string path = file_with("{\"a\":" + std::string(200'000, '['));
  expect_refused("is no safetensors file", path);
  expect_refused("'a' is not described by", file_with("{\"a\":" + std::string(200'000, '[') +
                                                      std::string(200'000, ']') + "}"));
}

TEST_F(Safetensors, WhatCannotBeSaved_IsSaidAndLeavesNothing) {
  const auto save = [&](const NamedTensors& tensors, const SafetensorsMetadata& metadata = {}) {
    save_safetensors(folder_ / "x", tensors, metadata);
  };
  expect_error<UndefinedTensor>("'u' is an undefined tensor", [&] { save({{"u", Tensor()}}); });
  expect_error<ValueError>("cannot be called __metadata__", [&] {
    save({{"__metadata__", ones({1})}});
  });
  expect_error<ValueError>("not valid UTF-8", [&] { save({{"\xff", ones({1})}}); });
  expect_error<ValueError>("not valid UTF-8", [&] { save({}, {{"a", "\xff"}}); });
  expect_error<FileError>("cannot be written", [&] {
    save_safetensors(folder_ / "no/x", {{"a", ones({1})}});
  });
  EXPECT_EQ(folder_.files(), 0u);
}

TEST_F(Safetensors, DamagedFile_IsRefusedOrRead) {
  save_safetensors(folder_ / "x", {{"a", ones({2})}, {"b", tensor({true}, kBool)}}, {{"k", "v"}});
  EXPECT_GT(expect_survives_damage(folder_ / "x", load_safetensors), 250u);
}

}  // namespace
}  // namespace notape
