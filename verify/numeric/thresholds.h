// The decisions of the verifier: tolerances, factors and counts, each with its reason. What follows
// from a dtype is in tolerance.h, and what only makes one algorithm work stands beside it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace notape::verify {

// How near is near enough.
/// Times the ladder's error estimate e.
inline constexpr double kLadderFactor = 10;
/// Times a standard deviation m of rounding noise.
inline constexpr double kNoiseFactor = 8;
/// What rounding modes do to a number, times this, is taken for the noise of its roundings: with
/// kNoiseFactor twice what they do.
inline constexpr double kRoundingShare = 0.25;
/// In roundings: what moves further in another rounding mode is good in one mode only.
inline constexpr double kWild = 0x1p12;
/// How much coarser float32 is than float64.
inline constexpr double kFloat32Ratio = 0x1p29;
/// Times what rounding modes do to a gradient: what its roundings may make of it in another loop.
inline constexpr double kRoundingsApart = 4;
/// Roundings of a number of size 1, as slopes: those of a long saturated result.
inline constexpr double kSaturatedRoundings = 8;
/// Slopes are measured on the kink and compared one or two numbers beside it.
inline constexpr double kRoundingsBeside = 8;
/// What another way of computing the same gradient may cost.
inline constexpr double kRecordingRoundings = 64;
/// What another layout may cost a second derivative, whose formula is long.
inline constexpr double kSecondOrderRoundings = 1 << 14;
/// Second differences below so many roundings of the result are no evidence.
inline constexpr double kRoundingsBesideResult = 0x1p16;
/// Roundings of a sum of n terms, in units of the square root of n.
inline constexpr double kSumFactor = 3;
/// Standard deviations from ten degrees of freedom each, of roundings that are not quite alike.
inline constexpr double kAlikeScatter = 4;
/// Roundings on the way may have moved a float32 result by a few units of the largest.
inline constexpr double kResultUnits = 4;
/// How exact a function is taken to be where rounding modes cannot tell: float32 inside, and a few
/// units.
inline constexpr double kRelativeRoundingUnknown = 0x1p-20;
/// How many units in the last place a derivative may be off at numbers of every size.
inline constexpr double kTailPlaces = 8;
/// The share of the declared loss that has to be found: inputs are as coarse as results, so that
/// those of one result need not reach over all of its last place.
inline constexpr double kFoundLoss = 0.25;

// The 113-bit reference.
/// The unit of 113-bit arithmetic.
inline constexpr double kWideEpsilon = 0x1p-112;
/// Rounding errors of a reference, in units of 113-bit arithmetic.
inline constexpr double kReferenceUnits = 16;
/// The roundings of dual numbers: those of 113 bits, with 32 bits of cancellation inside.
inline constexpr double kExactUnit = 0x1p-80;
/// Slopes that cancel to nothing leave roundings of what they are made of.
inline constexpr double kCancelledSlope = 0x1p-80;
/// As close as a few differences of float64 numbers come to an exact slope.
inline constexpr double kConfirmingError = 0x1p-14;

// How much a comparison must see to count.
/// Where only float64 values could be differenced. What roundings inside the function cost is
/// measured and stated; an error of one part in a thousand must be seen.
inline constexpr double kOpaquePowerGate = 1e-3;
/// A weaker answer than this is not taken from a short ladder.
inline constexpr double kQuickPowerGate = 1e-8;
/// The power that a leg has to have, or the next one is tried.
inline constexpr double kDoubleGate = 1e-8, kWideGate = 1e-12;
/// A third derivative of float64 has lost more digits than a first one.
inline constexpr double kThirdOrderPowerGate = 1e-9;
/// What second differences are asked for: finer errors are for the gradient's own slope to find.
inline constexpr double kCoarseCurvature = 1e-3;
/// Entries below this share of the largest are flat beside it: what they hide is relative to the
/// share.
inline constexpr double kFlatShare = 0.01;
/// An error of a slope of 0 that is so small beside the steepest one counts as relative to that.
inline constexpr double kSmallBesideSteepest = 1e-6;
/// What is known to that share of the slopes of longer steps may count as 0. A gradient in float32
/// is itself known to some 1e-6 of its terms only, so that nothing in it could be 0 by the first.
inline constexpr double kZeroShare = 1e-6, kZeroShareOfFloat32 = 1e-4;

