// The convenience header for models: modules (nn::Module, nn::Linear, nn::Conv2d), optimizers
// (optim::SGD) and data sets (data::Dataset, data::ShuffledBatches). Link notape::nn.
#pragma once
#include "autograd/language.h"  // first

#include "paper_examples/data/dataset.h"
#include "paper_examples/data/digits.h"
#include "paper_examples/data/find_data.h"
#include "paper_examples/nn/conv2d.h"
#include "paper_examples/nn/initialize.h"
#include "paper_examples/nn/linear.h"
#include "paper_examples/nn/module.h"
#include "paper_examples/optim/sgd.h"
