// The models whose memory is measured, by name. This header names no library.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace memory {

/// A forward and a backward of the whole; what they leave behind (gradients) until clear().
struct Block {
  std::string name;
  std::function<void()> forward;   ///< keeps its result, and with it the graph
  std::function<void()> backward;  ///< of that result, which it lets go of
  std::function<void()> clear;     ///< drops the gradients
};

/// With one thread. Each block is made when its turn comes.
std::vector<std::function<Block()>> blocks();
/// Gives back to the system what the library keeps for its next call.
void release_cached();

}  // namespace memory
