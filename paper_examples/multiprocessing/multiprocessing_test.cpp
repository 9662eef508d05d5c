// Several processes: shared memory, all-reduce, and what happens when one fails.
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "ops/ops.h"
#include "paper_examples/multiprocessing/process_group.h"
#include "paper_examples/multiprocessing/shared_tensor.h"
#include "paper_examples/multiprocessing/spawn.h"

namespace notape::multiprocessing {
namespace {

using ::testing::HasSubstr;

struct SocketPair {
  SocketPair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0); }
  ~SocketPair() {
    for (const int end : ends) ::close(end);
  }
  int ends[2];
};

TEST(SharedTensor, C37_AGigabyteIsSentInAMillisecondAndSeenByBothSides) {
  const SocketPair sockets;
  const SharedTensor large = SharedTensor::zeros({1 << 28});  // float32: 1 GiB, untouched
  double fastest = 1;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_LT(large.send(sockets.ends[0]), 1000u);
    const SharedTensor received = SharedTensor::receive(sockets.ends[1]);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fastest = std::min(fastest, seconds.count());
    EXPECT_EQ(received.tensor().numel(), 1 << 28);
  }
  EXPECT_LT(fastest, 1e-3);

  spawn(1, [&](int) {  // in another process
    large.send(sockets.ends[0]);
    large.tensor()[12345].fill_(7);
  });
  const SharedTensor received = SharedTensor::receive(sockets.ends[1]);
  EXPECT_EQ(received.tensor()[12345].item(), 7);
  received.tensor()[1].fill_(3);
  EXPECT_EQ(large.tensor()[1].item(), 3);
}

TEST(SharedTensor, C37_ATensorOutlivesItsSenderAndKeepsSizeAndDtype) {
  const SocketPair sockets;
  {
    const SharedTensor sent(tensor({{1, 2, 3}, {4, 5, 6}}, kInt16).t());
    sent.send(sockets.ends[0]);
  }
  const Tensor received = SharedTensor::receive(sockets.ends[1]).tensor();
  EXPECT_TRUE(received.equal(tensor({{1, 4}, {2, 5}, {3, 6}}, kInt16))) << received;
  EXPECT_EQ(received.dtype(), kInt16);
}

TEST(SharedTensor, RefusesBytesThatAreNoTensor) {
  const SocketPair sockets;
  const std::string bytes(300, 'x');
  ASSERT_EQ(::write(sockets.ends[0], bytes.data(), bytes.size()), 300);
  EXPECT_THROW(SharedTensor::receive(sockets.ends[1]), ValueError);
  EXPECT_THROW(SharedTensor::zeros({1, -1}), ValueError);
  EXPECT_THROW(SharedTensor::zeros({int64_t{1} << 40, int64_t{1} << 40}), ValueError);
}

