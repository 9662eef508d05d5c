// NodeRef: a counted pointer to a graph node, usable before Node is complete.
#pragma once
#include <memory>
#include <utility>

namespace notape {

class Node;

class NodeRef {
 public:
  NodeRef() noexcept = default;
  NodeRef(std::nullptr_t) noexcept {}
  NodeRef(const NodeRef& other) noexcept : node_(other.node_) {
    if (node_) retain(node_);
  }
  NodeRef(NodeRef&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  ~NodeRef() {
    if (node_) release(node_);
  }
  NodeRef& operator=(NodeRef other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }

  static NodeRef adopt(Node* node) noexcept {
    NodeRef result;
    result.node_ = node;
    return result;
  }
  static NodeRef share(Node* node) noexcept {
    if (node) retain(node);
    return adopt(node);
  }
  /// LibTorch's programs keep nodes in shared pointers; both kinds count the same node.
  NodeRef(const std::shared_ptr<Node>& node) noexcept : NodeRef(share(node.get())) {}
  operator std::shared_ptr<Node>() const {
    return node_ ? std::shared_ptr<Node>(node_, [owner = *this](Node*) {}) : nullptr;
  }

  Node* leak() noexcept { return std::exchange(node_, nullptr); }

  Node* get() const noexcept { return node_; }
  Node* operator->() const noexcept { return node_; }
  Node& operator*() const noexcept { return *node_; }
  explicit operator bool() const noexcept { return node_ != nullptr; }
  friend bool operator==(const NodeRef& a, const NodeRef& b) noexcept { return a.node_ == b.node_; }

 private:
  static void retain(Node* node) noexcept;
  static void release(Node* node) noexcept;

  Node* node_ = nullptr;
};

}  // namespace notape
