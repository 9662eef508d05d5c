// The contents of one entry of a zip archive, unpacked as they are read.
#pragma once
#include <memory>

#include "autograd/interchange/detail/zip_archive.h"

namespace notape::interchange {

/// `packed` are the entry's bytes in the file. Reading throws FileError for corrupt data; finish()
/// compares the checksum.
std::unique_ptr<ByteSource> unpack_zip_entry(std::string name, const ZipEntry& entry,
                                             FileSlice packed);

}  // namespace notape::interchange