// Steps, noise and stairs.
/// With fewer levels on both sides the slope is taken from one.
inline constexpr std::size_t kFewestLevels = 6;
/// What scatters values more than this, in roundings, is not noise but a jump nearby, for
/// instance. A path that tells its terms is a whole function of a user's, in which nearly all may
/// cancel: the gradient of (1 - cos x) / x^2 at 1e-3 has lost 10^12 roundings of itself.
inline constexpr double kMostNoise = 1e4, kMostNoiseOfTerms = 1e14;
/// Changes of slopes that fall by this from step to step settle: they would by 1/2 of a smooth
/// function.
inline constexpr double kSlopesFall = 0.6;
/// The height of a step on one side of the point: the same to this share, and so many roundings.
inline constexpr double kSameGap = 0.125, kClearGap = 64;
/// Of the terms: a higher step between two formulas is a jump.
inline constexpr double kHighestSwitch = 0x1p-20;
/// Stairs no higher than this many roundings of a number of size 1 are roundings.
inline constexpr double kHighestStair = 0x1p12;
/// Slopes that roundings of a number of size 1 may hide.
inline constexpr double kHiddenSlope = 0x1p-20;
/// Stairs that roundings inside make are no higher than this.
inline constexpr double kHighestStairInside = 0x1p-40;
/// Of the largest value: a lower staircase is one by rounding, to float32 for instance.
inline constexpr double kRoundingStair = 0x1p-16;
/// What may be lost inside a function whose values do not move: so many roundings of a number of
/// size 1, of which nothing else is known.
inline constexpr double kInvisible = 0x1p12;
/// kInvisible as a slope, over the steps at which values stand still.
inline constexpr double kInvisibleSlope = 0x1p-21;
/// The same as kInvisible where the function has shown its roundings.
inline constexpr double kMeasuredInvisible = 0x1p4;
/// Differences count that are so many times as large as noise.
inline constexpr double kAboveNoise = 20;
/// 2^-0.35: slopes of both sides that come nearer by less in half the step stay apart.
inline constexpr double kSidesStayApart = 0.78;
/// Of a bend, what its change leaves over where the slopes of both sides meet.
inline constexpr double kBendLeft = 1e-3;
/// Changes of slopes from step to step, half as long: those of x sqrt(x) fall to 0.7, those of x
/// log(x) stay.
inline constexpr double kFallingSlopes = 0.71, kSteadySlopes = 0.9;
/// Slopes of a kink seen in two sizes of steps are the same to this share.
inline constexpr double kSameSingularity = 0.02;
/// A number that is so many times its noise away from those around it jumps there.
inline constexpr double kNoiseAtJump = 64;
/// Steps of this size, which no power of two has in common with the others, must give the same
/// again.
inline constexpr double kConfirmingShare = 0.75;
/// A way is as steep as one slope and not as another if it is so many times nearer to it.
inline constexpr int kClearlyNearer = 4;
/// Beside the slopes, what no rounding is taken for: gradients of tied entries that do not add up.
inline constexpr double kClearTieError = 0x1p-10;
/// A larger result, or what is made of it, may be beyond float16's 65504.
inline constexpr double kInFloat16Range = 0x1p13;
/// A remainder of Taylor's this many times the noise shows its power of h.
inline constexpr double kClearRemainder = 16;
/// The power of h of a right gradient's remainder is 2, but for noise.
inline constexpr double kLeastRemainderSlope = 1.9;

