// Functions at numbers of every kind: values, first derivatives and result types of PyTorch 2.15,
// where nothing else is said.
#include "ops/elementwise/testing/function_table.h"

namespace notape::testing {
namespace {

const NestedNumbers kPoints = {-80, -2.5, -1, -0.5, -0.0,      0.0,        1e-5, 0.25,
                               0.5, 1,    3,  80,   kInfinity, -kInfinity, kNaN};
const UnaryCase kOfOne[] = {
    // PyTorch's derivative: 0 at place 0
    {"expm1",
     [](const Tensor& x) { return expm1(x); },
     "ffffffhgfd",
     {-1, -0.9179150013761012, -0.6321205588285577, -0.3934693402873666, 0, 0,
      1.0000050000166668e-05, 0.2840254166877415, 0.6487212707001282, 1.7182818284590453,
      19.085536923187668, 5.54062238439351e+34, kInfinity, -1, kNaN},
     {1.804851387845415e-35, 0.08208499862389884, 0.36787944117144233, 0.6065306597126334, 1, 1,
      1.00001000005, 1.2840254166877414, 1.6487212707001282, 2.7182818284590455, 20.085536923187668,
      5.54062238439351e+34, kInfinity, 0, kNaN}},
    {"exp2",
     [](const Tensor& x) { return exp2(x); },
     "ffffffhgfd",
     {8.271806125530277e-25, 0.17677669529663687, 0.5, 0.7071067811865475, 1, 1, 1.0000069314958282,
      1.189207115002721, 1.4142135623730951, 2, 8, 1.2089258196146292e+24, kInfinity, 0, kNaN},
     {5.733579094049796e-25, 0.12253226793356839, 0.34657359027997264, 0.49012907173427356,
      0.6931471805599453, 0.6931471805599453, 0.6931519851067357, 0.8242955588659627,
      0.9802581434685472, 1.3862943611198906, 5.545177444479562, 8.379635233720012e+23, kInfinity,
      0, kNaN}},
    // PyTorch's derivative: -0.018033688011112041 at place 0; -0.57707801635558531 at place 1;
    // -1.4426950408889634 at place 2 ...
    {"log2",
     [](const Tensor& x) { return log2(x); },
     "ffffffhgfd",
     {kNaN, kNaN, kNaN, kNaN, -kInfinity, -kInfinity, -16.609640474436812, -2, -1, 0,
      1.584962500721156, 6.321928094887363, kInfinity, kNaN, kNaN},
     {kNaN, kNaN, kNaN, kNaN, -kInfinity, kInfinity, 144269.50408889633, 5.7707801635558535,
      2.8853900817779268, 1.4426950408889634, 0.48089834696298783, 0.01803368801111204, 0, kNaN,
      kNaN}},
    // PyTorch's derivative: -0.0054286810237906468 at place 0; -0.1737177927613007 at place 1;
    // -0.43429448190325176 at place 2 ...
    {"log10",
     [](const Tensor& x) { return log10(x); },
     "ffffffhgfd",
     {kNaN, kNaN, kNaN, kNaN, -kInfinity, -kInfinity, -5, -0.6020599913279624, -0.3010299956639812,
      0, 0.47712125471966244, 1.9030899869919435, kInfinity, kNaN, kNaN},
     {kNaN, kNaN, kNaN, kNaN, -kInfinity, kInfinity, 43429.44819032518, 1.737177927613007,
      0.8685889638065035, 0.43429448190325176, 0.14476482730108392, 0.005428681023790647, 0, kNaN,
      kNaN}},
    {"tan",
     [](const Tensor& x) { return tan(x); },
     "ffffffhgfd",
     {-9.00365494560708, 0.7470222972386603, -1.5574077246549023, -0.5463024898437905, 0, 0,
      1.0000000000333334e-05, 0.25534192122103627, 0.5463024898437905, 1.5574077246549023,
      -0.1425465430742778, 9.00365494560708, kNaN, kNaN, kNaN},
     {82.06580237955482, 1.5580423125717253, 3.42551882081476, 1.2984464104095248, 1, 1,
      1.0000000001, 1.06519949673285, 1.2984464104095248, 3.42551882081476, 1.0203195169424268,
      82.06580237955482, kNaN, kNaN, kNaN}},
    {"asin",
     [](const Tensor& x) { return asin(x); },
     "ffffffhgfd",
     {kNaN, kNaN, -1.5707963267948966, -0.5235987755982989, 0, 0, 1.0000000000166668e-05,
      0.25268025514207865, 0.5235987755982989, 1.5707963267948966, kNaN, kNaN, kNaN, kNaN, kNaN},
     {kNaN, kNaN, kInfinity, 1.1547005383792517, 1, 1, 1.00000000005, 1.0327955589886444,
      1.1547005383792517, kInfinity, kNaN, kNaN, kNaN, kNaN, kNaN}},
    {"acos",
     [](const Tensor& x) { return acos(x); },
     "ffffffhgfd",
     {kNaN, kNaN, 3.141592653589793, 2.0943951023931957, 1.5707963267948966, 1.5707963267948966,
      1.5707863267948965, 1.318116071652818, 1.0471975511965976, 0, kNaN, kNaN, kNaN, kNaN, kNaN},
     {kNaN, kNaN, -kInfinity, -1.1547005383792517, -1, -1, -1.00000000005, -1.0327955589886444,
      -1.1547005383792517, -kInfinity, kNaN, kNaN, kNaN, kNaN, kNaN}},
    {"atan",
     [](const Tensor& x) { return atan(x); },
     "ffffffhgfd",
     {-1.5582969777755349, -1.1902899496825317, -0.7853981633974483, -0.4636476090008061, 0, 0,
      9.999999999666668e-06, 0.24497866312686414, 0.4636476090008061, 0.7853981633974483,
      1.2490457723982544, 1.5582969777755349, 1.5707963267948966, -1.5707963267948966, kNaN},
     {0.0001562255897516013, 0.13793103448275862, 0.5, 0.8, 1, 1, 0.9999999999, 0.9411764705882353,
      0.8, 0.5, 0.1, 0.0001562255897516013, 0, 0, kNaN}},
    {"sinh",
     [](const Tensor& x) { return sinh(x); },
     "ffffffhgfd",
     {-2.770311192196755e+34, -6.0502044810397875, -1.1752011936438014, -0.5210953054937474, 0, 0,
      1.0000000000166668e-05, 0.2526123168081683, 0.5210953054937474, 1.1752011936438014,
      10.017874927409903, 2.770311192196755e+34, kInfinity, -kInfinity, kNaN},
     {2.770311192196755e+34, 6.132289479663686, 1.5430806348152437, 1.1276259652063807, 1, 1,
      1.00000000005, 1.0314130998795732, 1.1276259652063807, 1.5430806348152437, 10.067661995777765,
      2.770311192196755e+34, kInfinity, kInfinity, kNaN}},
    {"cosh",
     [](const Tensor& x) { return cosh(x); },
     "ffffffhgfd",
     {2.770311192196755e+34, 6.132289479663686, 1.5430806348152437, 1.1276259652063807, 1, 1,
      1.00000000005, 1.0314130998795732, 1.1276259652063807, 1.5430806348152437, 10.067661995777765,
      2.770311192196755e+34, kInfinity, kInfinity, kNaN},
     {-2.770311192196755e+34, -6.0502044810397875, -1.1752011936438014, -0.5210953054937474, 0, 0,
      1.0000000000166668e-05, 0.2526123168081683, 0.5210953054937474, 1.1752011936438014,
      10.017874927409903, 2.770311192196755e+34, kInfinity, -kInfinity, kNaN}},
    {"asinh",
     [](const Tensor& x) { return asinh(x); },
     "ffffffhgfd",
     {-5.0752128754452075, -1.6472311463710958, -0.881373587019543, -0.48121182505960347, 0, 0,
      9.999999999833334e-06, 0.24746646154726346, 0.48121182505960347, 0.881373587019543,
      1.8184464592320668, 5.0752128754452075, kInfinity, -kInfinity, kNaN},
     {0.01249902355192602, 0.3713906763541037, 0.7071067811865475, 0.8944271909999159, 1, 1,
      0.99999999995, 0.9701425001453319, 0.8944271909999159, 0.7071067811865475,
      0.31622776601683794, 0.01249902355192602, 0, 0, kNaN}},
    // PyTorch's derivative: 0.012500976676955822 at place 0; 0.43643578047198478 at place 1; inf at
    // place 2 ...
    {"acosh",
     [](const Tensor& x) { return acosh(x); },
     "ffffffhgfd",
     {kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, 0, 1.762747174039086, 5.07513475044481,
      kInfinity, kNaN, kNaN},
     {kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, kInfinity, 0.35355339059327373,
      0.012500976676955822, 0, kNaN, kNaN}},
    // PyTorch's derivative: -0.00015627441787779341 at place 0; -0.19047619047619047 at place 1;
    // -0.125 at place 10 ...
    {"atanh",
     [](const Tensor& x) { return atanh(x); },
     "ffffffhgfd",
     {kNaN, kNaN, -kInfinity, -0.5493061443340549, 0, 0, 1.0000000000333334e-05,
      0.25541281188299536, 0.5493061443340548, kInfinity, kNaN, kNaN, kNaN, kNaN, kNaN},
     {kNaN, kNaN, kInfinity, 1.3333333333333333, 1, 1, 1.0000000001, 1.0666666666666667,
      1.3333333333333333, kInfinity, kNaN, kNaN, kNaN, kNaN, kNaN}},
    {"erfc",
     [](const Tensor& x) { return erfc(x); },
     "ffffffhgfd",
     {2, 1.999593047982555, 1.8427007929497148, 1.5204998778130465, 1, 1, 0.9999887162083294,
      0.7236736098317631, 0.4795001221869535, 0.15729920705028513, 2.209049699858544e-05, 0, 0, 2,
      kNaN},
     {0, -0.00217828423035271, -0.4151074974205947, -0.8787825789354448, -1.1283791670955126,
      -1.1283791670955126, -1.1283791669826746, -1.0600141293761143, -0.8787825789354448,
      -0.4151074974205947, -0.00013925305194674786, 0, 0, 0, kNaN}},
    {"erfinv",
     [](const Tensor& x) { return erfinv(x); },
     "ffffffhgfd",
     {kNaN, kNaN, -kInfinity, -0.4769362762044699, 0, 0, 8.862269254759594e-06, 0.2253120550121781,
      0.4769362762044699, kInfinity, kNaN, kNaN, kNaN, kNaN, kNaN},
     {kNaN, kNaN, kInfinity, 1.1125848189719496, 0.8862269254527579, 0.8862269254527579,
      0.886226925522362, 0.9323782346059725, 1.1125848189719496, kInfinity, kNaN, kNaN, kNaN, kNaN,
      kNaN}},
    {"floor",
     [](const Tensor& x) { return floor(x); },
     "-ucsilhgfd",
     {-80, -3, -1, -1, 0, 0, 0, 0, 0, 1, 3, 80, kInfinity, -kInfinity, kNaN},
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"ceil",
     [](const Tensor& x) { return ceil(x); },
     "-ucsilhgfd",
     {-80, -2, -1, 0, 0, 0, 1, 1, 1, 1, 3, 80, kInfinity, -kInfinity, kNaN},
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"round",
     [](const Tensor& x) { return round(x); },
     "-ucsilhgfd",
     {-80, -2, -1, 0, 0, 0, 0, 0, 0, 1, 3, 80, kInfinity, -kInfinity, kNaN},
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"trunc",
     [](const Tensor& x) { return trunc(x); },
     "-ucsilhgfd",
     {-80, -2, -1, 0, 0, 0, 0, 0, 0, 1, 3, 80, kInfinity, -kInfinity, kNaN},
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"frac",
     [](const Tensor& x) { return frac(x); },
     "------hgfd",
     {0, -0.5, 0, -0.5, 0, 0, 1e-05, 0.25, 0.5, 0, 0, 0, kNaN, kNaN, kNaN},
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    // PyTorch's derivative: -inf at place 4 where it computes several at once, inf of one
    {"logit",
     [](const Tensor& x) { return logit(x); },
     "ffffffhgfd",
     {kNaN, kNaN, kNaN, kNaN, -kInfinity, -kInfinity, -11.512915464920228, -1.0986122886681098, 0,
      kInfinity, kNaN, kNaN, kNaN, kNaN, kNaN},
     {kNaN, kNaN, kNaN, kNaN, kInfinity, kInfinity, 100001.00001000009, 5.333333333333333, 4,
      kInfinity, kNaN, kNaN, kNaN, kNaN, kNaN}},
    // PyTorch's values: 4e-17 at whole numbers
    {"sinc",
     [](const Tensor& x) { return sinc(x); },
     "ffffffhgfd",
     {0, 0.12732395447351627, 0, 0.6366197723675814, 1, 1, 0.9999999998355066, 0.9003163161571061,
      0.6366197723675814, 0, 0, 0, kNaN, kNaN, kNaN},
     {-0.0125, 0.05092958178940651, 1, 1.2732395447351628, 0, 0, -3.289868133371756e-05,
      -0.7728381398822342, -1.2732395447351628, -1, -0.3333333333333333, 0.0125, kNaN, kNaN, kNaN}},
    // PyTorch's derivative: -8.813396925622108e-05 at place 11, NaN at place 12; no 16 bits
    {"special_erfcx",
     [](const Tensor& x) { return special_erfcx(x); },
     "ffffffhgfd",
     {kInfinity, 1035.814842972623, 5.008980080762283, 1.952360489182557, 1, 1, 0.9999887163083283,
      0.7703465477309968, 0.6156903441929259, 0.427583576155807, 0.17900115118138996,
      0.007051818957039103, 0, kInfinity, kNaN},
     {-kInfinity, -5180.20259403021, -11.14633932862008, -3.0807396562780696, -1.1283791670955126,
      -1.1283791670955126, -1.1283591673211864, -0.7432058932300142, -0.5126888229025867,
      -0.27321201478389856, -0.05437226000717287, -8.813396925609116e-05, 0, -kInfinity, kNaN}},
    // PyTorch's derivative: 1.6449340676383375 at place 9, 1e29 at place 0
    {"digamma",
     [](const Tensor& x) { return digamma(x); },
     "ffffffhgfd",
     {kNaN, 1.103156640645243, kNaN, 0.03648997397857652, kInfinity, -kInfinity,
      -100000.57719921567, -4.2274535333762655, -1.9635100260214235, -0.5772156649015329,
      0.9227843350984671, 4.375763614043984, kInfinity, kNaN, kNaN},
     {kInfinity, 9.539246644989124, kInfinity, 8.934802200544679, kInfinity, kInfinity,
      10000000001.644909, 17.19732915450711, 4.934802200544679, 1.6449340668482264,
      0.39493406684822646, 0.012578450510661943, 0, kNaN, kNaN}},
    // PyTorch's value at place 12 and derivative at places 0 and 2 are NaN
    {"polygamma, n 2",
     [](const Tensor& x) { return polygamma(2, x); },
     "ffffffhgfd",
     {-kInfinity, -0.1082040516417274, -kInfinity, -0.82879664423432, -kInfinity, -kInfinity,
      -2000000000000002, -129.32773993753693, -16.82879664423432, -2.4041138063191885,
      -0.15411380631918858, -0.00015821533139556644, 0, kNaN, kNaN},
     {kInfinity, 194.74787621918762, kInfinity, 193.40909103400244, kInfinity, kInfinity,
      5.999999999999999e+20, 1538.7821440091884, 97.40909103400244, 6.493939402266829,
      0.11893940226682916, 3.9801024913887145e-06, 0, kNaN, kNaN}},
    {"lgamma",
     [](const Tensor& x) { return lgamma(x); },
     "ffffffhgfd",
     {kInfinity, -0.056243716497674054, kInfinity, 1.2655121234846454, kInfinity, kInfinity,
      11.512919692895826, 1.2880225246980774, 0.5723649429247001, 0, 0.6931471805599453,
      269.2910976510198, kInfinity, kInfinity, kNaN},
     {kNaN, 1.103156640645243, kNaN, 0.03648997397857652, kInfinity, -kInfinity,
      -100000.57719921567, -4.2274535333762655, -1.9635100260214235, -0.5772156649015329,
      0.9227843350984671, 4.375763614043984, kInfinity, kNaN, kNaN}},
    {"isnan",
     [](const Tensor& x) { return isnan(x); },
     "bbbbbbbbbb",
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
     {}},
    {"isinf",
     [](const Tensor& x) { return isinf(x); },
     "bbbbbbbbbb",
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0},
     {}},
    {"isfinite",
     [](const Tensor& x) { return isfinite(x); },
     "bbbbbbbbbb",
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0},
     {}},
    {"signbit",
     [](const Tensor& x) { return signbit(x); },
     "bbbbbbbbbb",
     {1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0},
     {}},
    // PyTorch's derivative: 5.333333333333333 at place 7; NaN at place 14
    {"logit, eps 0.25",
     [](const Tensor& x) { return logit(x, 0.25); },
     "ffffffhgfd",
     {-1.0986122886681098, -1.0986122886681098, -1.0986122886681098, -1.0986122886681098,
      -1.0986122886681098, -1.0986122886681098, -1.0986122886681098, -1.0986122886681098, 0,
      1.0986122886681098, 1.0986122886681098, 1.0986122886681098, 1.0986122886681098,
      -1.0986122886681098, kNaN},
     {0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0}},
    {"nan_to_num of numbers",
     [](const Tensor& x) { return nan_to_num(x, 1, 2, 3); },
     "bucsilhgfd",
     {-80, -2.5, -1, -0.5, 0, 0, 1e-05, 0.25, 0.5, 1, 3, 80, 2, 3, 1},
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0}},
    {"remainder by a number",
     [](const Tensor& x) { return remainder(x, 0.75); },
     "ffffffhgfd",
     {0.25, 0.5, 0.5, 0.25, 0, 0, 1e-05, 0.25, 0.5, 0.25, 0, 0.5, kNaN, kNaN, kNaN},
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"fmod by a number",
     [](const Tensor& x) { return fmod(x, 0.75); },
     "ffffffhgfd",
     {-0.5, -0.25, -0.25, -0.5, 0, 0, 1e-05, 0.25, 0.5, 0.25, 0, 0.5, kNaN, kNaN, kNaN},
     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
    {"floor_divide by a number",
     [](const Tensor& x) { return floor_divide(x, -0.75); },
     "ffffffhgfd",
     {106, 3, 1, 0, 0, 0, -1, -1, -1, -2, -4, -107, kNaN, kNaN, kNaN},
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"div by a number, trunc",
     [](const Tensor& x) { return div(x, -0.75, "trunc"); },
     "ffffffhgfd",
     {106, 3, 1, 0, 0, 0, 0, 0, 0, -1, -4, -106, -kInfinity, kInfinity, kNaN},
     {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    // PyTorch's derivative: NaN at place 12; NaN at place 13; NaN at place 14
    {"copysign of a number",
     [](const Tensor& x) { return copysign(x, -1); },
     "ffffffhgfd",
     {-80, -2.5, -1, -0.5, 0, 0, -1e-05, -0.25, -0.5, -1, -3, -80, -kInfinity, -kInfinity, kNaN},
     {1, 1, 1, 1, 0, 0, -1, -1, -1, -1, -1, -1, -1, 1, -1}},
    {"xlogy of a number",
     [](const Tensor& x) { return xlogy(x, 2); },
     "ffffffhgfd",
     {-55.451774444795625, -1.7328679513998633, -0.6931471805599453, -0.34657359027997264, 0, 0,
      6.931471805599453e-06, 0.17328679513998632, 0.34657359027997264, 0.6931471805599453,
      2.0794415416798357, 55.451774444795625, kInfinity, -kInfinity, kNaN},
     {0.6931471805599453, 0.6931471805599453, 0.6931471805599453, 0.6931471805599453,
      0.6931471805599453, 0.6931471805599453, 0.6931471805599453, 0.6931471805599453,
      0.6931471805599453, 0.6931471805599453, 0.6931471805599453, 0.6931471805599453,
      0.6931471805599453, 0.6931471805599453, 0.6931471805599453}},
    // PyTorch's derivative: -0.025000000000000001 at place 0; -0.80000000000000004 at place 1; -2
    // at place 2 ...
    {"xlogy by a number",
     [](const Tensor& x) { return xlogy(2, x); },
     "ffffffhgfd",
     {kNaN, kNaN, kNaN, kNaN, -kInfinity, -kInfinity, -23.025850929940457, -2.772588722239781,
      -1.3862943611198906, 0, 2.1972245773362196, 8.764053269347762, kInfinity, kNaN, kNaN},
     {kNaN, kNaN, kNaN, kNaN, -kInfinity, kInfinity, 199999.99999999997, 8, 4, 2,
      0.6666666666666666, 0.025, 0, kNaN, kNaN}},
};
TEST(ElementwiseFunctions, OfOneOperandAreLibTorchs) {
  for (const UnaryCase& one : kOfOne) expect_case(one, tensor(kPoints, kFloat64));
}

TEST(ElementwiseFunctions, NanToNumGivesTheLargestNumbersOfTheType) {
  const struct {
    ScalarType type;
    double largest;
  } rows[] = {{kFloat64, 1.7976931348623157e308},
              {kFloat32, 3.4028234663852886e38},
              {kFloat16, 65504},
              {kBFloat16, 3.3895313892515355e38}};
  for (const auto& [type, largest] : rows) {
    const Tensor x = tensor({kNaN, kInfinity, -kInfinity, 1.5}, type);
    expect_values(nan_to_num(x), {0, largest, -largest, 1.5});
    expect_values(x.nan_to_num_(2), {2, largest, -largest, 1.5});
  }
  expect_values(nan_to_num(tensor({true, false})), {1, 0});
}

/// Within four units in the last place of what doubles give.
void expect_exact_floats(const Tensor& got, const Tensor& exact) {
  for (int64_t i = 0; i < got.numel(); ++i) {
    const auto number = got[i].item<double>(), want = exact[i].item<double>();
    EXPECT_NEAR(number, want, 4 * std::ldexp(std::abs(want), -23)) << "place " << i;
  }
}

TEST(ElementwiseFunctions, LogitCancelsNothingBesideOneHalf) {
  const Tensor x = tensor({0.49999997, 0.49995, 0.5000001, 0.4999, 0.3, 0.26, 0.74}, kFloat32);
  expect_exact_floats(logit(x), logit(x.to(kFloat64)));
}

TEST(ElementwiseFunctions, SlopesOfExp2AreFiniteWhereTheirNumbersAre) {
  const Tensor x = tensor({128.01, 128.5, -126.7, 3.3}, kFloat32).requires_grad_();
  const Tensor exact = exp2(x.detach().to(kFloat64)) * std::log(2);
  EXPECT_EQ(exp2(x)[0].item<double>(), kInfinity);
  const Tensor slope = autograd::grad({exp2(x).sum()}, {x}, {}, {}, true)[0];
  expect_exact_floats(slope, exact);
  const Tensor y = tensor({128.9}, kFloat32).requires_grad_();  // whose slope is infinite, too
  const Tensor first = autograd::grad({exp2(y).sum()}, {y}, {}, {}, true)[0];
  expect_exact_floats(autograd::grad({first.sum()}, {y})[0],
                      exp2(y.detach().to(kFloat64)) * std::log(2) * std::log(2));
}

TEST(ElementwiseFunctions, OfIntegersStayExact) {
  const int64_t least = std::numeric_limits<int64_t>::min();
  const Tensor a = tensor({7, -7, 7, -7}), b = tensor({2, 2, -2, -2});
  expect_values(remainder(a, b), {1, 1, -1, -1});
  expect_values(a % b, {1, 1, -1, -1});
  expect_values((a % 2).to(kFloat64) + 5 % b,
                values(remainder(a, 2).to(kFloat64) + remainder(5, b)));
  expect_values(fmod(a, b), {1, -1, 1, -1});
  expect_values(floor_divide(a, b), {3, -4, -4, 3});
  expect_values(div(a, b, "trunc"), {3, -3, -3, 3});
  EXPECT_EQ(floor_divide(tensor({least}), tensor({int64_t{-1}})).item<int64_t>(), least);
  EXPECT_EQ(remainder(tensor({least}), tensor({int64_t{-1}})).item<int64_t>(), 0);
  expect_values(a & 3, {3, 1, 3, 1});
  expect_values(a | b, {7, -5, -1, -1});
  expect_values(a ^ b, {5, -5, -7, 7});
  expect_values(~a, {-8, 6, -8, 6});
  expect_values(~tensor({true, false}), {0, 1});
  expect_values(tensor({true, false}) ^ tensor({true, true}), {0, 1});
}

TEST(ElementwiseFunctions, RefuseWhatLibTorchRefuses) {
  const Tensor a = tensor({1, 2});
  const Unchanged unchanged({a});
  expect_error<ValueError>("remainder: integer division by zero", [&] { remainder(a, a - 1); });
  expect_error<ValueError>("remainder_: integer division by zero", [&] { a.remainder_(0); });
  expect_error<ValueError>("fmod: integer division by zero", [&] { fmod(a, 0); });
  expect_error<ValueError>("floor_divide: integer division by zero",
                           [&] { floor_divide(a, a - 2); });
  expect_error<ValueError>("rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'",
                           [&] { div(a, a, "up"); });
  expect_error<DtypeError>("addcdiv: Integer division", [&] { addcdiv(a, a, a); });
  expect_error<DtypeError>("hypot: not implemented for 'Long'", [&] { hypot(a, a); });
  expect_error<DtypeError>("bitwise_and: not implemented for 'Float'",
                           [&] { bitwise_and(a, ones({2})); });
  expect_error<DtypeError>("isclose: expected scalar type Long but found Float",
                           [&] { isclose(a, ones({2})); });
  expect_error<ValueError>("isclose: rtol must be", [&] { isclose(a, a, -1); });
  expect_error<ShapeError>("atan2: The size of tensor a (2)", [&] { atan2(a, ones({3})); });
  expect_error<UndefinedTensor>("logit: an operand is undefined", [] { logit(Tensor()); });
  unchanged.check();
}

}  // namespace
}  // namespace notape::testing
