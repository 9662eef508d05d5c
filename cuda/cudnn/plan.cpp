#include "cuda/cudnn/plan.h"

#include <map>
#include <mutex>

#include "cuda/cudnn/right_engines.h"
#include "ops/core/allocate.h"

namespace notape::cuda {

std::shared_ptr<const Plan> (*plan_of_graph)(const Operation&, cudnnContext*,
                                             const PlanKey&) = nullptr;
const char* graph_version = "";

std::string refusal_of(const Engine& engine, const PlanKey& key) {
  if (key.is_deterministic && !engine.is_deterministic) return "is not deterministic";
  if (engine.workspace > Plan::kMostWorkspace) return "needs too much memory";
  return right_engines ? right_engines->refusal(key, engine.name) : "";
}

Tensor workspace_of(const Engine& engine, const PlanKey& key) {
  if (engine.workspace == 0) return {};
  return allocate(IntArrayRef({static_cast<int64_t>(engine.workspace)}), kUInt8,
                  Device(kCUDA, key.device));
}

namespace {

std::mutex plans_lock;
PlanCounts counts;

}  // namespace

std::shared_ptr<const Plan> plan_for(const Operation& op, cudnnContext* handle,
                                     const PlanKey& key) {
  const bool is_of_calls = key.source == Source::Calls;
  if (!is_of_calls && !plan_of_graph) return nullptr;
  static auto* const plans = new std::map<PlanKey, std::shared_ptr<const Plan>>;
  const std::lock_guard guard(plans_lock);
  if (const auto found = plans->find(key); found != plans->end()) {
    ++counts.found;
    return found->second;
  }
  const auto plan = (is_of_calls ? plan_of_calls : plan_of_graph)(op, handle, key);
  if (plans->size() == kMostPlans) plans->clear();
  plans->emplace(key, plan);
  ++counts.made;
  counts.kept = plans->size();
  return plan;
}

PlanCounts plan_counts() {
  const std::lock_guard guard(plans_lock);
  return counts;
}

}  // namespace notape::cuda