TEST(Spawn, NamesTheRankThatFailsAndEndsTheOthers) {
  const ProcessGroup group(3, 1);
  const auto failure = [&](const std::function<void(int)>& work) -> std::string {
    try {
      spawn(3, work);
    } catch (const ProcessFailed& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(failure([&](int rank) {
                if (rank == 1) throw ValueError("no more digits");
                group.barrier();  // the others would wait for ever
              }),
              HasSubstr("spawn: rank 1 failed: no more digits"));
  const ProcessGroup another(3, 1);
  EXPECT_THAT(failure([&](int rank) {
                if (rank == 2) ::raise(SIGKILL);
                another.barrier();
              }),
              HasSubstr("spawn: rank 2 died: Killed"));
  EXPECT_THROW(spawn(0, [](int) {}), ValueError);
}

TEST(ProcessGroup, C38_AllReduceIsTheSumByRankAndTheSameBitsInAll) {
  constexpr int ranks = 4, rounds = 100;
  const ProcessGroup group(ranks, 1000);
  const SharedTensor results = SharedTensor::zeros({rounds, ranks, 1000});
  const auto term = [](int round, int rank) {
    Generator generator(static_cast<uint64_t>(round * ranks + rank));
    return randn({1000}, generator);
  };
  spawn(ranks, [&](int rank) {
    for (int round = 0; round < rounds; ++round) {
      const Tensor tensor = term(round, rank);
      group.all_reduce(rank, tensor);
      results.tensor()[round][rank].copy_(tensor);
    }
  });
  for (int round = 0; round < rounds; ++round) {
    Tensor sum = zeros({1000}, kFloat64);
    for (int rank = 0; rank < ranks; ++rank) sum.add_(term(round, rank));
    EXPECT_TRUE(results.tensor()[round].equal(sum.to(kFloat32).expand({ranks, 1000}))) << round;
  }
}

std::string failure_of(int count, const std::function<void(int)>& work) {
  try {
    spawn(count, work);
  } catch (const ProcessFailed& error) {
    return error.what();
  }
  return "none";
}

TEST(Spawn, NoticesFailuresWhereTheSystemReapsChildren) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(failure_of(2, [](int) {}), "none");
  EXPECT_THAT(failure_of(2,
                         [](int rank) {
                           if (rank == 1) throw ValueError("lost");
                         }),
              HasSubstr("rank 1 failed: lost"));
  EXPECT_THAT(failure_of(2,
                         [](int rank) {
                           if (rank == 0) ::_exit(0);
                         }),
              HasSubstr("rank 0"));
  ::signal(SIGCHLD, before);
}

TEST(Spawn, WhatIsPrintedIsWrittenOnce) {
  ::testing::internal::CaptureStdout();
  std::printf("before ");
  spawn(2, [](int rank) { std::printf("rank%d ", rank); });
  std::fflush(stdout);
  EXPECT_THAT(::testing::internal::GetCapturedStdout(),
              ::testing::AnyOf("before rank0 rank1 ", "before rank1 rank0 "));
}

TEST(ProcessGroup, IsGoodForAnotherSpawnAfterAFailedOne) {
  const ProcessGroup group(2, 2);
  EXPECT_THAT(failure_of(2,
                         [&](int rank) {
                           if (rank == 1) {
                             ::usleep(100'000);
                             throw ValueError("stopped");
                           }
                           group.all_reduce(rank, ones({2}));
                         }),
              HasSubstr("rank 1 failed: stopped"));
  const SharedTensor sums = SharedTensor::zeros({2, 2});
  for (int time = 1; time <= 2; ++time) {
    spawn(2, [&](int rank) {
      if (rank == 1) ::usleep(50'000);
      const Tensor sum = full({2}, 10. * (rank + 1) * time);
      group.all_reduce(rank, sum);
      sums.tensor()[rank].copy_(sum);
    });
    EXPECT_TRUE(sums.tensor().equal(full({2, 2}, 30. * time))) << sums.tensor();
  }
}

TEST(ProcessGroup, DoesNotWaitForThoseWhoWillNotCome) {
  const ProcessGroup two(2, 4), three(3, 4), hurried(2, 4, std::chrono::milliseconds(100));
  for (const unsigned late : {0, 50'000})  // the other is still there, or gone already
    EXPECT_THAT(failure_of(2,
                           [&](int rank) {
                             ::usleep(rank == 0 ? late : 20'000);
                             if (rank == 0) two.barrier();
                           }),
                HasSubstr("a rank has ended and does not come any more"));
  EXPECT_THAT(failure_of(2, [&](int) { three.barrier(); }),
              HasSubstr("a group of 3 in 2 processes"));
  EXPECT_THAT(failure_of(2,
                         [&](int rank) {
                           if (rank == 1) ::usleep(2'000'000);
                           hurried.barrier();
                         }),
              HasSubstr("not all ranks came within 100 ms"));
  EXPECT_THAT(failure_of(2, [&](int rank) { two.all_reduce(rank, ones({2 + rank})); }),
              HasSubstr("elements in rank"));
  EXPECT_THAT(failure_of(2, [&](int) { two.all_reduce(0, ones({2})); }),
              HasSubstr("rank 1 was not called, another one twice"));
}

TEST(ProcessGroup, RefusesWhatItCannotSum) {
  const ProcessGroup alone(1, 4);
  EXPECT_THROW(alone.all_reduce(0, ones({5})), ValueError);
  EXPECT_THROW(alone.all_reduce(1, ones({4})), ValueError);
  EXPECT_THROW(alone.all_reduce(0, ones({4}, kInt64)), DtypeError);
  EXPECT_THROW(ProcessGroup(0, 4), ValueError);
}

}  // namespace
}  // namespace notape::multiprocessing
