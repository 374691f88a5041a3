// Finding what carries a value: look-up, comparison, echoes. Not for direct use.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agentfootprint/evidence/internal/keys.hpp"
#include "agentfootprint/evidence/internal/merged.hpp"
#include "agentfootprint/evidence/judge.hpp"
#include "agentfootprint/evidence/match.hpp"

namespace agentfootprint::evidence::internal {

struct Hit {
  std::uint32_t source = 0;  // position in results() or supplied()
  ItemId item = 0;
  Match match;
  bool echo = false;
};

// Grounds values one after the other; what it needs for that is kept between them.
class Grounder {
 public:
  Grounder(const ConversationIndex& index, const JudgeOptions& options)
      : index_(index), options_(options) {}

  [[nodiscard]] Grounding ground(const Value& value);
  [[nodiscard]] std::vector<Carrier> at_any_level(const Value& value);

 private:
  using Hits = std::vector<Hit>;
  struct Candidate {
    std::uint32_t source = 0;
    ItemId item = 0;
  };
  struct ArgumentLeaf {
    std::string_view text;
    std::vector<Value> values;
  };

  // Where matches of a value in a stage can be; before each look-up in results or supplied texts.
  void find_ranges(const Value& value, Stage stage);
  // Places that may match, by source and place.
  void find_candidates(const MergedIndex& merged);
  // Places that do match in the stage; of each source enough to tell its level and its flags.
  [[nodiscard]] Hits in_results(const Value& value, Stage stage);
  [[nodiscard]] Hits in_supplied(const Value& value, Stage stage);
  void collect(const MergedIndex& merged, const Value& value, Stage stage, MatchContext context,
               bool results, Hits& out);
  [[nodiscard]] std::optional<Match> compare(const MergedIndex::Source& source, ItemId item,
                                             const Value& value, Stage stage,
                                             MatchContext& context);
  [[nodiscard]] Grounding with_year(const Value& value);
  [[nodiscard]] Hits ending_in_results(const Value& value);
  [[nodiscard]] bool ending_supplied(const Value& value, Grounding& out) const;
  [[nodiscard]] bool from_supplied(const Value& value, Stage stage, Grounding& out);
  void keep_counting(Hits& hits) const;
  [[nodiscard]] bool is_echo(std::uint32_t result, ItemId item);
  [[nodiscard]] const std::vector<ArgumentLeaf>& argument_leaves(std::uint32_t result);
  [[nodiscard]] Grounding ground_shape(const Value& value) const;
  [[nodiscard]] Grounding as_list(const Value& value);
  void take(const Hits& hits, Grounding& out) const;
  [[nodiscard]] std::vector<Carrier> carriers_of(const Hits& hits) const;

  const ConversationIndex& index_;
  const JudgeOptions& options_;
  std::vector<KeyRange> ranges_;
  std::vector<std::uint32_t> places_;
  std::vector<Candidate> candidates_;
  Value carried_;
  std::unordered_map<std::uint32_t, std::vector<ArgumentLeaf>> arguments_;
};

}  // namespace agentfootprint::evidence::internal
