// Following a conversation: results, supplied texts, what replaced what.
#include "agentfootprint/evidence/conversation_index.hpp"

#include <algorithm>
#include <unordered_map>

#include "agentfootprint/evidence/internal/merged.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::evidence {

std::string_view name_of(SuppliedBy by) noexcept {
  switch (by) {
    case SuppliedBy::person:
      return "person";
    case SuppliedBy::app:
      return "app";
    case SuppliedBy::declared:
      return "declared";
  }
  return "";
}

struct ConversationIndex::State {
  Options options;
  std::uint32_t messages = 0;
  std::uint32_t turn = 0;
  std::vector<ResultEntry> results;
  std::vector<bool> superseded;
  std::vector<SuppliedEntry> supplied;
  internal::MergedIndex merged_results;
  internal::MergedIndex merged_supplied;
  std::vector<std::uint16_t> hint_units;
  std::uint64_t values = 0;
  bool truncated = false;
  // Tool and canonical arguments to the results of the newest such call.
  std::unordered_map<std::string, std::vector<std::uint32_t>> newest;

  void supply(const json::Value& content, std::string_view text, SuppliedBy by,
              std::optional<std::uint32_t> message) {
    ResultIndex::Options read;
    read.units = options.units;
    read.respell = true;
    const internal::KeyBag::Sizes before = merged_supplied.pending().sizes();
    SuppliedEntry entry{by, message,
                        ResultIndex::build(content, text, read, merged_supplied.pending(),
                                           merged_supplied.places())};
    if (!merged_supplied.add(*entry.index)) {
      merged_supplied.pending().cut_to(before);
      truncated = true;
      return;
    }
    supplied.push_back(std::move(entry));
  }
};

namespace {

constexpr std::size_t kMaxArgumentLeaves = 1000;

void collect_leaves(const json::Value& arguments, std::vector<std::string>& out) {
  std::vector<const json::Value*> open = {&arguments};
  while (!open.empty() && out.size() < kMaxArgumentLeaves) {
    const json::Value& value = *open.back();
    open.pop_back();
    if (const auto text = value.as_string()) {
      if (!text->empty()) out.emplace_back(*text);
    } else if (value.is_number()) {
      out.push_back(json::dump(value));
    }
    const auto elements = value.elements();
    for (auto it = elements.rbegin(); it != elements.rend(); ++it) open.push_back(&*it);
    const auto members = value.members();
    for (auto it = members.rbegin(); it != members.rend(); ++it) open.push_back(&it->value);
  }
}

std::shared_ptr<const std::vector<std::string>> argument_leaves(const ToolCall* call) {
  if (call == nullptr) return nullptr;
  auto leaves = std::make_shared<std::vector<std::string>>();
  if (call->arguments_malformed) {
    leaves->push_back(*call->arguments_text);
  } else {
    collect_leaves(call->arguments, *leaves);
  }
  return leaves->empty() ? nullptr : leaves;
}

}  // namespace

ConversationIndex::ConversationIndex() : ConversationIndex(Options()) {}
ConversationIndex::ConversationIndex(const Options& options) : state_(std::make_shared<State>()) {
  state_->options = options;
  if (state_->options.units == nullptr) state_->options.units = &UnitTable::standard();
}

ConversationIndex ConversationIndex::of(const Conversation& conversation) {
  return of(conversation, Options());
}
ConversationIndex ConversationIndex::of(const Conversation& conversation, const Options& options) {
  ConversationIndex index(options);
  index.extend(conversation);
  return index;
}

ConversationIndex::State& ConversationIndex::own() {
  if (state_.use_count() > 1) state_ = std::make_shared<State>(*state_);
  return *state_;
}

