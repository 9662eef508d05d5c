// The catalogue: what is read of the sources, and what operators say when they are asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "verify/catalogue/pages.h"
#include "verify/catalogue/probe.h"
#include "verify/checks/check.h"

namespace notape::verify::catalogue {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kHeader = R"(// A family.
namespace notape {

/// x + y
/// for numbers.
Tensor plus(const Tensor& self, const Tensor& other,
            At at = At::current());
Tensor& plus_(Tensor& self, const Tensor& other, At at = At::current());

// Others
std::tuple<Tensor, Tensor> two(const Tensor& self, IntArrayRef dim = {}, At at = At::current());
struct Pair {
  Tensor hidden(int64_t n) const;
};
namespace detail {
Tensor inside(const Tensor& self);
}  // namespace detail
template <typename T>
Tensor made(T value, At at = At::current()) {
  return plus(value);
}

}  // namespace notape
)";

TEST(Declarations, AreReadWithTheCommentsAboveThem) {
  const std::vector<Declaration> found = declarations_in(kHeader);
  std::vector<std::string> signatures, docs;
  for (const Declaration& one : found) {
    signatures.push_back(one.signature);
    docs.push_back(one.doc);
  }
  EXPECT_THAT(
      signatures,
      ElementsAre("Tensor plus(const Tensor& self, const Tensor& other)",
                  "Tensor& plus_(Tensor& self, const Tensor& other)",
                  "std::tuple<Tensor, Tensor> two(const Tensor& self, IntArrayRef dim = {})",
                  "Tensor made(T value)"));
  EXPECT_THAT(docs, ElementsAre("x + y for numbers.", "x + y for numbers.", "", ""));
  EXPECT_TRUE(found.at(0).is_below_doc);
  EXPECT_FALSE(found.at(1).is_below_doc);
}

TEST(OperatorFiles, AreReadForFormulaAndDerivative) {
  const OperatorFile file = read_operator_file(
      "// plus(x) = x,\n// d/dx = 1\n#include \"a.h\"\n\nconstexpr auto kRule =\n"
      "    derivative(\"PlusBackward0\", elementwise([](const Tensor& g) { return g; }));\n\n"
      "constexpr int kOther = 3;\n\nTensor plus(const Tensor& self, At at) {\n  return self;\n}\n");
  EXPECT_EQ(file.comment, "plus(x) = x,\nd/dx = 1\n");
  EXPECT_THAT(file.functions, ElementsAre("plus"));
  ASSERT_EQ(file.derivatives.size(), 1U);
  EXPECT_THAT(file.derivatives[0], HasSubstr("return g; }));"));
}

TEST(Catalogue, HasEveryRowWithItsFile) {
  std::set<std::string> names;
  for (const Entry& entry : entries()) EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
  for (const OpSpec* spec : op_specs()) {
    const Entry& entry = find_entry(spec->name);
    EXPECT_EQ(entry.row, spec);
    EXPECT_NE(entry.file, "") << spec->name;
  }
}

TEST(Catalogue, HasFunctionsWithoutRows) {
  for (const char* name :
       {"zeros", "logical_and", "view_as", "fill_", "arange", "eq", "multinomial"})
    EXPECT_THAT(find_entry(name).signatures.size() + find_entry(name).in_place.size(),
                ::testing::Gt(0U))
        << name;
  EXPECT_EQ(find_entry("zeros").derivative(), "none");
  EXPECT_EQ(find_entry("zeros").doc, "");
  EXPECT_THAT(find_entry("empty").doc, HasSubstr("Uninitialised"));
  EXPECT_EQ(find_entry("logical_and").derivative(), "none");
  EXPECT_EQ(find_entry("tanh").derivative(), "own rule");
  EXPECT_EQ(find_entry("relu6").derivative(), "of its parts");
}

TEST(Catalogue, KnowsFormsAndDevices) {
  const Entry& add = find_entry("add_");  // an in-place form leads to its operator
  EXPECT_EQ(add.name, "add");
  EXPECT_THAT(add.out, Not(IsEmpty()));
  EXPECT_THAT(add.in_place, Not(IsEmpty()));
  EXPECT_THAT(add.devices, ElementsAre("cpu", "cuda"));
  EXPECT_THAT(find_entry("softmax").devices, ElementsAre("cpu", "cuda"));
  EXPECT_THAT(find_entry("conv2d").devices, ElementsAre("cpu", "cuda"));
  EXPECT_THAT(find_entry("linalg_inv").devices, ElementsAre("cpu", "cuda"));
  EXPECT_THAT(find_entry("relu6").devices, IsEmpty());
}