// How many are looked at.
/// Points around the inputs where noise is measured.
inline constexpr std::size_t kNoiseSamples = 16;
/// Rounds in which inputs move by a unit in the last place.
inline constexpr int kInputJitters = 8;
/// The same where inputs are long, and expensive.
inline constexpr int kInputJittersOfLong = 3;
/// The same of the true number, in 113 bits.
inline constexpr int kJitterRounds = 4;
/// So few entries are moved each by itself, too.
inline constexpr int64_t kFewEntries = 6;
/// Entries of the incoming gradient that are each tried alone.
inline constexpr std::size_t kMostIncoming = 6;
/// Entries of an argument that are masked: the first, the last, and some between.
inline constexpr std::size_t kMaskedEntries = 6;
/// Entries compared alone where there is a reference.
inline constexpr std::size_t kMostAlone = 64;
/// Entries judged alone where there is none.
inline constexpr std::size_t kMostOpaqueAlone = 32;
/// Entries looked at for a singular place of their own.
inline constexpr std::size_t kMostSingularEntries = 512;
/// Directions that one is split into where small terms would be hidden by large ones.
inline constexpr int kMostParts = 4;
/// Of more arguments not every subset is tried.
inline constexpr std::size_t kAllSubsets = 4;
/// Of a larger tie, blocks are moved instead of entries.
inline constexpr std::size_t kMostUnits = 16;
/// Groups of equal entries whose slopes are added up.
inline constexpr std::size_t kMostAdditiveTies = 4;
/// Ties of an argument: each costs a look along one direction more.
inline constexpr std::size_t kMostTiesOfArgument = 16;
/// Entries of a tie.
inline constexpr std::size_t kMostTiedEntries = 512;
/// Places near a tie at which its gradients' scatter is measured.
inline constexpr int kTiePlaces = 16;
/// Entries that are moved onto ties of the reference's comparisons, and ties of each.
inline constexpr std::size_t kMostMoved = 2, kMostTies = 2;
/// Entries tried for a tie of several, and those of it, which are moved in all combinations.
inline constexpr std::size_t kMostCombined = 48, kMostTied = 3;
/// Declared kinks that a case is moved onto.
inline constexpr std::size_t kKinkPlaces = 4;
/// Declared kinks of a C operator that a case is moved onto.
inline constexpr std::size_t kMostForeignKinks = 8;
/// Points of a sweep over numbers of every size.
inline constexpr std::size_t kTailPoints = 192;
/// Other cases asked whether an argument's gradient is ever left out.
inline constexpr int kSiblings = 20;
/// Cases with other attributes, called between two equal calls.
inline constexpr uint64_t kOtherCases = 4;
/// Inputs at which two functions are compared.
inline constexpr int kSameFunctionSamples = 30;

// Long inputs.
/// A thousand entries and a tail, and chunks more than kParallelGrain, beyond where 16 bits count.
inline constexpr int64_t kFewCopied = 1001, kManyCopied = 65536 + 1001;
/// Beyond, before and at the ends of blocks of a power of two; 201 and 65,536 + 1,225 are
/// multiples of nothing that anybody takes for a block.
inline constexpr int64_t kShortLengths[] = {0, 33, 128, 201, 1024, 2051};
/// Only where it is cheap.
inline constexpr int64_t kLongLength = 65536 + 1225;
/// What a length may cost, and a child. Ordinary functions take a hundredth at most, so that what
/// is tried, and the verdict, is the same under a sanitizer and on a busy machine.
inline constexpr double kMostSeconds = 0.4, kMostOfChild = 20;
/// Of all longer arguments together.
inline constexpr int64_t kMostLongEntries = 1 << 19;
/// Of a longer result: the square of the longest short length. Of 12 entries, each with each, made
/// longer to 12,306 it would be 151 million.
inline constexpr double kMostLongResults = 4.5e6;
/// Ways of making a case longer that are tried.
inline constexpr std::size_t kMostLongDims = 6;
/// Of cases that `sizes` looks at, one in so many is also made as long as a thread's share.
inline constexpr uint32_t kLongShare = 2;
/// Copies of a case side by side, so that threads have something to share.
inline constexpr int kSideBySide = 8;

}  // namespace notape::verify