void ConversationIndex::extend(const Conversation& conversation) {
  if (conversation.size() <= state_->messages) return;
  State& state = own();
  const auto add_supplied = [&](const Message& message, SuppliedBy by, std::uint32_t at) {
    for (const std::string_view text : message.text_parts()) {
      if (!text.empty()) state.supply(message.content, text, by, at);
    }
  };
  const auto add_result = [&](const Message& message, std::uint32_t at,
                              std::vector<std::uint32_t>& parts) {
    const CallKey key = conversation.key_of_result(at).value_or(CallKey{at, 0, true});
    const ToolCall* call = key.orphan ? nullptr : conversation.call_of(key);
    const auto leaves = argument_leaves(call);
    for (const std::string_view text : message.text_parts()) {
      if (state.truncated) return;
      ResultIndex::Options options;
      options.units = state.options.units;
      options.size_cap = state.options.result_size_cap;
      ResultEntry entry;
      entry.message = at;
      entry.call = key;
      entry.tool_call_id = message.tool_call_id;
      if (!entry.tool_call_id && call != nullptr) entry.tool_call_id = call->wire_id;
      entry.tool = call != nullptr ? call->name : message.tool_name.value_or("");
      entry.failed = message.status == ResultStatus::failed;
      entry.turn = state.turn;
      internal::MergedIndex& merged = state.merged_results;
      const internal::KeyBag::Sizes before = merged.pending().sizes();
      entry.index =
          ResultIndex::build(message.content, text, options, merged.pending(), merged.places());
      entry.absent = message.status == ResultStatus::absent || entry.index->absence();
      entry.argument_leaves = leaves;
      state.values += entry.index->size();
      if (state.values > state.options.max_values || !merged.add(*entry.index)) {
        merged.pending().cut_to(before);
        state.truncated = true;
        return;
      }
      for (const std::uint16_t unit : entry.index->hint_units()) {
        auto& hints = state.hint_units;
        if (std::find(hints.begin(), hints.end(), unit) == hints.end()) hints.push_back(unit);
      }
      const auto number = static_cast<std::uint32_t>(state.results.size());
      state.results.push_back(std::move(entry));
      state.superseded.push_back(false);
      parts.push_back(number);
    }
    if (call == nullptr || parts.empty()) return;
    std::vector<std::uint32_t>& newest =
        state.newest[call->name + '\n' + json::dump_canonical(call->arguments)];
    // A call that failed replaces nothing, but one that works later replaces it.
    if (message.status == ResultStatus::failed) {
      newest.insert(newest.end(), parts.begin(), parts.end());
      return;
    }
    for (const std::uint32_t old : newest) state.superseded[old] = true;
    newest = parts;
  };
  for (std::uint32_t at = state.messages; at < conversation.size(); ++at) {
    const Message& message = conversation[at];
    if (message.role == Role::user &&
        (message.origin == Origin::person || message.origin == Origin::app)) {
      ++state.turn;
    }
    if (message.origin == Origin::person || message.origin == Origin::app) {
      const SuppliedBy by = message.origin == Origin::person ? SuppliedBy::person : SuppliedBy::app;
      add_supplied(message, by, at);
      continue;
    }
    const bool settled = message.status == ResultStatus::settled || !message.dispatched;
    if (!message.is_result() || message.origin != Origin::tool || settled) continue;
    std::vector<std::uint32_t> parts;
    add_result(message, at, parts);
  }
  state.merged_results.settle();
  state.merged_supplied.settle();
  state.messages = conversation.size();
}

void ConversationIndex::supply(std::string text, SuppliedBy by) {
  if (text.empty()) return;
  State& state = own();
  state.supply(json::Value(text), text, by, std::nullopt);
  state.merged_supplied.settle();
}

std::uint32_t ConversationIndex::size() const noexcept {
  return state_->messages;
}
std::uint32_t ConversationIndex::turn() const noexcept {
  return state_->turn;
}
const std::vector<ResultEntry>& ConversationIndex::results() const noexcept {
  return state_->results;
}
const std::vector<SuppliedEntry>& ConversationIndex::supplied() const noexcept {
  return state_->supplied;
}
bool ConversationIndex::superseded(std::size_t result) const noexcept {
  return state_->superseded[result];
}
bool ConversationIndex::truncated() const noexcept {
  return state_->truncated;
}
std::uint64_t ConversationIndex::values() const noexcept {
  return state_->values;
}
const UnitTable& ConversationIndex::units() const noexcept {
  return *state_->options.units;
}
const std::vector<std::uint16_t>& ConversationIndex::hint_units() const noexcept {
  return state_->hint_units;
}
const internal::MergedIndex& ConversationIndex::merged_results() const noexcept {
  return state_->merged_results;
}
const internal::MergedIndex& ConversationIndex::merged_supplied() const noexcept {
  return state_->merged_supplied;
}

std::size_t ConversationIndex::memory_bytes() const noexcept {
  std::size_t sum = state_->merged_results.memory_bytes();
  for (const ResultEntry& entry : state_->results) sum += entry.index->memory_bytes();
  return sum;
}

}  // namespace agentfootprint::evidence
