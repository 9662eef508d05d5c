// Writes to memory of which at most the version counter learns.
#pragma once
#include <span>

#include "autograd/graph/write_ticket.h"
#include "verify/alias/kinds/kind.h"

namespace notape::verify::alias {

/// a's memory = pattern, behind the graph's back
struct RawWrite {
  static constexpr bool kIgnoresGradMode = true;
  enum class By : uint8_t { Ticket, MutableDataPtr, DataPtr };
  Slot a = kNoSlot;
  int8_t pattern = 0;
  By by = By::Ticket;

  static RawWrite propose(Draws& draws, Slot a) {
    const auto by = static_cast<By>(draws.below(3));
    return {a, draws.pattern(), by};
  }

  Expectation expect(const Oracle& oracle, bool) const {
    if (pattern < 0) return kSkip;
    const bool refused = by != By::DataPtr && oracle.alias(a).overlaps_itself();
    return {.must = refused ? bit(Failure::MemoryOverlap) : 0};
  }

  void apply(Oracle& oracle, bool) const {
    const Alias x = oracle.alias(a);
    const Cells cells = oracle.read(x, false);
    Elements elements;
    for (std::size_t i = 0; i < at(x.numel); ++i) {
      elements[i] = oracle.element(cells, i);  // its tangent stays
      elements[i].value = pattern_value(pattern, static_cast<int>(i));
    }
    oracle.write(x, elements, false, false);
    if (by != By::DataPtr) return;
    CellStorage& storage = oracle.storage_of(x);
    for (const int8_t cell : std::span(x.cell).first(at(x.numel)))
      storage.written_unseen[at(cell)] = storage.written[at(cell)];
  }

  void run(Executor& executor) const {
    const Tensor& target = executor.held(a);
    const auto write = [&](double* data) {
      const auto first = static_cast<std::size_t>(target.storage_offset());
      for (int i = 0; i < static_cast<int>(target.numel()); ++i)
        data[place(target, i) - first] = pattern_value(pattern, i);
    };
    if (by == By::Ticket) {
      const WriteTicket ticket(target);
      write(static_cast<double*>(ticket.data()));
    } else {
      write(by == By::DataPtr ? target.data_ptr<double>() : target.mutable_data_ptr<double>());
    }
  }

  std::string text() const {
    if (by == By::Ticket)
      return fmt::format("{{ WriteTicket ticket(t{0}); put(ticket.data(), t{0}, {1}); }}", a,
                         pattern);
    return fmt::format("put(t{0}.{1}<double>(), t{0}, {2});", a,
                       by == By::DataPtr ? "data_ptr" : "mutable_data_ptr", pattern);
  }

  Parts parts() { return {nullptr, {&a}, {}, {&pattern}}; }
  bool writes() const { return true; }
  bool operator==(const RawWrite&) const = default;
};

}  // namespace notape::verify::alias
