// The offer, kept incrementally, and its plain form.
#include "agentfootprint/findings/offer.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace agentfootprint::findings {

bool is_result_message(const Message& message) noexcept {
  return message.role == Role::tool && message.dispatched &&
         message.status != ResultStatus::settled && message.origin != Origin::library;
}

void ServedResults::sync(const Conversation& conversation) {
  for (; messages_seen_ < conversation.size(); ++messages_seen_) {
    const Message& message = conversation[messages_seen_];
    if (!is_result_message(message)) continue;
    const std::string id = message.tool_call_id.value_or("");
    if (id.empty() && naming_ == Naming::wire) continue;
    const std::size_t index = results_.size();
    results_.push_back({ResultRef(id, conversation.key_of_result(messages_seen_)),
                        message.tool_name, messages_seen_});
    by_id_[id].push_back(index);
    if (results_.back().result.call) by_call_.emplace(*results_.back().result.call, index);
    nameable_.insert(place_of(index));
    undeclared_.insert(index);
    retired_.push_back(false);
    told_.push_back(0);
    fresh_.push_back(index);
  }
}

namespace {

// The span a message stands in; null when it stands in none.
const MessageSpan* gap_around(const std::vector<MessageSpan>& spans, std::uint32_t message) {
  const auto behind = std::upper_bound(
      spans.begin(), spans.end(), message,
      [](std::uint32_t index, const MessageSpan& span) { return index < span.first; });
  if (behind == spans.begin() || std::prev(behind)->last <= message) return nullptr;
  return &*std::prev(behind);
}

}  // namespace

// A result is counted under who declared it last: 1 + who, and 4 more when it is set aside.
void ServedResults::count(std::size_t index, const StandingRow* standing) {
  std::uint8_t& told = told_[index];
  if (told != 0) {
    --by_declarer_[(told & 3U) - 1U];
    if ((told & 4U) != 0) --set_aside_;
  }
  told = 0;
  if (standing == nullptr) return;
  const auto by = static_cast<std::size_t>(standing->by);
  told = static_cast<std::uint8_t>(by + 1);
  ++by_declarer_[by];
  if (!is_set_aside(standing->standing)) return;
  told = static_cast<std::uint8_t>(told | 4U);
  ++set_aside_;
}

void ServedResults::refresh(const LedgerFold& fold, std::size_t index) {
  const StandingRow* standing = fold.standing_of(results_[index].result);
  if (standing != nullptr) undeclared_.erase(index);
  count(index, standing);
  retired_[index] = standing != nullptr && is_retiring(standing->standing);
  if (!newest_of_its_id(index)) return;
  if (retired_[index]) {
    nameable_.erase(place_of(index));
  } else {
    nameable_.insert(place_of(index));
  }
}

// Where an id stands in the offer: with its first result, as ids are listed each once.
std::size_t ServedResults::place_of(std::size_t index) const {
  if (naming_ == Naming::unique) return index;
  return by_id_.at(results_[index].result.tool_call_id).front();
}

bool ServedResults::newest_of_its_id(std::size_t index) const {
  if (naming_ == Naming::unique) return true;
  return by_id_.at(results_[index].result.tool_call_id).back() == index;
}

std::vector<std::uint32_t> ServedResults::sync(const LedgerFold& fold,
                                               const std::vector<SharedRow>& rows) {
  std::vector<std::uint32_t> asked;
  const auto ask = [&](std::size_t index) {
    refresh(fold, index);
    asked.push_back(results_[index].message);
  };
  for (const std::size_t index : fresh_) ask(index);
  fresh_.clear();
  for (; rows_seen_ < rows.size(); ++rows_seen_) {
    const auto* standing = std::get_if<StandingRow>(rows[rows_seen_].get());
    if (standing == nullptr) continue;
    if (standing->result.call) {
      const auto found = by_call_.find(*standing->result.call);
      if (found != by_call_.end()) ask(found->second);
      continue;
    }
    const auto same = by_id_.find(standing->result.tool_call_id);
    if (same == by_id_.end()) continue;
    for (const std::size_t index : same->second) ask(index);
  }
  return asked;
}

std::vector<std::string> ServedResults::ids() const {
  std::vector<std::string> list;
  for (std::size_t index = 0; index < results_.size(); ++index) {
    const std::string& id = results_[index].result.tool_call_id;
    if (by_id_.at(id).front() == index) list.push_back(id);
  }
  return list;
}

std::vector<std::string> ServedResults::offer() const {
  return offer(nameable_.size());
}

std::vector<std::string> ServedResults::offer(std::size_t max) const {
  std::vector<std::string> list;
  for (const ServedResult* one : offered(max)) list.push_back(one->result.tool_call_id);
  return list;
}

std::vector<const ServedResult*> ServedResults::offered(std::size_t max) const {
  std::vector<const ServedResult*> list;
  for (auto at = nameable_.rbegin(); at != nameable_.rend() && list.size() < max; ++at) {
    list.push_back(&nameable_at(*at));
  }
  return list;
}

const ServedResult& ServedResults::nameable_at(std::size_t place) const {
  const ServedResult& one = results_[place];
  return naming_ == Naming::unique ? one : *newest(one.result.tool_call_id);
}

// The first result that stands at this message or behind it.
std::size_t ServedResults::first_from(std::uint32_t message) const {
  const auto found = std::lower_bound(
      results_.begin(), results_.end(), message,
      [](const ServedResult& one, std::uint32_t index) { return one.message < index; });
  return static_cast<std::size_t>(found - results_.begin());
}

