// .npz files: against bytes that NumPy 1.24 wrote, round trips, and damaged archives.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "autograd/interchange/detail/npy_array.h"
#include "autograd/interchange/detail/zip_archive.h"
#include "autograd/interchange/npy.h"
#include "autograd/interchange/testing/scratch.h"
#include "ops/ops.h"

namespace notape {
namespace {

using namespace notape::testing;

/// np.savez_compressed(f, a=np.arange(6, dtype='<f4').reshape(2, 3), flag=np.array(True))
constexpr std::string_view kNumPyArchive =
    "504b0304140000000800000021004fe9002a550000009800000005001400612e6e70790100100098000000000000"
    "0055000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e9366a2aea3a09e965f54529498179f"
    "5f94920a12774bcc294e058a17672416a402f91a463a0ac69a3a0ab50a64032e063068b007120e4004c40d40bcc0"
    "0100504b030414000000080000002100822df8d3430000008100000008001400666c61672e6e7079010010008100"
    "00000000000043000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a05e9364a8aea3a09e965f54"
    "529498179f5f94920a12774bcc294e058a17672416a402f91a9a3a0ab50a14012e4600504b010214031400000008"
    "00000021004fe9002a5500000098000000050000000000000000000000800100000000612e6e7079504b01021403"
    "14000000080000002100822df8d3430000008100000008000000000000000000000080018c000000666c61672e6e"
    "7079504b0506000000000200020069000000090100000000";

class Npz : public ::testing::Test {
 protected:
  std::string file(std::string_view bytes) const {
    const std::string path = folder_ / "x.npz";
    put_bytes(path, bytes);
    return path;
  }
  void expect_refused(std::string_view fragment, std::string_view bytes) const {
    const std::string path = file(bytes);
    expect_error<FileError>(fragment, [&] { load_npz(path); });
    expect_error<FileError>(path, [&] { load_npz(path); });
  }

