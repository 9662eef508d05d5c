// The models of the 2019 paper's benchmark, and what a step of training wants. Link notape::nn.
#pragma once
#include "notape/nn.h"
#include "paper_examples/models/alexnet.h"
#include "paper_examples/models/gnmt.h"
#include "paper_examples/models/mobilenet.h"
#include "paper_examples/models/ncf.h"
#include "paper_examples/models/resnet.h"
#include "paper_examples/models/transformer.h"
#include "paper_examples/models/vgg.h"
#include "paper_examples/models/workload.h"
