// Finding what carries a value: look-up, comparison, echoes. Not for direct use.
#pragma once

#include <string>
#include <vector>

#include "agentfootprint/evidence/internal/keys.hpp"
#include "agentfootprint/evidence/judge.hpp"
#include "agentfootprint/evidence/match.hpp"

namespace agentfootprint::evidence::internal {

struct Hit {
  std::uint32_t source = 0;  // position in results() or supplied()
  ItemId item = 0;
  Match match;
  bool echo = false;
};

class Grounder {
 public:
  Grounder(const ConversationIndex& index, const JudgeOptions& options)
      : index_(index), options_(options) {}

  [[nodiscard]] Grounding ground(const Value& value) const;
  [[nodiscard]] std::vector<Carrier> at_any_level(const Value& value) const;

 private:
  enum class Stage : std::uint8_t { same, rounded, converted };
  using Hits = std::vector<Hit>;

  [[nodiscard]] Queries queries(const Value& value) const;
  // Places of results that match in a stage, by result, then by level, then by place; echoes of
  // failed results and absences left out.
  [[nodiscard]] Hits in_results(const Value& value, const Queries& queries, Stage stage) const;
  [[nodiscard]] Hits in_supplied(const Value& value, const Queries& queries, Stage stage) const;
  [[nodiscard]] Grounding with_year(const Value& value) const;
  [[nodiscard]] Hits ending_in_results(const Value& value) const;
  [[nodiscard]] bool ending_supplied(const Value& value, Grounding& out) const;
  [[nodiscard]] bool from_supplied(const Value& value, const Queries& queries, Stage stage,
                                   Grounding& out) const;
  void keep_counting(Hits& hits, const Value& value) const;
  [[nodiscard]] bool is_echo(std::uint32_t result, ItemId item) const;
  [[nodiscard]] Grounding ground_shape(const Value& value) const;
  [[nodiscard]] Grounding as_list(const Value& value) const;
  void take(const Hits& hits, Grounding& out) const;
  [[nodiscard]] std::vector<Carrier> carriers_of(const Hits& hits) const;

  const ConversationIndex& index_;
  const JudgeOptions& options_;
};

}  // namespace agentfootprint::evidence::internal