ResultList ServedResults::offered(std::size_t max, const std::vector<MessageSpan>& left_out) const {
  ResultList list;
  if (left_out.empty()) {
    list.count = nameable_.size();
    list.first = offered(max);
    return list;
  }
  // Places are walked from behind; at the end of a gap the walk goes on in front of it.
  auto at = nameable_.end();
  while (at != nameable_.begin()) {
    const ServedResult& one = nameable_at(*std::prev(at));
    if (const MessageSpan* gap = gap_around(left_out, one.message)) {
      const auto front = nameable_.lower_bound(first_from(gap->first));
      at = naming_ == Naming::unique ? front : std::prev(at);
      continue;
    }
    if (list.count++ < max) list.first.push_back(&one);
    --at;
  }
  return list;
}

ResultList ServedResults::undeclared(std::size_t max,
                                     const std::vector<MessageSpan>& left_out) const {
  ResultList list;
  if (left_out.empty()) list.count = undeclared_.size();
  for (auto at = undeclared_.begin(); at != undeclared_.end();) {
    if (left_out.empty() && list.first.size() == max) break;
    const ServedResult& one = results_[*at];
    if (const MessageSpan* gap = gap_around(left_out, one.message)) {
      at = undeclared_.lower_bound(first_from(gap->last));
      continue;
    }
    if (list.first.size() < max) list.first.push_back(&one);
    if (!left_out.empty()) ++list.count;
    ++at;
  }
  return list;
}

std::vector<const ServedResult*> ServedResults::undeclared() const {
  std::vector<const ServedResult*> list;
  list.reserve(undeclared_.size());
  for (const std::size_t index : undeclared_) list.push_back(&results_[index]);
  return list;
}

const ServedResult* ServedResults::newest(const std::string& id) const {
  const auto same = by_id_.find(id);
  return same == by_id_.end() ? nullptr : &results_[same->second.back()];
}

std::vector<std::string> served_tool_call_ids(const Conversation& conversation) {
  ServedResults served;
  served.sync(conversation);
  return served.ids();
}

std::vector<std::string> undeclared_ids(const std::vector<std::string>& served,
                                        const LedgerFold& fold) {
  std::vector<std::string> list;
  std::unordered_set<std::string> seen;
  for (const std::string& id : served) {
    if (!seen.insert(id).second) continue;
    if (fold.standing_of(ResultRef(id)) == nullptr) list.push_back(id);
  }
  return list;
}

std::vector<std::string> offered_result_ids(const Conversation& conversation,
                                            const LedgerFold& fold) {
  std::vector<std::string> list;
  std::unordered_map<std::string, std::uint32_t> newest;
  for (std::uint32_t index = 0; index < conversation.size(); ++index) {
    const Message& message = conversation[index];
    if (!is_result_message(message)) continue;
    if (!message.tool_call_id || message.tool_call_id->empty()) continue;
    if (newest.insert_or_assign(*message.tool_call_id, index).second) {
      list.push_back(*message.tool_call_id);
    }
  }
  const auto retired = [&](const std::string& id) {
    const StandingRow* standing =
        fold.standing_of(ResultRef(id, conversation.key_of_result(newest.at(id))));
    return standing != nullptr && is_retiring(standing->standing);
  };
  list.erase(std::remove_if(list.begin(), list.end(), retired), list.end());
  std::reverse(list.begin(), list.end());
  return list;
}

const KnownResults& KnownFollower::sync(const Conversation& conversation, std::uint32_t before) {
  for (; seen_ < std::min(before, conversation.size()); ++seen_) {
    const Message& message = conversation[seen_];
    if (!is_result_message(message) || !message.tool_call_id) continue;
    KnownResult result;
    result.result = ResultRef(*message.tool_call_id, conversation.key_of_result(seen_));
    result.tool_name = message.tool_name;
    result.content = message.content;
    result.absent = message.status == ResultStatus::absent;
    known_.put(std::move(result));
  }
  return known_;
}

KnownResults known_results(const Conversation& conversation, std::uint32_t before,
                           std::vector<KnownResult> previous_batch) {
  KnownResults known;
  for (KnownResult& result : previous_batch) known.add(std::move(result));
  // The newest result of each id, listed in the order of the conversation.
  std::unordered_map<std::string, std::uint32_t> newest;
  const std::uint32_t end = std::min(before, conversation.size());
  const auto id_of = [&conversation](std::uint32_t index) -> const std::string* {
    const Message& message = conversation[index];
    if (!is_result_message(message) || !message.tool_call_id) return nullptr;
    return &*message.tool_call_id;
  };
  for (std::uint32_t index = 0; index < end; ++index) {
    if (const std::string* id = id_of(index)) newest[*id] = index;
  }
  for (std::uint32_t index = 0; index < end; ++index) {
    const std::string* id = id_of(index);
    if (id == nullptr || newest.at(*id) != index) continue;
    KnownResult result;
    result.result = ResultRef(*id, conversation.key_of_result(index));
    result.tool_name = conversation[index].tool_name;
    result.content = conversation[index].content;
    result.absent = conversation[index].status == ResultStatus::absent;
    known.add(std::move(result));
  }
  return known;
}

KnownResults known_results(const Conversation& conversation,
                           std::vector<KnownResult> previous_batch) {
  return known_results(conversation, conversation.size(), std::move(previous_batch));
}

}  // namespace agentfootprint::findings
