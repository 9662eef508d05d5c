// Checkpoints: an interrupted training continues from the last of its files, to the same bits as
// without the interruption.
//
//   int64_t epoch = std::filesystem::exists(path) ? load_checkpoint(path, *model, optimizer) : 0;
//   for (; epoch < epochs; ++epoch) {
//     schedule.step(epoch);
//     ...
//     save_checkpoint(path, *model, optimizer, epoch + 1);
//   }
#pragma once
#include <string>

#include "paper_examples/nn/module.h"
#include "paper_examples/optim/optimizer.h"

namespace notape::optim {

/// Writes what training continues from: parameters and buffers, the optimizer's states and options,
/// the place of the default generator in its sequence, and how many epochs are done. One file,
/// safetensors ("model.fc.weight", "optimizer.state.0.step", "generator", "epoch"); it appears
/// whole or not at all, in place of the one before. Throws FileError.
void save_checkpoint(const std::string& path, const nn::Module& model, const Optimizer& optimizer,
                     int64_t epoch);
/// Schedules are no part of it: make them before or after, and set them with step(epoch).
/// Takes all of it over and returns the epochs that are done. Throws FileError, and ValueError that
/// lists what does not fit model or optimizer; then nothing has changed.
int64_t load_checkpoint(const std::string& path, nn::Module& model, Optimizer& optimizer);

}  // namespace notape::optim
