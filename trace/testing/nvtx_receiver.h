// An NVTX tool of our own, in this program: sees the ranges without any tool by NVIDIA.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace notape::trace::testing {

struct NvtxMark {
  std::string name;  ///< "pop" for the end of a range, "end" for that of one with a number
  uint32_t category = 0;
  uint64_t payload = 0;
  bool is_registered = false;
  uint64_t range = 0;  ///< of a range that may end on another thread: its number
};

/// What NVTX calls first; returns 1 if it can listen.
int initialize_nvtx_receiver(const void* (*export_table)(uint32_t));
/// What arrived since the last time.
std::vector<NvtxMark> take_nvtx_marks();
/// The names of the domains that were made.
std::vector<std::string> nvtx_domains();
/// The names of the categories, by number.
std::map<uint32_t, std::string> nvtx_categories();
/// How often a string was registered.
int nvtx_registrations(const std::string& text);

}  // namespace notape::trace::testing
