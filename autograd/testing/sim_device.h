// SimDevice: a device that can hold and copy memory and has no kernel, for as long as the object
// lives. Its addresses cannot be read: code that reads them crashes. Copies out of pinned memory
// happen as late as they may. For one thread, except for pinned memory.
#pragma once
#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <vector>

#include "autograd/error.h"
#include "autograd/tensor/device_interface.h"

namespace notape::testing {

class SimDevice final : public DeviceInterface {
 public:
  SimDevice() : before_(notape::device_count(kSIM) ? &device_interface(Device(kSIM)) : nullptr) {
    register_device(kSIM, this);
  }
  ~SimDevice() override { register_device(kSIM, before_); }
  SimDevice(const SimDevice&) = delete;
  SimDevice& operator=(const SimDevice&) = delete;

  int device_count() noexcept override { return 1; }
  void* allocate(std::size_t bytes, int) override {
    void* address = mmap(nullptr, bytes + 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) throw OutOfMemory("no addresses left for {} bytes", bytes);
    blocks_[static_cast<char*>(address)] = std::make_unique<char[]>(bytes + 1);
    return address;
  }
  void deallocate(void* data, std::size_t bytes, int) noexcept override {
    blocks_.erase(static_cast<char*>(data));
    munmap(data, bytes + 1);
  }
  void copy(void* target, Device to, const void* source, Device from, std::size_t bytes) override {
    if (bytes == 0) return;
    do_queued();
    char* const target_bytes = static_cast<char*>(target);
    char* const source_bytes = static_cast<char*>(const_cast<void*>(source));
    std::memmove(to.is_cpu() ? target_bytes : behind(target_bytes),
                 from.is_cpu() ? source_bytes : behind(source_bytes), bytes);
  }
  void* current_stream(int) override { return nullptr; }
  void synchronize(int) override { do_queued(); }
  void* allocate_pinned(std::size_t bytes) override {
    ++pinned_blocks;
    return ::operator new(bytes);
  }
  void deallocate_pinned(void* data, std::size_t) noexcept override {
    do_queued();
    --pinned_blocks;
    ::operator delete(data);
  }
  void copy_from_pinned(void* target, Device to, const void* source, std::size_t bytes) override {
    queue_.push_back([=, this] { copy(target, to, source, Device(), bytes); });
  }
  void finish_copies(const void*) override { do_queued(); }

  std::atomic<int> pinned_blocks{0};
  std::size_t copies_under_way() const { return queue_.size(); }

 private:
  void do_queued() {
    const std::vector<std::function<void()>> work = std::exchange(queue_, {});
    for (const auto& one : work) one();
  }

  /// The memory that an address stands for.
  char* behind(char* address) {
    const auto block = std::prev(blocks_.upper_bound(address));
    return block->second.get() + (address - block->first);
  }

  DeviceInterface* before_;
  std::vector<std::function<void()>> queue_;
  std::map<char*, std::unique_ptr<char[]>> blocks_;
};

}  // namespace notape::testing
