// SavedTensorModified: the error of the 2017 paper, 3.1 Invalidation: "the version counter at the
// time of saving is compared with the one at the time of use".
#pragma once
#include <string>

#include "autograd/error.h"
#include "autograd/tensor/write_log.h"

namespace notape {

class Node;

/// A saved region was overwritten.
class SavedTensorModified : public ErrorOf<"SavedTensorModified"> {
 public:
  struct Conflict {
    std::string type;  // "CPUFloatType"
    std::string dtype, device;
    const Geometry& geometry;
    const Node* saver;
    const char* slot;      // "self", "result", ...
    const char* producer;  // the node whose output the value is
    uint32_t output_nr;
    uint64_t saved_version, current_version;
    const WriteEntry* write;      // null if the policy asks for whole-storage versions, or if raw
    const void *family, *tensor;  // identities of the saved value's
    bool conservative;
    bool raw = false;  // by code outside the library, of which only the changed bytes are known
  };
  explicit SavedTensorModified(const Conflict& conflict);
  /// `error`, `message`, `conservative`, and who saved, wrote and read `tensor` where.
  std::string to_json() const override { return json_; }

 private:
  std::string json_;
};

}  // namespace notape
