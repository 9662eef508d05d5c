// Activations at numbers of every kind: values, first derivatives and result types of PyTorch 2.15,
// where nothing else is said.
#include "ops/elementwise/testing/function_table.h"

namespace notape::testing {
namespace {

const NestedNumbers kPoints = {-80, -2.5, -1, -0.5, -0.0,      0.0,        1e-5, 0.25,
                               0.5, 1,    3,  80,   kInfinity, -kInfinity, kNaN};

const UnaryCase kActivations[] = {
    // PyTorch's derivative: NaN at place 12; NaN at place 13
    {"gelu",
     [](const Tensor& x) { return gelu(x); },
     "------hgfd",
     {0, -0.015524163314440398, -0.15865525393145702, -0.15426876936299344, 0, 0,
      5.00003989422804e-06, 0.14967658142073093, 0.34573123063700656, 0.841344746068543,
      2.99595030590511, 80, kInfinity, kNaN, kNaN},
     {0, -0.03761108590814519, -0.08331547058768635, 0.13250487534383712, 0.5, 0.5,
      0.5000079788456078, 0.695373354883636, 0.8674951246561629, 1.0833154705876864,
      1.011945647204184, 1, 1, 0, kNaN}},
    // PyTorch's derivative: NaN at place 12; NaN at place 13
    {"gelu, tanh",
     [](const Tensor& x) { return gelu(x, "tanh"); },
     "------hgfd",
     {0, -0.015084266089998577, -0.1588080093917233, -0.15428599017485606, 0, 0,
      5.00003989422804e-06, 0.149675350701685, 0.34571400982514394, 0.8411919906082768,
      2.996362607918227, 80, kInfinity, kNaN, kNaN},
     {0, -0.03795157621266618, -0.08296408384578258, 0.13263009646535764, 0.5, 0.5,
      0.5000079788456078, 0.6953540951510604, 0.8673699035346424, 1.0829640838457826,
      1.0115841666309695, 1, 1, 0, kNaN}},
    {"silu",
     [](const Tensor& x) { return silu(x); },
     "------hgfd",
     {-1.4438811102763322e-33, -0.18964545005310887, -0.2689414213699951, -0.1887703343990727, 0, 0,
      5.000025e-06, 0.14054412522144952, 0.3112296656009273, 0.7310585786300049, 2.8577223804672998,
      80, kInfinity, kNaN, kNaN},
     {-1.425832596397878e-33, -0.09940111134152683, 0.07232948812851325, 0.2600388126973482, 0.5,
      0.5, 0.5000049999999998, 0.6237100215701977, 0.7399611873026519, 0.9276705118714869,
      1.0881041060151693, 1, kNaN, kNaN, kNaN}},
    {"mish",
     [](const Tensor& x) { return mish(x); },
     "------hgfd",
     {-1.443881110276332e-33, -0.19681620390653332, -0.30340146137410895, -0.22074377465173, 0, 0,
      6.000031999984e-06, 0.1695724096638176, 0.3752452113048951, 0.8650983882673103,
      2.9865350049679575, 80, kInfinity, kNaN, kNaN},
     {-1.425832596397878e-33, -0.10974357275018568, 0.059216755877395014, 0.28951067791351226, 0.6,
      0.6, 0.6000063999951998, 0.7541726677205928, 0.8864243753577272, 1.0490362200997922,
      1.0211069109294435, 1, kNaN, kNaN, kNaN}},
    {"leaky_relu",
     [](const Tensor& x) { return leaky_relu(x); },
     "------hgfd",
     {-0.8, -0.025, -0.01, -0.005, 0, 0, 1e-05, 0.25, 0.5, 1, 3, 80, kInfinity, -kInfinity, kNaN},
     {0.01, 0.01, 0.01, 0.01, 0.01, 0.01, 1, 1, 1, 1, 1, 1, 1, 0.01, 0.01}},
    // PyTorch's derivative: 1 at place 14
    {"elu",
     [](const Tensor& x) { return elu(x); },
     "------hgfd",
     {-1, -0.9179150013761012, -0.6321205588285577, -0.3934693402873666, 0, 0, 1e-05, 0.25, 0.5, 1,
      3, 80, kInfinity, -1, kNaN},
     {1.804851387845415e-35, 0.0820849986238988, 0.36787944117144233, 0.6065306597126334, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 0, kNaN}},
    // PyTorch's derivative: 1 at place 14
    {"celu",
     [](const Tensor& x) { return celu(x); },
     "------hgfd",
     {-1, -0.9179150013761012, -0.6321205588285577, -0.3934693402873666, 0, 0, 1e-05, 0.25, 0.5, 1,
      3, 80, kInfinity, -1, kNaN},
     {1.804851387845415e-35, 0.0820849986238988, 0.36787944117144233, 0.6065306597126334, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 0, kNaN}},
    // PyTorch's derivative: 1.7580993408473766 at place 4; 1.7580993408473766 at place
    // 5; 1.0507009873554805 at place 14
    {"selu",
     [](const Tensor& x) { return selu(x); },
     "------hgfd",
     {-1.7580993408473766, -1.6137857588732423, -1.1113307378125625, -0.6917581878028713, 0, 0,
      1.0507009873554805e-05, 0.2626752468388701, 0.5253504936777402, 1.0507009873554805,
      3.1521029620664414, 84.05607898843843, kInfinity, -1.7580993408473766, kNaN},
     {3.173108035298497e-35, 0.1443135819741343, 0.646768603034814, 1.0663411530445053,
      1.0507009873554805, 1.0507009873554805, 1.0507009873554805, 1.0507009873554805,
      1.0507009873554805, 1.0507009873554805, 1.0507009873554805, 1.0507009873554805,
      1.0507009873554805, 0, kNaN}},
    // PyTorch's derivative: 1 at place 14
    // uint8 has no number below 0, which PyTorch wraps around.
    {"hardtanh",
     [](const Tensor& x) { return hardtanh(x); },
     "--csilhgfd",
     {-1, -1, -1, -0.5, 0, 0, 1e-05, 0.25, 0.5, 1, 1, 1, 1, -1, kNaN},
     {0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0}},
    // PyTorch's derivative: 1 at place 14
    {"relu6",
     [](const Tensor& x) { return relu6(x); },
     "-ucsilhgfd",
     {0, 0, 0, 0, 0, 0, 1e-05, 0.25, 0.5, 1, 3, 6, 6, 0, kNaN},
     {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0}},
    // PyTorch's derivative: 0.1666666716337204 at place 1; 0.1666666716337204 at place 2;
    // 0.1666666716337204 at place 3 ...
    {"hardsigmoid",
     [](const Tensor& x) { return hardsigmoid(x); },
     "------hgfd",
     {0, 0.08333333333333333, 0.3333333333333333, 0.4166666666666667, 0.5, 0.5, 0.5000016666666667,
      0.5416666666666666, 0.5833333333333334, 0.6666666666666666, 1, 1, 1, 0, kNaN},
     {0, 1.0 / 6, 1.0 / 6, 1.0 / 6, 1.0 / 6, 1.0 / 6, 1.0 / 6, 1.0 / 6, 1.0 / 6, 1.0 / 6, 0, 0, 0,
      0, 1.0 / 6}},
    // PyTorch: NaN at place 13
    // PyTorch's derivative: 1 at place 14
    {"hardswish",
     [](const Tensor& x) { return hardswish(x); },
     "------hgfd",
     {0, -0.20833333333333334, -0.3333333333333333, -0.20833333333333334, 0, 0,
      5.000016666666667e-06, 0.13541666666666666, 0.2916666666666667, 0.6666666666666666, 3, 80,
      kInfinity, 0, kNaN},
     {0, -0.33333333333333337, 0.16666666666666669, 0.33333333333333337, 0.5, 0.5,
      0.5000033333333334, 0.5833333333333334, 0.6666666666666666, 0.8333333333333333, 1, 1, 1, 0,
      kNaN}},
    {"hardshrink",
     [](const Tensor& x) { return hardshrink(x); },
     "------hgfd",
     {-80, -2.5, -1, 0, 0, 0, 0, 0, 0, 1, 3, 80, kInfinity, -kInfinity, kNaN},
     {1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}},
    {"softshrink",
     [](const Tensor& x) { return softshrink(x); },
     "------hgfd",
     {-79.5, -2, -0.5, 0, 0, 0, 0, 0, 0, 0.5, 2.5, 79.5, kInfinity, -kInfinity, kNaN},
     {1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}},
    {"log_sigmoid",
     [](const Tensor& x) { return log_sigmoid(x); },
     "------hgfd",
     {-80, -2.5788897342925496, -1.3132616875182228, -0.9740769841801067, -0.6931471805599453,
      -0.6931471805599453, -0.6931421805724453, -0.5759394198788436, -0.4740769841801067,
      -0.31326168751822286, -0.04858735157374206, -1.804851387845415e-35, 0, -kInfinity, kNaN},
     {1, 0.9241418199787564, 0.7310585786300049, 0.6224593312018545, 0.5, 0.5, 0.4999975,
      0.4378234991142019, 0.37754066879814546, 0.2689414213699951, 0.04742587317756679,
      1.804851387845415e-35, 0, 1, kNaN}},
    // PyTorch's derivative: 2 at place 4; 2 at place 5
    {"leaky_relu, 2",
     [](const Tensor& x) { return leaky_relu(x, 2); },
     "------hgfd",
     {-160, -5, -2, -1, 0, 0, 1e-05, 0.25, 0.5, 1, 3, 80, kInfinity, -kInfinity, kNaN},
     {2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2}},
    // PyTorch's derivative: -0.5 at place 4; -0.5 at place 5
    {"leaky_relu, -0.5",
     [](const Tensor& x) { return leaky_relu(x, -0.5); },
     "------hgfd",
     {40, 1.25, 0.5, 0.25, 0, 0, 1e-05, 0.25, 0.5, 1, 3, 80, kInfinity, kInfinity, kNaN},
     {-0.5, -0.5, -0.5, -0.5, 0, 0, 1, 1, 1, 1, 1, 1, 1, -0.5, -0.5}},
    // PyTorch's derivative: 1.5 at place 14
    {"elu of three",
     [](const Tensor& x) { return elu(x, 2, 1.5, 0.5); },
     "------hgfd",
     {-3, -2.1404856094194296, -1.1804080208620997, -0.6635976507857854, 0, 0,
      1.5000000000000002e-05, 0.375, 0.75, 1.5, 4.5, 120, kInfinity, -3, kNaN},
     {6.372531382937383e-18, 0.4297571952902851, 0.9097959895689501, 1.1682011746071073, 1.5, 1.5,
      1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 0, kNaN}},
    // PyTorch's derivative: 1 at place 14
    {"celu, 0.5",
     [](const Tensor& x) { return celu(x, 0.5); },
     "------hgfd",
     {-0.5, -0.49663102650045726, -0.43233235838169365, -0.31606027941427883, 0, 0, 1e-05, 0.25,
      0.5, 1, 3, 80, kInfinity, -0.5, kNaN},
     {3.257488532207521e-70, 0.006737946999085467, 0.1353352832366127, 0.36787944117144233, 1, 1, 1,
      1, 1, 1, 1, 1, 1, 0, kNaN}},
    // PyTorch's derivative: 1 at place 14
    {"hardtanh of bounds",
     [](const Tensor& x) { return hardtanh(x, -0.5, 1); },
     "-ucsilhgfd",
     {-0.5, -0.5, -0.5, -0.5, 0, 0, 1e-05, 0.25, 0.5, 1, 1, 1, 1, -0.5, kNaN},
     {0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0}},
    // uint8 has no number below 0, which PyTorch wraps around.
    {"threshold",
     [](const Tensor& x) { return threshold(x, 0.25, -7); },
     "--csilhgfd",
     {-7, -7, -7, -7, -7, -7, -7, -7, 0.5, 1, 3, 80, kInfinity, -7, kNaN},
     {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0, 1}},
    {"hardshrink, 1",
     [](const Tensor& x) { return hardshrink(x, 1); },
     "------hgfd",
     {-80, -2.5, 0, 0, 0, 0, 0, 0, 0, 0, 3, 80, kInfinity, -kInfinity, kNaN},
     {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1}},
    {"softshrink, 0.25",
     [](const Tensor& x) { return softshrink(x, 0.25); },
     "------hgfd",
     {-79.75, -2.25, -0.75, -0.25, 0, 0, 0, 0, 0.25, 0.75, 2.75, 79.75, kInfinity, -kInfinity,
      kNaN},
     {1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1}},
    {"prelu",
     [](const Tensor& x) { return prelu(x, full({1}, 0.25, x.options())); },
     "------hgfd",
     {-20, -0.625, -0.25, -0.125, 0, 0, 1e-05, 0.25, 0.5, 1, 3, 80, kInfinity, -kInfinity, kNaN},
     {0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 1, 1, 1, 1, 1, 1, 1, 0.25, 0.25}},
};

TEST(Activations, AreLibTorchs) {
  for (const UnaryCase& one : kActivations) expect_case(one, tensor(kPoints, kFloat64));
}

TEST(Activations, RefuseWhatLibTorchRefuses) {
  const Tensor x = ones({2, 3}), integers = tensor({1, 2});
  const Unchanged unchanged({x, integers});
  expect_error<ValueError>("gelu: approximate argument must be either none or tanh, but got cubic",
                           [&] { gelu(x, "cubic"); });
  expect_error<DtypeError>("silu_: not implemented for 'Long'", [&] {
    Tensor y = integers;
    silu_(y);
  });
  expect_error<ValueError>("celu: alpha cannot be 0 for CELU", [&] { celu(x, 0); });
  expect_error<ValueError>("softshrink: lambda must be greater or equal to 0, but found to be -1",
                           [&] { softshrink(x, -1); });
  expect_error<DtypeError>("threshold: not implemented for 'Bool'",
                           [] { threshold(tensor({true}), 0, 1); });
  expect_error<ShapeError>("glu: Halving dimension must be even, but dimension 1 is size 3",
                           [&] { glu(x, 1); });
  expect_error<IndexError>("", [&] { glu(x, 2); });
  expect_error<ShapeError>(
      "prelu: Mismatch of parameter numbers and input channel size. Found "
      "parameter numbers = 2 and channel size = 3.",
      [&] { prelu(x, ones({2})); });
  expect_error<DtypeError>("prelu: expected scalar type Float but found Double",
                           [&] { prelu(x, ones({1}, kFloat64)); });
  expect_error<UndefinedTensor>("mish: an operand is undefined", [] { mish(Tensor()); });
  unchanged.check();
}

TEST(Activations, PreluAndGluHaveLibTorchsGradients) {
  const Tensor x = tensor({{-1.0, 2.0}, {3.0, -4.0}}, kFloat64).requires_grad_();
  const Tensor weight = tensor({0.25, -0.5}, kFloat64).requires_grad_();
  const Tensor y = prelu(x, weight);
  expect_values(y, {-0.25, 2, 3, 2});
  const auto gradients = autograd::grad({y}, {x, weight}, {counting_like(y)});
  expect_values(gradients[0], {0.25, 2, 3, -2});
  expect_values(gradients[1], {-1, -16});
  const Tensor infinite =
      prelu(tensor({{0.0, -0.0, 1.0}}, kFloat64), tensor({HUGE_VAL, 2.0, HUGE_VAL}, kFloat64));
  EXPECT_TRUE(std::isnan(infinite[0][0].item<double>()));  // w x
  expect_values(infinite.slice(1, 1), {0, 1});
  const Tensor halves = tensor({1.0, 2.0, 0.5, -0.5}, kFloat64);
  expect_close(glu(halves), {0.6224593312018546, 0.7550813375962909});
  expect_close(weighted_gradient([](const Tensor& v) { return glu(v); }, halves),
               {0.6224593312018546, 0.7550813375962909, 0.2350037122015945, 0.940014848806378});
}

}  // namespace
}  // namespace notape::testing
