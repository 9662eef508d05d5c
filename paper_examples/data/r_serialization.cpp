// R's serialisation, as far as data sets need it: an item is int32 flags, whose low byte is the
// type, then what the type has, then its attributes.
#include "paper_examples/data/byte_reader.h"
#include "paper_examples/data/r_data.h"

namespace notape::data {
namespace {

using Kind = RValue::Kind;

class RParser {
 public:
  RParser(std::string_view bytes, const std::string& name) : reader_(bytes, name) {}

  RValue run() {
    if (reader_.left() < 2 || ByteReader(reader_).take(2, "the format") != "X\n")
      reader_.fail("no R data: it does not begin with X and a line break");
    reader_.take(2, "the format");
    ByteReader before = reader_;
    if (const int32_t version = integer("the version"); version != 3)
      before.fail("R data of version {}; only 3 is read", version);
    reader_.take(8, "the versions of R");
    reader_.take(length(1, "the encoding's name"), "the encoding's name");
    RValue value = item();
    if (reader_.left() != 0) reader_.fail("{} bytes after the value", reader_.left());
    return value;
  }

 private:
  enum Type {
    kSymbol = 1,
    kPairs = 2,
    kString = 9,
    kLogical = 10,
    kInteger = 13,
    kReal = 14,
    kStrings = 16,
    kList = 19,
    kNil = 254,
    kReference = 255
  };
  static constexpr uint32_t kHasAttributes = 0x200, kHasTag = 0x400;

  RValue item() {
    const ByteReader before = reader_;
    const uint32_t flags = reader_.big32("an item");
    constexpr int kDeepest = 200;
    if (++depth_ > kDeepest) before.fail("more than {} values inside one another", kDeepest);
    RValue value = of_type(flags, before);
    --depth_;
    return value;
  }

  RValue of_type(uint32_t flags, const ByteReader& before) {
    switch (flags & 0xff) {
      case kNil:
        return {};
      case kSymbol: {
        RValue symbol = item();
        if (symbol.kind != Kind::String) before.fail("a symbol without a name");
        symbol.kind = Kind::Symbol;
        symbols_.push_back(symbol);
        return symbol;
      }
      case kReference: {
        const uint32_t index = flags >> 8 != 0 ? flags >> 8 : reader_.big32("a reference");
        if (index == 0 || index > symbols_.size())
          before.fail("reference {} of {}", index, symbols_.size());
        return symbols_[index - 1];
      }
      case kPairs:
        return pairs(flags);
      case kString:
        return string();
      default:
        return vector(flags, before);
    }
  }

  /// All cells of a linked list.
  RValue pairs(uint32_t flags) {
    RValue result;
    result.kind = Kind::Pairs;
    while (true) {
      if (flags & kHasAttributes) item();  // of the cell: data sets have nothing there
      result.tags.push_back(flags & kHasTag ? item().text : "");
      result.list.push_back(item());
      const ByteReader before = reader_;
      flags = reader_.big32("a cell");
      if ((flags & 0xff) == kNil) return result;
      if ((flags & 0xff) != kPairs) before.fail("type {} in a list of pairs", flags & 0xff);
    }
  }

  RValue string() {
    RValue result;
    const ByteReader before = reader_;
    const int32_t size = integer("a string's length");
    if (size < -1) before.fail("a string of {} bytes", size);
    if (size == -1) return result;  // NA
    result.kind = Kind::String;
    result.text = reader_.take(static_cast<std::size_t>(size), "a string");
    return result;
  }

  RValue vector(uint32_t flags, const ByteReader& before) {
    RValue result;
    switch (flags & 0xff) {
      case kLogical:
      case kInteger: {
        result.kind = (flags & 0xff) == kLogical ? Kind::Logical : Kind::Integer;
        const std::size_t count = length(4, "integers");
        for (std::size_t i = 0; i < count; ++i) result.integers.push_back(integer("an integer"));
        break;
      }
      case kReal: {
        result.kind = Kind::Real;
        const std::size_t count = length(8, "numbers");
        for (std::size_t i = 0; i < count; ++i)
          result.reals.push_back(reader_.big_double("a number"));
        break;
      }
      case kStrings:
        strings(result);
        break;
      case kList: {
        result.kind = Kind::List;
        const std::size_t count = length(4, "items");
        for (std::size_t i = 0; i < count; ++i) result.list.push_back(item());
        break;
      }
      default:
        before.fail("type {}, which data sets do not have", flags & 0xff);
    }
    if (flags & kHasAttributes) result.attributes.push_back(item());
    return result;
  }

  void strings(RValue& result) {
    result.kind = Kind::Strings;
    const std::size_t count = length(4, "strings");
    for (std::size_t i = 0; i < count; ++i) {
      const ByteReader before = reader_;
      RValue each = item();
      if (each.kind == Kind::Nil)
        result.strings.emplace_back();
      else if (each.kind == Kind::String)
        result.strings.push_back(std::move(each.text));
      else
        before.fail("what should be a string is none");
    }
  }

  /// A count of things of that many bytes at least: never more than the bytes left.
  std::size_t length(std::size_t bytes_of_each, const char* what) {
    const ByteReader before = reader_;
    const int32_t count = integer(what);
    if (count < 0) before.fail("{} {}", count, what);
    if (static_cast<std::size_t>(count) > reader_.left() / bytes_of_each)
      before.fail("truncated: {} {}, and {} bytes are left", count, what, reader_.left());
    return static_cast<std::size_t>(count);
  }

  int32_t integer(const char* what) { return static_cast<int32_t>(reader_.big32(what)); }

  ByteReader reader_;
  std::vector<RValue> symbols_;
  int depth_ = 0;
};

}  // namespace

RValue parse_r_data(std::string_view bytes, const std::string& name) {
  return RParser(bytes, name).run();
}

}  // namespace notape::data
