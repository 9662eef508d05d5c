// Data sets of R packages, without R: Rdata.rdx, an index, beside Rdata.rdb, the objects. Both hold
// R's serialisation, version 3 (R Core Team, "R Internals", 1.8): the index as gzip, an object as
// four bytes of inflated size, big-endian, and a zlib stream.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autograd/autograd.h"

namespace notape::data {

/// A value of R: one of these vectors, or nothing.
struct RValue {
  enum class Kind { Nil, Logical, Integer, Real, Strings, List, String, Symbol, Pairs };

  Kind kind = Kind::Nil;
  std::vector<int32_t> integers;  ///< of Logical and Integer; NA is the least number
  std::vector<double> reals;
  std::vector<std::optional<std::string>> strings;  ///< nothing is NA
  std::vector<RValue> list;                         ///< of List, and the values of Pairs
  std::string text;                                 ///< of a String or Symbol
  std::vector<std::string> tags;                    ///< of Pairs
  std::vector<RValue> attributes;                   ///< one of Pairs, or nothing

  /// The attribute of that name, or null.
  const RValue* attribute(std::string_view name) const;
  /// The element of a List with this name in its `names` attribute; a data frame's column. Throws
  /// ValueError, which lists the existing names.
  const RValue& element(std::string_view name) const;
  /// Integer, Logical and Real as float64 (NA of the former is nan). Throws ValueError for others.
  Tensor numbers() const;
};

/// The object of that name in the folder's Rdata.rdb. Throws FileError, naming file and byte, for
/// files that are missing, truncated, of another version or of types that data sets do not have,
/// and naming what there is if the object is not there.
RValue read_r_data(const std::filesystem::path& folder, const std::string& name);

/// What R's serialize() wrote. `name` is for messages.
RValue parse_r_data(std::string_view bytes, const std::string& name);

}  // namespace notape::data
