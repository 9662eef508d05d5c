// The recorded graph as text: DOT for Graphviz, JSON for programs.
#include "autograd/interchange/graph_export.h"

#include <nlohmann/json.hpp>

#include "autograd/interchange/exported_graph.h"

namespace notape::autograd {
namespace {

using nlohmann::ordered_json;

/// A DOT string: backslashes would begin an escape such as \N, the node's name.
std::string dot_quote(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + "\"";
}

std::string dot_label(const NodeRef& node) {
  std::string label;
  if (leaf_of(node)) {
    label = "leaf";
  } else {
    label = std::string(node->name()) + " #" + std::to_string(node->sequence_nr()) + "\n" +
            node->operator_name();
    if (kProvenance) label += " " + place_of(node->at());
  }
  for (std::size_t i = 0; i < node->num_inputs(); ++i)
    label += "\n" + describe(node->input_metadata(i));
  return label;
}

ordered_json meta_json(const OutputMeta& meta) {
  return {{"dtype", name_of(meta.dtype())},
          {"device", to_string(meta.device())},
          {"sizes", meta.sizes().vec()}};
}

ordered_json root_json(const ExportedGraph::Root& root) {
  ordered_json json = {{"node", nullptr}};
  if (root.node) json = {{"node", *root.node}, {"output_nr", root.output_nr}};
  json.update(meta_json(root.meta));
  return json;
}

ordered_json node_json(const ExportedGraph& graph, std::size_t id) {
  const NodeRef& node = graph.nodes()[id];
  ordered_json json = {{"id", id}, {"name", node->name()}};
  if (AccumulateGrad* leaf = leaf_of(node)) {
    json["alive"] = leaf->leaf().defined();
  } else {
    json["operator"] = node->operator_name();
    if (kProvenance) {
      json["file"] = node->at().file_name();
      json["line"] = node->at().line();
      json["function"] = node->at().function_name();
    }
    json["sequence_nr"] = node->sequence_nr();
    json["topological_nr"] = node->topological_nr();
  }
  json["outputs"] = ordered_json::array();
  for (std::size_t i = 0; i < node->num_inputs(); ++i)
    json["outputs"].push_back(meta_json(node->input_metadata(i)));
  json["saved"] = ordered_json::array();
  for (const ExportedGraph::Saved& saved : saved_by(node)) {
    ordered_json one = {{"slot", saved.slot},
                        {"dtype", name_of(saved.dtype)},
                        {"sizes", saved.sizes.vec()},
                        {"bytes", saved.bytes}};
    if (saved.versions)
      one.update(
          {{"version", saved.versions->saved}, {"current_version", saved.versions->current}});
    one["overwritten"] = saved.is_overwritten;
    json["saved"].push_back(std::move(one));
  }
  json["edges"] = ordered_json::array();
  for (std::size_t i = 0; i < node->num_edges(); ++i)
    if (const Edge& edge = node->next_edge(i))
      json["edges"].push_back(
          {{"input", i}, {"node", graph.number(edge.function.get())}, {"input_nr", edge.input_nr}});
  return json;
}

/// A list of JSON values, one a line. Names that are not UTF-8 get replacement characters.
class JsonLines {
 public:
  void add(const ordered_json& value) {
    text_ += text_.empty() ? "\n  " : ",\n  ";
    text_ += value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
  std::string list() const { return "[" + text_ + "]"; }

 private:
  std::string text_;
};

}  // namespace

std::string to_dot(const TensorList& roots) {
  const ExportedGraph graph(roots);
  std::string text = "digraph notape {\n  node [shape=box];\n";
  for (std::size_t i = 0; i < graph.roots().size(); ++i) {
    const ExportedGraph::Root& root = graph.roots()[i];
    const std::string name = "root" + std::to_string(i);
    text += "  " + name + " [shape=ellipse, label=" +
            dot_quote("root " + std::to_string(i) + "\n" + describe(root.meta)) + "];\n";
    if (!root.node) continue;
    text += "  " + name + " -> n" + std::to_string(*root.node);
    if (root.output_nr != 0) text += " [label=\"output " + std::to_string(root.output_nr) + "\"]";
    text += ";\n";
  }
  for (std::size_t id = 0; id < graph.nodes().size(); ++id) {
    const NodeRef& node = graph.nodes()[id];
    text += "  n" + std::to_string(id) + " [label=" + dot_quote(dot_label(node));
    if (leaf_of(node)) text += ", style=filled, fillcolor=lightblue";
    text += "];\n";
    for (const Edge& edge : node->next_edges()) {
      if (!edge) continue;
      text +=
          "  n" + std::to_string(id) + " -> n" + std::to_string(graph.number(edge.function.get()));
      if (edge.input_nr != 0) text += " [label=\"output " + std::to_string(edge.input_nr) + "\"]";
      text += ";\n";
    }
  }
  return text + "}\n";
}

std::string to_json(const TensorList& roots) {
  const ExportedGraph graph(roots);
  JsonLines root_lines, node_lines;
  for (const ExportedGraph::Root& root : graph.roots()) root_lines.add(root_json(root));
  for (std::size_t id = 0; id < graph.nodes().size(); ++id) node_lines.add(node_json(graph, id));
  return "{\"roots\": " + root_lines.list() + ",\n \"nodes\": " + node_lines.list() + "}\n";
}

}  // namespace notape::autograd
