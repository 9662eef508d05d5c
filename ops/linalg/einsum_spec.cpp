// The row of einsum: some equations, each with the same thing in letters alone, and the sum of all
// products written out.
#include <map>
#include <string>

#include "ops/linalg.h"
#include "ops/spec/plain.h"

namespace notape {
namespace {

struct Example {
  const char* equation;
  std::vector<std::string> operands;
  std::string result;
};

const std::vector<Example>& examples() {
  static const std::vector<Example> all = {
      {"ij->ji", {"ij"}, "ji"},
      {"ii->i", {"ii"}, "i"},
      {"ij->", {"ij"}, ""},
      {"ba", {"ba"}, "ab"},
      {"iji->j", {"iji"}, "j"},
      {"...ij->...j", {"xij"}, "xj"},
      {"ij,jk->ik", {"ij", "jk"}, "ik"},
      {"i,j->ij", {"i", "j"}, "ij"},
      {"i,i->", {"i", "i"}, ""},
      {" bij, bjk -> bik ", {"bij", "bjk"}, "bik"},
      {"ijk,ijk->ki", {"ijk", "ijk"}, "ki"},
      {"bhqd,bhkd->bhqk", {"bhqd", "bhkd"}, "bhqk"},
      {"...i,ij->...j", {"xyi", "ij"}, "xyj"},
      {"i...,...j->j...i", {"ix", "xj"}, "jxi"},
      {"ij,kj", {"ij", "kj"}, "ik"},
      {"aab,bc->ca", {"aab", "bc"}, "ca"},
      {"bn,anm,bm->ba", {"bn", "anm", "bm"}, "ba"},
      {"ij,jk,kl->il", {"ij", "jk", "kl"}, "il"},
      {"i,i,i,i->", {"i", "i", "i", "i"}, ""},
      {"ij,kl,jk,l->i", {"ij", "kl", "jk", "l"}, "i"},
  };
  return all;
}

using SizeOf = std::map<char, int64_t>;

std::vector<int64_t> sizes_of_letters(const std::string& letters, const SizeOf& size_of) {
  std::vector<int64_t> sizes;
  for (const char letter : letters) sizes.push_back(size_of.at(letter));
  return sizes;
}

/// Where an operand has the entry with these coordinates, given for each of the letters.
std::size_t place(const std::string& names, const std::vector<int64_t>& sizes,
                  const std::string& letters, const std::vector<int64_t>& coordinates) {
  int64_t flat = 0;
  for (std::size_t d = 0; d < names.size(); ++d)
    flat = flat * sizes[d] + (sizes[d] == 1 ? 0 : coordinates[letters.find(names[d])]);
  return static_cast<std::size_t>(flat);
}

OpCase draw_einsum_spec(Draw& draw) {
  const auto known = static_cast<int64_t>(examples().size());  // sizes are drawn from 0 on
  const Example example = examples()[static_cast<std::size_t>(draw.integer(1, known) - 1)];
  std::string letters;
  for (const std::string& operand : example.operands)
    for (const char letter : operand)
      if (letters.find(letter) == letters.npos) letters.push_back(letter);
  SizeOf size_of;
  const int64_t most = letters.size() > 4 ? 2 : 3;
  for (const char letter : letters) size_of[letter] = draw.integer(0, most);
  OpCase one;
  one.label = example.equation;
  for (const std::string& operand : example.operands) {
    one.arguments.push_back({.sizes = sizes_of_letters(operand, size_of)});
    for (int64_t& size : one.arguments.back().sizes)
      if (example.operands.size() > 1 && operand.size() > 2 && size > 0 && draw.integer(1, 10) == 1)
        size = 1;  // broadcast
  }
  const std::vector<Argument> arguments = one.arguments;
  // What only has size 1 has that size.
  for (const char letter : letters) size_of[letter] = 1;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    for (std::size_t d = 0; d < arguments[i].sizes.size(); ++d)
      if (arguments[i].sizes[d] != 1) size_of[example.operands[i][d]] = arguments[i].sizes[d];
  one.call = [=](const variable_list& x) { return einsum(example.equation, x); };
  one.reference = [=]<typename T>(const PlainList<T>& x) {
    PlainTensor<T> result(sizes_of_letters(example.result, size_of));
    const std::vector<int64_t> all = sizes_of_letters(letters, size_of);
    std::vector<int64_t> coordinates(all.size());
    for (int64_t flat = 0, count = PlainTensor<T>(all).numel(); flat < count; ++flat) {
      int64_t rest = flat;
      for (std::size_t d = all.size(); d-- > 0; rest /= all[d]) coordinates[d] = rest % all[d];
      T product = 1;
      for (std::size_t i = 0; i < x.size(); ++i)
        product *= x[i].values[place(example.operands[i], x[i].sizes, letters, coordinates)];
      result.values[place(example.result, result.sizes, letters, coordinates)] += product;
    }
    return result;
  };
  return one;
}

const RegisterOp einsum_spec_row(
    {.name = "einsum", .family = "linalg", .draw = draw_einsum_spec, .traits = Trait::Accumulates});

}  // namespace
}  // namespace notape
