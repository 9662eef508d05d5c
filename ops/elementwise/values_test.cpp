// Values of every elementwise operator. The numbers are LibTorch 1.13's in float64.
#include "ops/reduce/testing/derivatives.h"

namespace notape::testing {
namespace {

using T = const Tensor&;

const NestedNumbers kX = {-80, -2.5, -1, -0.5, -0.0,      0.0,        1e-5, 0.25,
                          0.5, 1,    3,  80,   kInfinity, -kInfinity, kNaN};
const NestedNumbers kA = {-2, -2, -0.5, 0, 0, 0, 0.75, 1, 2, 2, 3, 5, kInfinity, kNaN, 1};
const NestedNumbers kB = {3, -2, 2, 2, 0, -1, 0.5, kNaN, -1, 2.5, 3, kInfinity, 2, 0, -kInfinity};
const NestedNumbers kW = {0, 1, 0.25, 0.5, 2, -1, 0.75, 0, 0.5, 0.3, 1, 0, 0, 0.5, 2};

struct UnaryCase {
  const char* name;
  Tensor (*call)(T x);
  std::vector<double> expected;
};
struct Case {
  const char* name;
  Tensor (*call)(T a, T b, T w);
  std::vector<double> expected;
};

const UnaryCase kUnary[] = {
    {"neg",
     [](const Tensor& x) { return neg(x); },
     {80, 2.5, 1, 0.5, 0, 0, -1e-05, -0.25, -0.5, -1, -3, -80, -kInfinity, kInfinity, kNaN}},
    {"abs",
     [](const Tensor& x) { return abs(x); },
     {80, 2.5, 1, 0.5, 0, 0, 1e-05, 0.25, 0.5, 1, 3, 80, kInfinity, kInfinity, kNaN}},
    {"sign",
     [](const Tensor& x) { return sign(x); },
     {-1, -1, -1, -1, 0, 0, 1, 1, 1, 1, 1, 1, 1, -1, 0}},
    {"sqrt",
     [](const Tensor& x) { return sqrt(x); },
     {kNaN, kNaN, kNaN, kNaN, 0, 0, 0.0031622776601683794, 0.5, 0.7071067811865476, 1,
      1.7320508075688772, 8.94427190999916, kInfinity, kNaN, kNaN}},
    {"rsqrt",
     [](const Tensor& x) { return rsqrt(x); },
     {kNaN, kNaN, kNaN, kNaN, -kInfinity, kInfinity, 316.2277660168379, 2, 1.414213562373095, 1,
      0.5773502691896258, 0.11180339887498948, 0, kNaN, kNaN}},
    {"reciprocal",
     [](const Tensor& x) { return reciprocal(x); },
     {-0.0125, -0.4, -1, -2, -kInfinity, kInfinity, 99999.99999999999, 4, 2, 1, 0.3333333333333333,
      0.0125, 0, 0, kNaN}},
    {"exp",
     [](const Tensor& x) { return exp(x); },
     {1.804851387845415e-35, 0.0820849986238988, 0.36787944117144233, 0.6065306597126334, 1, 1,
      1.00001000005, 1.2840254166877414, 1.6487212707001282, 2.718281828459045, 20.085536923187668,
      5.54062238439351e+34, kInfinity, 0, kNaN}},
    {"log",
     [](const Tensor& x) { return log(x); },
     {kNaN, kNaN, kNaN, kNaN, -kInfinity, -kInfinity, -11.512925464970229, -1.3862943611198906,
      -0.6931471805599453, 0, 1.0986122886681098, 4.382026634673881, kInfinity, kNaN, kNaN}},
    {"log1p",
     [](const Tensor& x) { return log1p(x); },
     {kNaN, kNaN, -kInfinity, -0.6931471805599453, 0, 0, 9.999950000333332e-06, 0.22314355131420976,
      0.4054651081081644, 0.6931471805599453, 1.3862943611198906, 4.394449154672439, kInfinity,
      kNaN, kNaN}},
    {"sin",
     [](const Tensor& x) { return sin(x); },
     {0.9938886539233752, -0.5984721441039564, -0.8414709848078965, -0.479425538604203, 0, 0,
      9.999999999833334e-06, 0.24740395925452294, 0.479425538604203, 0.8414709848078965,
      0.1411200080598672, -0.9938886539233752, kNaN, kNaN, kNaN}},
    {"cos",
     [](const Tensor& x) { return cos(x); },
     {-0.11038724383904756, -0.8011436155469337, 0.5403023058681398, 0.8775825618903728, 1, 1,
      0.99999999995, 0.9689124217106447, 0.8775825618903728, 0.5403023058681398,
      -0.9899924966004454, -0.11038724383904756, kNaN, kNaN, kNaN}},
    {"tanh",
     [](const Tensor& x) { return tanh(x); },
     {-1, -0.9866142981514303, -0.7615941559557649, -0.46211715726000974, 0, 0,
      9.999999999666668e-06, 0.24491866240370913, 0.46211715726000974, 0.7615941559557649,
      0.9950547536867305, 1, 1, -1, kNaN}},
    {"sigmoid",
     [](const Tensor& x) { return sigmoid(x); },
     {1.8048513878454153e-35, 0.07585818002124355, 0.2689414213699951, 0.3775406687981454, 0.5, 0.5,
      0.5000024999999999, 0.5621765008857981, 0.6224593312018546, 0.7310585786300049,
      0.9525741268224334, 1, 1, 0, kNaN}},
    {"relu",
     [](const Tensor& x) { return relu(x); },
     {0, 0, 0, 0, 0, 0, 1e-05, 0.25, 0.5, 1, 3, 80, kInfinity, 0, kNaN}},
    {"erf",
     [](const Tensor& x) { return erf(x); },
     {-1, -0.999593047982555, -0.8427007929497149, -0.5204998778130465, 0, 0, 1.1283791670579e-05,
      0.27632639016823696, 0.5204998778130465, 0.8427007929497149, 0.9999779095030014, 1, 1, -1,
      kNaN}},
    {"square",
     [](const Tensor& x) { return square(x); },
     {6400, 6.25, 1, 0.25, 0, 0, 1.0000000000000002e-10, 0.0625, 0.25, 1, 9, 6400, kInfinity,
      kInfinity, kNaN}},
    {"softplus",
     [](const Tensor& x) { return softplus(x); },
     {1.804851387845415e-35, 0.07888973429254963, 0.31326168751822286, 0.4740769841801067,
      0.6931471805599453, 0.6931471805599453, 0.6931521805724452, 0.8259394198788436,
      0.9740769841801067, 1.3132616875182228, 3.048587351573742, 80, kInfinity, 0, kNaN}},
    {"softplus, beta 2, threshold 5",
     [](const Tensor& x) { return softplus(x, 2, 5); },
     {1.6287442661037606e-70, 0.003357674244559034, 0.06346400552148625, 0.15663084375911143,
      0.34657359027997264, 0.34657359027997264, 0.3465785903049726, 0.48703849209005334,
      0.6566308437591114, 1.0634640055214863, 3, 80, kInfinity, 0, kNaN}},
    {"softplus, beta 0.5",
     [](const Tensor& x) { return softplus(x, 0.5); },
     {8.496708510583178e-18, 0.5038581626907458, 0.9481539683602134, 1.1518788397576871,
      1.3862943611198906, 1.3862943611198906, 1.3862993611261407, 1.5151980706343382,
      1.6518788397576871, 1.9481539683602134, 3.402826555965505, 80, kInfinity, 0, kNaN}},
    {"clamp",
     [](const Tensor& x) { return clamp(x, -1, 0.5); },
     {-1, -1, -1, -0.5, 0, 0, 1e-05, 0.25, 0.5, 0.5, 0.5, 0.5, 0.5, -1, kNaN}},
    {"clamp from below",
     [](const Tensor& x) { return clamp(x, -1); },
     {-1, -1, -1, -0.5, 0, 0, 1e-05, 0.25, 0.5, 1, 3, 80, kInfinity, -1, kNaN}},
    {"clamp from above",
     [](const Tensor& x) { return clamp(x, {}, 0.5); },
     {-80, -2.5, -1, -0.5, 0, 0, 1e-05, 0.25, 0.5, 0.5, 0.5, 0.5, 0.5, -kInfinity, kNaN}},
    {"clamp, bounds crossed",
     [](const Tensor& x) { return clamp(x, 2, 1); },
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, kNaN}},
    {"clamp_min",
     [](const Tensor& x) { return clamp_min(x, 0.25); },
     {0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.5, 1, 3, 80, kInfinity, 0.25, kNaN}},
    {"clamp_max",
     [](const Tensor& x) { return clamp_max(x, 0.25); },
     {-80, -2.5, -1, -0.5, 0, 0, 1e-05, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, -kInfinity, kNaN}},
    {"rsub",
     [](const Tensor& x) { return rsub(x, 2); },
     {82, 4.5, 3, 2.5, 2, 2, 1.99999, 1.75, 1.5, 1, -1, -78, -kInfinity, kInfinity, kNaN}},
    {"number minus tensor",
     [](const Tensor& x) { return 1.5 - x; },
     {81.5, 4, 2.5, 2, 1.5, 1.5, 1.49999, 1.25, 1, 0.5, -1.5, -78.5, -kInfinity, kInfinity, kNaN}},
    {"add number",
     [](const Tensor& x) { return add(x, 2, 0.5); },
     {-79, -1.5, 0, 0.5, 1, 1, 1.00001, 1.25, 1.5, 2, 4, 81, kInfinity, -kInfinity, kNaN}},
    {"sub number",
     [](const Tensor& x) { return sub(x, 2, 0.5); },
     {-81, -3.5, -2, -1.5, -1, -1, -0.99999, -0.75, -0.5, 0, 2, 79, kInfinity, -kInfinity, kNaN}},
    {"mul number",
     [](const Tensor& x) { return x * 3; },
     {-240, -7.5, -3, -1.5, 0, 0, 3.0000000000000004e-05, 0.75, 1.5, 3, 9, 240, kInfinity,
      -kInfinity, kNaN}},
    {"div number",
     [](const Tensor& x) { return x / 3; },
     {-26.666666666666668, -0.8333333333333334, -0.3333333333333333, -0.16666666666666666, 0, 0,
      3.3333333333333337e-06, 0.08333333333333333, 0.16666666666666666, 0.3333333333333333, 1,
      26.666666666666668, kInfinity, -kInfinity, kNaN}},
    {"number over tensor",
     [](const Tensor& x) { return 3 / x; },
     {-0.037500000000000006, -1.2000000000000002, -3, -6, -kInfinity, kInfinity, 299999.99999999994,
      12, 6, 3, 1, 0.037500000000000006, 0, 0, kNaN}},
    {"pow 0",
     [](const Tensor& x) { return pow(x, 0); },
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"pow 1",
     [](const Tensor& x) { return pow(x, 1); },
     {-80, -2.5, -1, -0.5, 0, 0, 1e-05, 0.25, 0.5, 1, 3, 80, kInfinity, -kInfinity, kNaN}},
    {"pow 2",
     [](const Tensor& x) { return pow(x, 2); },
     {6400, 6.25, 1, 0.25, 0, 0, 1.0000000000000002e-10, 0.0625, 0.25, 1, 9, 6400, kInfinity,
      kInfinity, kNaN}},
    {"pow 3",
     [](const Tensor& x) { return pow(x, 3); },
     {-512000, -15.625, -1, -0.125, 0, 0, 1.0000000000000003e-15, 0.015625, 0.125, 1, 27, 512000,
      kInfinity, -kInfinity, kNaN}},
    {"pow -1",
     [](const Tensor& x) { return pow(x, -1); },
     {-0.0125, -0.4, -1, -2, -kInfinity, kInfinity, 99999.99999999999, 4, 2, 1, 0.3333333333333333,
      0.0125, 0, 0, kNaN}},
    {"pow -2",
     [](const Tensor& x) { return pow(x, -2); },
     {0.00015625, 0.16, 1, 4, kInfinity, kInfinity, 9999999999.999998, 16, 4, 1, 0.1111111111111111,
      0.00015625, 0, 0, kNaN}},
    {"pow 0.5",
     [](const Tensor& x) { return pow(x, 0.5); },
     {kNaN, kNaN, kNaN, kNaN, 0, 0, 0.0031622776601683794, 0.5, 0.7071067811865476, 1,
      1.7320508075688772, 8.94427190999916, kInfinity, kNaN, kNaN}},
    {"pow -0.5",
     [](const Tensor& x) { return pow(x, -0.5); },
     {kNaN, kNaN, kNaN, kNaN, -kInfinity, kInfinity, 316.2277660168379, 2, 1.414213562373095, 1,
      0.5773502691896258, 0.11180339887498948, 0, kNaN, kNaN}},
    {"pow 1.75",
     [](const Tensor& x) { return pow(x, 1.75); },
     {kNaN, kNaN, kNaN, kNaN, 0, 0, 1.778279410038923e-09, 0.08838834764831843, 0.29730177875068026,
      1, 6.8385211708643325, 2139.9689759245503, kInfinity, kInfinity, kNaN}},
    {"pow -3",
     [](const Tensor& x) { return pow(x, -3); },
     {-1.953125e-06, -0.064, -1, -8, -kInfinity, kInfinity, 999999999999999.8, 64, 8, 1,
      0.037037037037037035, 1.953125e-06, 0, 0, kNaN}},
    {"2 to the power",
     [](const Tensor& x) { return pow(2, x); },
     {8.271806125530277e-25, 0.17677669529663687, 0.5, 0.7071067811865475, 1, 1, 1.0000069314958282,
      1.189207115002721, 1.4142135623730951, 2, 8, 1.2089258196146292e+24, kInfinity, 0, kNaN}},
    {"0.5 to the power",
     [](const Tensor& x) { return pow(0.5, x); },
     {1.2089258196146292e+24, 5.656854249492381, 2, 1.4142135623730951, 1, 1, 0.999993068552217,
      0.8408964152537145, 0.7071067811865476, 0.5, 0.125, 8.271806125530277e-25, 0, kInfinity,
      kNaN}},
    {"1 to the power",
     [](const Tensor& x) { return pow(1, x); },
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"0 to the power",
     [](const Tensor& x) { return pow(0, x); },
     {kInfinity, kInfinity, kInfinity, kInfinity, 1, 1, 0, 0, 0, 0, 0, 0, 0, kInfinity, kNaN}},
};

const Case kSeveral[] = {
    {"add",
     [](T a, T b, T) { return add(a, b); },
     {1, -4, 1.5, 2, 0, -1, 1.25, kNaN, 1, 4.5, 6, kInfinity, kInfinity, kNaN, -kInfinity}},
    {"sub",
     [](T a, T b, T) { return sub(a, b); },
     {-5, 0, -2.5, -2, 0, 1, 0.25, kNaN, 3, -0.5, 0, -kInfinity, kInfinity, kNaN, kInfinity}},
    {"mul",
     [](T a, T b, T) { return mul(a, b); },
     {-6, 4, -1, 0, 0, 0, 0.375, kNaN, -2, 5, 9, kInfinity, kInfinity, kNaN, -kInfinity}},
    {"div",
     [](T a, T b, T) { return div(a, b); },
     {-0.6666666666666666, 1, -0.25, 0, kNaN, 0, 1.5, kNaN, -2, 0.8, 1, 0, kInfinity, kNaN, 0}},
    {"maximum",
     [](T a, T b, T) { return maximum(a, b); },
     {3, -2, 2, 2, 0, 0, 0.75, kNaN, 2, 2.5, 3, kInfinity, kInfinity, kNaN, 1}},
    {"minimum",
     [](T a, T b, T) { return minimum(a, b); },
     {-2, -2, -0.5, 0, 0, -1, 0.5, kNaN, -1, 2, 3, 5, 2, kNaN, -kInfinity}},
    {"eq", [](T a, T b, T) { return eq(a, b); }, {0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0}},
    {"ne", [](T a, T b, T) { return ne(a, b); }, {1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1}},
    {"lt", [](T a, T b, T) { return lt(a, b); }, {1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0}},
    {"le", [](T a, T b, T) { return le(a, b); }, {1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0}},
    {"gt", [](T a, T b, T) { return gt(a, b); }, {0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 1}},
    {"ge", [](T a, T b, T) { return ge(a, b); }, {0, 1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1}},
    {"pow",
     [](T a, T b, T) { return pow(a, b); },
     {-8, 0.25, 0.25, 0, 1, kInfinity, 0.8660254037844386, 1, 0.5, 5.656854249492381, 27, kInfinity,
      kInfinity, 1, 1}},
    {"add scaled",
     [](T a, T b, T) { return add(a, b, -1.5); },
     {-6.5, 1, -3.5, -3, 0, 1.5, 0, kNaN, 3.5, -1.75, -1.5, -kInfinity, kInfinity, kNaN,
      kInfinity}},
    {"sub scaled",
     [](T a, T b, T) { return sub(a, b, 3); },
     {-11, 4, -6.5, -6, 0, 3, -0.75, kNaN, 5, -5.5, -6, -kInfinity, kInfinity, kNaN, kInfinity}},
    {"lerp number",
     [](T a, T b, T) { return lerp(a, b, 0.25); },
     {-0.75, -2, 0.125, 0.5, 0, -0.25, 0.6875, kNaN, 1.25, 2.125, 3, kInfinity, kNaN, kNaN,
      -kInfinity}},
    {"lerp number, far",
     [](T a, T b, T) { return lerp(a, b, 1.5); },
     {5.5, -2, 3.25, 3, 0, -1.5, 0.375, kNaN, -2.5, 2.75, 3, kInfinity, -kInfinity, kNaN,
      -kInfinity}},
    {"lerp",
     [](T a, T b, T w) { return lerp(a, b, w); },
     {-2, -2, 0.125, 1, 0, 1, 0.5625, kNaN, 0.5, 2.15, 3, kNaN, kNaN, kNaN, -kInfinity}},
    {"addcmul",
     [](T a, T b, T w) { return addcmul(a, b, w); },
     {-2, -4, 0, 1, 0, 1, 1.125, kNaN, 1.5, 2.75, 6, kNaN, kInfinity, kNaN, -kInfinity}},
    {"addcmul scaled",
     [](T a, T b, T w) { return addcmul(a, b, w, -2); },
     {-2, 2, -1.5, -2, 0, -2, 0, kNaN, 3, 0.5, -3, kNaN, kInfinity, kNaN, kInfinity}},
    {"where",
     [](T a, T b, T w) { return where(b > 0, a, w); },
     {-2, 1, -0.5, 0, 2, -1, 0.75, 0, 0.5, 2, 3, 5, kInfinity, 0.5, 2}},
    {"where number",
     [](T a, T b, T) { return where(b > 0, a, 7); },
     {-2, 7, -0.5, 0, 7, 7, 0.75, 7, 7, 2, 3, 5, kInfinity, 7, 7}},
    {"where number first",
     [](T a, T b, T) { return where(b > 0, 7, a); },
     {7, -2, 7, 7, 0, 0, 7, 1, 2, 7, 7, 7, 7, kNaN, 1}},
    {"masked_fill",
     [](T a, T b, T) { return masked_fill(a, b > 0, 7); },
     {7, -2, 7, 7, 0, 0, 7, 1, 2, 7, 7, 7, 7, kNaN, 1}},
    {"lt number",
     [](T a, T, T) { return a < 0.75; },
     {1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"le number",
     [](T a, T, T) { return a <= 0.75; },
     {1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"gt number",
     [](T a, T, T) { return a > 0.75; },
     {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1}},
    {"ge number",
     [](T a, T, T) { return a >= 0.75; },
     {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1}},
    {"eq number",
     [](T a, T, T) { return a == 0.75; },
     {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"ne number",
     [](T a, T, T) { return a != 0.75; },
     {1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"logical_not",
     [](T a, T, T) { return logical_not(a); },
     {0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
};

/// Equal up to `ulps` roundings of the type; NaN equals NaN.
void expect_near(const char* name, const Tensor& result, const std::vector<double>& expected,
                 double rounding) {
  const std::vector<double> got = values(result);
  ASSERT_EQ(got.size(), expected.size()) << name;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(expected[i]))
      EXPECT_TRUE(std::isnan(got[i])) << name << " at " << i << ": " << got[i];
    else if (std::isinf(expected[i]))
      EXPECT_EQ(got[i], expected[i]) << name << " at " << i;
    else
      EXPECT_NEAR(got[i], expected[i], rounding * std::abs(expected[i]) + 1e-37)
          << name << " at " << i;
  }
}

struct Precision {
  ScalarType type;
  double rounding;
};
constexpr Precision kPrecisions[] = {{kFloat64, 1e-14}, {kFloat32, 2e-6}};

TEST(ElementwiseValues, OfOneOperandAreLibTorchs) {
  for (const Precision& precision : kPrecisions) {
    const Tensor x = tensor(kX, precision.type);
    for (const UnaryCase& one : kUnary) {
      const Tensor result = one.call(x);
      EXPECT_EQ(result.dtype(), precision.type) << one.name;
      expect_near(one.name, result, one.expected, precision.rounding);
    }
  }
}

TEST(ElementwiseValues, OfSeveralOperandsAreLibTorchs) {
  for (const Precision& precision : kPrecisions) {
    const Tensor a = tensor(kA, precision.type), b = tensor(kB, precision.type),
                 w = tensor(kW, precision.type);
    for (const Case& one : kSeveral)
      expect_near(one.name, one.call(a, b, w), one.expected, precision.rounding);
  }
}

TEST(ElementwiseValues, OfAddcmulMayBeInRangeWhereTheProductIsNot) {
  for (const int64_t n : {1, 5, 40}) {
    const Tensor x = full({n}, 1.5e308, kFloat64);
    const Tensor y = addcmul(x, full({n}, 1.3e154, kFloat64), full({n}, 1.7e154, kFloat64), -1);
    for (const double value : values(y)) EXPECT_DOUBLE_EQ(value, -7.1e307);
  }
}

}  // namespace
}  // namespace notape::testing
