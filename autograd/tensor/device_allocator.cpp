#include "autograd/tensor/device_allocator.h"

#include <forward_list>
#include <mutex>

#include "autograd/error.h"
#include "autograd/tensor/device_interface.h"

namespace notape {

constinit std::atomic<const PluggableAllocator*> own_cpu_allocator{nullptr};

namespace {

DeviceAllocator& device_allocator(Device device) {
  if (auto* const found = dynamic_cast<DeviceAllocator*>(&device_interface(device))) return *found;
  throw DeviceError("{}: this device keeps no account of its memory", to_string(device));
}

/// Memory that it has given knows it to the end of the process.
const PluggableAllocator& kept_for_good(PluggableAllocator allocator) {
  static std::mutex mutex;
  static auto& all = *new std::forward_list<PluggableAllocator>;
  const std::lock_guard lock(mutex);
  return all.emplace_front(std::move(allocator));
}

const char* state_name(MemoryBlockState state) {
  constexpr const char* kNames[] = {"active_allocated", "active_pending_free", "inactive"};
  return kNames[static_cast<std::size_t>(state)];
}

}  // namespace

std::vector<MemorySegment> memory_snapshot(Device device) {
  return device_allocator(device).memory_snapshot(device.index);
}

void change_current_allocator(DeviceType type, PluggableAllocator allocator) {
  const bool is_empty = !allocator.allocate && !allocator.release;
  if (type == kCPU && is_empty) return own_cpu_allocator.store(nullptr);
  if (!allocator.allocate || !allocator.release)
    throw ValueError("change_current_allocator: both functions are needed");
  if (type == kCPU) return own_cpu_allocator.store(&kept_for_good(std::move(allocator)));
  device_allocator(Device(type)).change_allocator(std::move(allocator));
}

std::string to_json(const std::vector<MemorySegment>& snapshot) {
  std::string text = "{\"segments\": [";
  for (const MemorySegment& segment : snapshot) {
    if (text.back() == '}') text += ",\n  ";
    std::string blocks;
    std::size_t allocated = 0, active = 0;
    for (const MemoryBlock& block : segment.blocks) {
      if (block.state == MemoryBlockState::Active) allocated += block.bytes;
      if (block.state != MemoryBlockState::Inactive) active += block.bytes;
      blocks += format_message(
          "{}{\"address\": {}, \"size\": {}, \"state\": \"{}\"}",
          {blocks.empty() ? "" : ", ", block.address, block.bytes, state_name(block.state)});
    }
    text += format_message(
        "{\"device\": {}, \"address\": {}, \"total_size\": {}, \"allocated_size\": {}, "
        "\"active_size\": {}, \"stream\": {}, \"segment_type\": \"{}\", \"blocks\": [{}]}",
        {static_cast<int>(segment.device.index), segment.address, segment.bytes, allocated, active,
         reinterpret_cast<uint64_t>(segment.stream), segment.is_small ? "small" : "large", blocks});
  }
  return text + "]}\n";
}

}  // namespace notape