TEST(Catalogue, KnowsThatAKernelOfAnyNameAndOneThatMayBeMissingRunOnBothDevices) {
  for (const char* name : {"neg", "multi_tensor_adam_", "nll_loss", "cross_entropy", "lstm_cell",
                           "scaled_dot_product_attention", "isin", "searchsorted", "flip", "median",
                           "max_pool3d", "linalg_qr", "linalg_svd"})
    EXPECT_THAT(find_entry(name).devices, ElementsAre("cpu", "cuda")) << name;
  EXPECT_EQ(find_entry("multi_tensor_adam_").derivative(), "none");
}

TEST(Catalogue, ShowsHowToCallEachRow) {
  for (const Entry& entry : entries()) EXPECT_THAT(entry.shown(), Not(IsEmpty())) << entry.name;
  const auto only = [](const char* part) { return ElementsAre(HasSubstr(part)); };
  EXPECT_THAT(find_entry("max_dim").shown(), only("max(const Tensor& self, Integer dim"));
  EXPECT_THAT(find_entry("index_put_accumulate").shown(), only("bool accumulate"));
  EXPECT_THAT(find_entry("conv1d_padding").shown(), only("PaddingName padding"));
  EXPECT_THAT(find_entry("cross_entropy_mixed").shown(), only("cross_entropy("));
  EXPECT_THAT(find_entry("cofactors").shown(), only("Tensor cofactors(const Tensor& self)"));
  EXPECT_THAT(find_entry("lstm_packed").shown(), Contains(HasSubstr("batch_sizes")));
  EXPECT_THAT(find_entry("zero_").shown(), only("Tensor& zero_(Tensor& self)"));
  EXPECT_THAT(find_entry("new_zeros").shown(), Contains(HasSubstr("IntArrayRef size")));
  EXPECT_EQ(find_entry("resize").called(), "resize_");
}

TEST(Catalogue, SuggestsWhatIsNear) {
  try {
    find_entry("sofmax");
    FAIL();
  } catch (const UnknownOperator& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'softmax'?"));
  }
}

TEST(Probe, SaysWhatOperatorsTakeAndSave) {
  const Findings add = probe(find_op_spec("add")), exp = probe(find_op_spec("exp"));
  EXPECT_EQ(add.dtypes.size(), static_cast<std::size_t>(kScalarTypes));
  EXPECT_TRUE(add.vmap);
  EXPECT_TRUE(add.in_place);
  EXPECT_THAT(exp.nodes, ElementsAre("ExpBackward0 (saves result)"));
  EXPECT_THAT(probe(find_op_spec("prelu")).dtypes,
              ElementsAre("float64", "float32", "bfloat16", "float16"));
}

TEST(Probe, OrdersAreTheRows) {
  EXPECT_EQ(verified_orders({.name = "", .family = "", .draw = {}}), "1, 2, 3, forward");
  EXPECT_EQ(
      verified_orders({.name = "", .family = "", .draw = {}, .order = 1, .forward_mode = false}),
      "1");
  EXPECT_EQ(verified_orders({.name = "", .family = "", .draw = {}, .order = 0}), "none");
}

TEST(Pages, HaveFormulaDerivativeKinksAndSavedValues) {
  const std::string page = page_text(find_entry("addcdiv"), {});
  for (const char* part :
       {"addcdiv (elementwise), ops/elementwise/addcdiv.cpp", "Tensor& addcdiv_(",
        "d/db = -value a / b^2", "derivative(\"AddcdivBackward0\"", "saves tensor1, tensor2",
        "error           not measured"})
    EXPECT_THAT(page, HasSubstr(part));
  EXPECT_THAT(page_text(find_entry("relu"), {}), HasSubstr("the derivative is"));
}

TEST(Pages, SayTheErrorOfCertificates) {
  Record record;
  record.op = "addcdiv";
  record.comparisons = 3;
  record.detectable = 2e-13;
  Record worse = record, failed = record;
  worse.detectable = 3e-12;
  failed.detectable = 1;
  failed.verdict = Verdict::Fail;
  const Errors errors = errors_of({record, worse, failed});
  EXPECT_THAT(page_text(find_entry("addcdiv"), errors), HasSubstr("float64 3e-12"));
  const auto json = nlohmann::json::parse(json_text({&find_entry("addcdiv")}, errors));
  EXPECT_EQ(json[0]["error"]["float64"], 3e-12);
  EXPECT_EQ(json[0]["vmap"], true);
  EXPECT_EQ(json[0]["orders"], 3);
}

TEST(Pages, OfADocumentAreTablesOfALinePerOperator) {
  const std::string text = markdown_text({&find_entry("tanh"), &find_entry("zeros")});
  EXPECT_THAT(text, HasSubstr("## elementwise"));
  EXPECT_THAT(text, HasSubstr("| `tanh` | own rule | 1, 2, 3, forward | all | cpu, cuda | in "
                              "place, out, member | yes |"));
  EXPECT_THAT(text, HasSubstr("| `zeros` | none | - |"));
}

}  // namespace
}  // namespace notape::verify::catalogue
