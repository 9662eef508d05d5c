#include "autograd/tensor/memory_observer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "autograd/modes/thread_state.h"
#include "autograd/tensor/storage.h"

namespace notape {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Changes final : public MemoryObserver {
 public:
  Changes() { thread_state.memory_session = set_memory_observer(this); }
  ~Changes() override { set_memory_observer(nullptr); }

  void memory_changed(const MemoryChange& change) noexcept override {
    EXPECT_EQ(change.device, Device(kCPU));
    bytes.push_back(change.bytes);
    allocated.push_back(change.allocated);
    data.push_back(change.data);
  }

  std::vector<int64_t> bytes, allocated;
  std::vector<const void*> data;
};

TEST(MemoryObserver, SeesStoragesOfEverySizeComeAndGo) {
  const Changes seen;
  for (const std::size_t size : {0, 8, 64, 65, 5000}) {
    const Ref<Storage> storage = Storage::allocate(size, kCPU);
    EXPECT_EQ(seen.data.back(), storage->data());
    std::memset(storage->data(), 1, size);  // it is all there
  }
  EXPECT_THAT(seen.bytes, ElementsAre(0, 0, 8, -8, 64, -64, 65, -65, 5000, -5000));
  EXPECT_THAT(seen.allocated, ElementsAre(0, 0, 8, 0, 64, 0, 65, 0, 5000, 0));
}

TEST(MemoryObserver, SeesNothingOfForeignMemoryAndOfWhatWasThereBefore) {
  char bytes[8];
  Ref<Storage> before = Storage::allocate(100, kCPU);
  const Changes seen;
  before = Storage::foreign(bytes, sizeof bytes, kCPU, nullptr);
  before = Ref<Storage>();
  EXPECT_THAT(seen.bytes, IsEmpty());
}

TEST(MemoryObserver, SeesOnlyWhatItsOwnSessionHasMade) {
  Ref<Storage> first;
  {
    const Changes seen;
    first = Storage::allocate(100, kCPU);
    EXPECT_THAT(seen.bytes, ElementsAre(100));
  }
  const Changes seen;
  first = Ref<Storage>();
  const Ref<Storage> second = Storage::allocate(10, kCPU);
  EXPECT_THAT(seen.bytes, ElementsAre(10));
}

TEST(MemoryObserver, AThreadForgetsASessionThatIsOver) {
  { const Changes seen; }
  EXPECT_NE(thread_state.memory_session, 0);
  const Ref<Storage> storage = Storage::allocate(10, kCPU);
  EXPECT_EQ(thread_state.memory_session, 0);
}

}  // namespace
}  // namespace notape