  TemporaryFolder folder_;
};

TEST_F(Npz, ArchiveOfNumPy_IsRead) {
  const NamedTensors tensors = load_npz(file(from_hex(kNumPyArchive)));
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors.at("a").sizes(), IntArrayRef({2, 3}));
  EXPECT_EQ(tensors.at("a").dtype(), kFloat32);
  expect_values(tensors.at("a"), {0, 1, 2, 3, 4, 5});
  EXPECT_EQ(tensors.at("flag").dtype(), kBool);
  expect_values(tensors.at("flag"), {1});
}

TEST_F(Npz, EveryDtypeAndRandomShape_ComesBackBitForBit) {
  EXPECT_TRUE(rc::check("random archives", [&] {
    const auto compression = *rc::gen::element(NpzCompression::Stored, NpzCompression::Deflated);
    NamedTensors tensors;
    for (ScalarType type : kAllTypes) {
      const auto rank = *rc::gen::inRange<std::size_t>(0, 6);
      const auto sizes =
          *rc::gen::container<std::vector<int64_t>>(rank, rc::gen::inRange<int64_t>(0, 5));
      tensors.emplace("layer." + std::string(name_of(type)) + "/\xc3\xa4",
                      random_bits(sizes, type));
    }
    save_npz(folder_ / "x.npz", tensors, compression);
    const NamedTensors back = load_npz(folder_ / "x.npz");
    RC_ASSERT(back.size() == tensors.size());
    for (const auto& [name, tensor] : tensors) expect_same_bits(back.at(name), tensor);
  }));
}

TEST_F(Npz, LargeDeflatedArray_IsSmallerAndComesBack) {
  const Tensor x = arange(300000, kInt64);
  save_npz(folder_ / "stored.npz", {{"x", x}});
  save_npz(folder_ / "deflated.npz", {{"x", x}, {"y", zeros({1000, 100})}},
           NpzCompression::Deflated);
  EXPECT_LT(2 * bytes_of(folder_ / "deflated.npz").size(), bytes_of(folder_ / "stored.npz").size());
  expect_same_bits(load_npz(folder_ / "deflated.npz").at("x"), x);
  expect_same_bits(load_npz(folder_ / "deflated.npz").at("y"), zeros({1000, 100}));
}

TEST_F(Npz, EmptyArchive_ComesBackEmpty) {
  save_npz(folder_ / "x.npz", {});
  EXPECT_TRUE(load_npz(folder_ / "x.npz").empty());
}

TEST_F(Npz, SameTensors_GiveTheSameBytes) {
  for (const char* name : {"a.npz", "b.npz"})
    save_npz(folder_ / name, {{"x", arange(10)}, {"y", ones({2})}}, NpzCompression::Deflated);
  EXPECT_EQ(bytes_of(folder_ / "a.npz"), bytes_of(folder_ / "b.npz"));
}

TEST_F(Npz, WhatIsWrongWithAnArchive_IsSaid) {
  const std::string good = from_hex(kNumPyArchive);
  const std::size_t directory = 0x109, end = good.size() - 22;
  const struct {
    std::size_t at;
    std::string bytes;
    std::string problem;
  } cases[] = {
      {directory + 8, "\x01", "'a.npy' is encrypted"},
      {directory + 10, "\x0c", "'a.npy' has the unsupported compression method 12"},
      {directory + 16, "x", "the checksum is wrong"},
      {directory + 20, "\xff\xff\xff\xff", "zip64 archives are not supported ('a.npy' needs it)"},
      {directory + 20, "\xf0\xff\xff\x7f", "together larger than the file"},
      {directory + 24, "\xf0\xff\xff\x7f", "'a.npy' cannot unpack to 2147483632 bytes"},
      {directory + 42, "\x01", "the entry's header is corrupt"},
      {directory + 42, "\xf0\xff\xff\x7f", "lies outside the file"},
      {directory + 46, "b", "the entry's header is corrupt"},
      {directory, "x", "a directory entry is corrupt"},
      {end + 10, "\xff\xff", "zip64 archives are not supported"},
      {end + 16, "\xff\xff\xff\xff", "zip64 archives are not supported"},
      {end + 8, "\x01", "archives in several parts"},
      {end + 16, "\xf0\xff\xff\x7f", "the zip directory lies outside the file"},
      {0x37, "\xff", "damaged ("},
  };
  for (const auto& [at, bytes, problem] : cases) {
    SCOPED_TRACE(problem);
    expect_refused(problem, std::string(good).replace(at, bytes.size(), bytes));
  }
  expect_refused("no end-of-directory record", "not an archive, although long enough for one");
  save_npz(folder_ / "x.npz", {{"ab", ones({2})}, {"ac", ones({2})}});
  std::string twice = bytes_of(folder_ / "x.npz");
  for (std::size_t at = 0; (at = twice.find("ac.npy")) != std::string::npos;)
    twice.replace(at, 2, "ab");
  expect_refused("'ab.npy' stands twice", twice);
  save_npz(folder_ / "x.npz", {{"ab", ones({2})}});
  std::string other = bytes_of(folder_ / "x.npz");
  for (std::size_t at = 0; (at = other.find("ab.npy")) != std::string::npos;)
    other.replace(at, 6, "ab.txt");
  expect_refused("the entry 'ab.txt' is no .npy array", other);
}

TEST_F(Npz, WhatCannotBeSaved_IsSaidAndLeavesNothing) {
  expect_error<UndefinedTensor>("'u' is an undefined tensor", [&] {
    save_npz(folder_ / "x.npz", {{"u", Tensor()}});
  });
  expect_error<ValueError>("'big' of size [1073741824] needs zip64", [&] {
    save_npz(folder_ / "x.npz", {{"big", zeros({1}).expand({1 << 30})}});
  });
  expect_error<ValueError>("a name has", [&] {
    save_npz(folder_ / "x.npz", {{std::string(70000, 'n'), ones({1})}});
  });
  expect_error<FileError>("/dev/full: cannot be written", [&] {
    save_npz("/dev/full", {{"x", ones({100000})}});
  });
  EXPECT_EQ(folder_.files(), 0u);
}

// Whoever unpacks an archive makes files of these names.
TEST_F(Npz, NamesThatAreNoFilesBelowAFolder_AreNeitherWrittenNorRead) {
  const struct {
    std::string name, problem;
  } cases[] = {
      {"", "'' is empty"},
      {"/etc/x", "is absolute"},
      {"C:x", "is absolute"},
      {"..", "leaves the directory"},
      {"a/../../x", "leaves the directory"},
      {"../x", "leaves the directory"},
      {"a\\x", "has a backslash"},
      {"a//b", "has an empty folder name"},
      {"a/", "has an empty folder name"},
      {"./a", "has an empty folder name, or '.'"},
      {"a\xff", "'a\\xff' is not UTF-8"},
      {"\x1b[2J", "'\\x1b[2J' has a control character"},
      {std::string("a\0b", 3), "has a control character"},
  };
  for (const auto& [name, problem] : cases) {
    SCOPED_TRACE(problem);
    expect_error<ValueError>(problem, [&] {
      save_npz(folder_ / "x.npz", {{"right", ones({2})}, {name, ones({2})}});
    });
    EXPECT_EQ(folder_.files(), 0u);
    {  // The same name in an archive of somebody else's.
      interchange::ZipWriter writer(folder_ / "x.npz");
      const std::string_view nothing[] = {"not read that far"};
      writer.add(name + ".npy", nothing, interchange::ZipMethod::Stored);
      writer.commit();
    }
    expect_error<FileError>(folder_ / "x.npz: the name of the entry '",
                            [&] { load_npz(folder_ / "x.npz"); });
    std::filesystem::remove(folder_ / "x.npz");
  }
}

TEST_F(Npz, DamagedArchive_IsRefusedOrRead) {
  EXPECT_GT(expect_survives_damage(file(from_hex(kNumPyArchive)), load_npz), 500u);
}

TEST_F(Npz, FoldersOfTheirOwnAreLeftOut) {
  const std::string array = interchange::npy_header(ones({2})) + std::string(8, '\0');
  const std::string_view part[] = {array};
  interchange::ZipWriter writer(folder_ / "x.npz");
  writer.add("layer/", {}, interchange::ZipMethod::Stored);
  writer.add("layer/a.npy", part, interchange::ZipMethod::Stored);
  writer.commit();
  const NamedTensors tensors = load_npz(folder_ / "x.npz");
  ASSERT_EQ(tensors.size(), 1u);
  expect_values(tensors.at("layer/a"), {0, 0});
  for (const char* name : {"/", "../", "a//"}) {
    interchange::ZipWriter wrong(folder_ / "x.npz");
    wrong.add(name, {}, interchange::ZipMethod::Stored);
    wrong.commit();
    expect_error<FileError>("the name of the entry", [&] { load_npz(folder_ / "x.npz"); });
  }
}

}  // namespace
}  // namespace notape
