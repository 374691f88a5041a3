// What a deriver keeps of one answer: its blocks, its quoted values, and what they name in the
// results. Not for direct use.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agentfootprint/evidence/blocks.hpp"
#include "agentfootprint/evidence/derivation.hpp"
#include "agentfootprint/evidence/internal/facts.hpp"
#include "agentfootprint/evidence/internal/trial.hpp"
#include "agentfootprint/evidence/internal/words.hpp"

namespace agentfootprint::evidence {

namespace internal {

// A record in one result.
struct Anchored {
  std::size_t result;  // index into the results
  std::uint32_t record;
};

struct Group {
  std::size_t result;
  const TextPosting* first;
  const TextPosting* last;
};

}  // namespace internal

struct Deriver::State {
  // What one block of the answer offers; found at its first value.
  struct BlockFacts {
    internal::BlockWords words;
    std::vector<std::size_t> quoted;  // values in it, in order
    std::vector<internal::Anchored>
        named;  // records with a text of the block that no other row has
    std::vector<internal::Group> groups;
  };

  std::string_view answer;
  std::vector<Quoted> quoted;
  const DerivationResults& results;
  std::uint32_t turn;
  AmountReader reader;
  Blocks blocks;
  std::vector<BlockPlace> places;
  std::map<std::uint32_t, BlockFacts> of_block;
  std::shared_ptr<const internal::Directory> directory;
  std::map<std::string, std::string> dimensions;

  State(std::string_view text, std::vector<Quoted> values, const DerivationResults& all,
        std::uint32_t current, AmountReader amounts)
      : answer(text),
        quoted(std::move(values)),
        results(all),
        turn(current),
        reader(std::move(amounts)),
        blocks(Blocks::of(text)) {
    for (const Quoted& value : quoted) places.push_back(blocks.place(value.span.begin));
    directory = internal::directory_of(results);
  }

  // Of a result, by its number; empty when it offers nothing.
  std::optional<std::size_t> index_of(std::uint32_t result) const;
  const BlockFacts& block_facts(std::uint32_t block);
  // The dimension of a currency or percent sign, as the reader names it.
  const std::string& dimension_of(const std::string& sign);
  void find_texts(BlockFacts& facts);
  internal::Term operand_of(std::size_t index) const;
  std::vector<internal::Term> operands_of(const internal::Anchored& where, bool& clipped) const;
  // Is the record one of what value `index` is said of, or of nothing that is known?
  bool is_of(std::size_t index, const internal::Anchored& where) const;
};

}  // namespace agentfootprint::evidence
