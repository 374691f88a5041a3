// What a block of the answer names in the results: records, groups, operands.
#include "agentfootprint/evidence/internal/deriver_state.hpp"

#include <algorithm>
#include <optional>
#include <span>

namespace agentfootprint::evidence {

using internal::Anchored;
using internal::TableLeaf;
using internal::Tables;
using internal::Term;
using internal::TextPosting;

Term Deriver::State::operand_of(std::size_t index) const {
  DerivedOperand about;
  about.raw = quoted[index].raw;
  about.quoted = index;
  return {quoted[index].amount, std::move(about)};
}

const std::string& Deriver::State::dimension_of(const std::string& sign) {
  const auto [at, made] = dimensions.try_emplace(sign);
  if (made && !sign.empty()) {
    std::vector<std::pair<Amount, std::string>> read;
    reader(sign == "%" ? "1%" : sign + "1", read);
    if (read.size() == 1) at->second = read[0].first.dimension;
  }
  return at->second;
}

const Deriver::State::BlockFacts& Deriver::State::block_facts(std::uint32_t block) {
  const auto [at, made] = of_block.try_emplace(block);
  BlockFacts& facts = at->second;
  if (!made) return facts;
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (places[i].block == block) facts.quoted.push_back(i);
  }
  if (block < blocks.size()) facts.words = internal::read_words(blocks[block].span.in(answer));
  find_texts(facts);
  return facts;
}

// Looks the block's phrases up among the text members of every result: a text one row has names
// that record, a text several rows have is the key of a group.
void Deriver::State::find_texts(BlockFacts& facts) {
  const std::vector<std::uint64_t>& phrases = facts.words.phrases;
  const auto take = [&](std::size_t result, std::span<const TextPosting> postings,
                        std::size_t first) {
    std::size_t last = first;
    while (last < postings.size() && postings[last].hash == postings[first].hash) {
      std::size_t next = last;
      while (next < postings.size() && postings[next].hash == postings[first].hash &&
             postings[next].node == postings[last].node) {
        ++next;
      }
      if (next - last == 1) {
        facts.named.push_back({result, postings[last].record});
      } else {
        facts.groups.push_back({result, &postings[last], postings.data() + next});
      }
      last = next;
    }
  };
  std::vector<internal::TextRun> found;
  for (const auto& segment : *directory) {
    const std::vector<internal::TextRun>& texts = segment->texts;
    for (const std::uint64_t phrase : phrases) {
      auto at = std::lower_bound(
          texts.begin(), texts.end(), phrase,
          [](const internal::TextRun& run, std::uint64_t hash) { return run.hash < hash; });
      for (; at != texts.end() && at->hash == phrase; ++at) found.push_back(*at);
    }
  }
  // The newest results first.
  std::sort(found.begin(), found.end(), [](const internal::TextRun& a, const internal::TextRun& b) {
    return a.result != b.result ? a.result > b.result : a.hash < b.hash;
  });
  for (const internal::TextRun& run : found) {
    take(run.result, results[run.result].facts().tables->postings(), run.first);
  }
}

std::optional<std::size_t> Deriver::State::index_of(std::uint32_t result) const {
  const auto at = std::lower_bound(
      results.begin(), results.end(), result,
      [](const DerivationResult& one, std::uint32_t number) { return one.result < number; });
  if (at == results.end() || at->result != result) return std::nullopt;
  return static_cast<std::size_t>(at - results.begin());
}

namespace {

// Is the one number of a text a name's rather than an amount: `975 Sunset Drive`, `Suite 217`?
// One that fills the text, has a unit, counts what follows (`12 errors`) or stands behind a label
// (`errors: 12`) is an amount.
bool names(std::string_view text, const std::pair<Amount, std::string>& read) {
  const auto& [amount, raw] = read;
  if (amount.measure != Measure::number || !amount.dimension.empty()) return false;
  const std::size_t at = text.find(raw);
  if (at == std::string_view::npos) return false;
  const std::size_t before = text.substr(0, at).find_last_not_of(' ');
  if (before != std::string_view::npos) return text[before] != ':' && text[before] != '=';
  const std::size_t behind = text.find_first_not_of(' ', at + raw.size());
  return behind != std::string_view::npos && text[behind] >= 'A' && text[behind] <= 'Z';
}

}  // namespace

// The members of a record as operands; strings are read for what they hold.
std::vector<Term> Deriver::State::operands_of(const Anchored& where, bool& clipped) const {
  std::vector<Term> operands;
  const DerivationResult& result = results[where.result];
  const Tables& tables = *result.facts().tables;
  const auto members = tables.members(result.text, where.record);
  if (!members) {
    clipped = true;
    return operands;
  }
  std::vector<std::pair<Amount, std::string>> read;
  for (const TableLeaf& leaf : *members) {
    std::string decoded;
    std::string_view text = leaf.span.in(result.text);
    if (leaf.escaped && json::decode_string(text, decoded)) text = decoded;
    if (text.size() > 200) continue;
    read.clear();
    reader(text, read);
    if (read.size() == 1 && names(text, read.front())) continue;
    for (auto& [amount, raw] : read) {
      DerivedOperand about;
      about.raw = std::move(raw);
      about.results = {result.result};
      about.pointer = tables.pointer_of(leaf.node, where.record);
      operands.emplace_back(std::move(amount), std::move(about));
    }
  }
  if (operands.size() > internal::kMaxMembers) {
    clipped = true;
    operands.clear();
  }
  return operands;
}

bool Deriver::State::is_of(std::size_t index, const Anchored& where) const {
  const Quoted& value = quoted[index];
  const DerivationResult& result = results[where.result];
  if (value.of.empty()) return true;
  if (std::find(value.asked.begin(), value.asked.end(), result.result) != value.asked.end())
    return true;
  const Tables& tables = *result.facts().tables;
  return std::any_of(value.of.begin(), value.of.end(), [&](const auto& place) {
    if (place.first != result.result) return false;
    const auto record = tables.record_at(place.second);
    return record && (tables.within(*record, where.record) || tables.within(where.record, *record));
  });
}

}  // namespace agentfootprint::evidence
