// Claude Code sessions: the tree, the active branch, and messages spread over lines.
#include "agentfootprint/transcript/internal/claude_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

namespace agentfootprint::transcript::internal {
namespace {

constexpr std::array<std::string_view, 9> kSilentTypes{
    "progress",     "summary",         "file-history-snapshot",
    "system",       "queue-operation", "result",
    "custom-title", "agent-name",      "last-prompt"};

std::string text_or_empty(const json::Value& object, std::string_view key) {
  return text_member(object, key).value_or("");
}

// The ids that blocks of a type carry under a key.
void collect_ids(const json::Value& content, std::string_view type, std::string_view key,
                 std::vector<std::string>& ids) {
  for (const json::Value& block : content.elements()) {
    if (text_or_empty(block, "type") == type) ids.push_back(text_or_empty(block, key));
  }
}

// A block that repeats the one before it or, while streaming, grows it.
bool repeats(const json::Value& before, const json::Value& block) {
  if (before == block) return true;
  const auto old_text = text_member(before, "text");
  const auto new_text = text_member(block, "text");
  return old_text && new_text && !old_text->empty() && new_text->starts_with(*old_text);
}

}  // namespace

bool is_claude_code_line(const json::Value& line) {
  const std::string type = text_or_empty(line, "type");
  if (type == "user" || type == "assistant") {
    const json::Value* message = line.find("message");
    return message != nullptr && message->contains("content") && !line.contains("role") &&
           (line.contains("sessionId") || line.contains("uuid") || line.contains("timestamp") ||
            line.contains("parentUuid"));
  }
  if (type == "summary") return line.contains("leafUuid");
  if (type == "file-history-snapshot" || type == "queue-operation") return true;
  return (type == "progress" || type == "system") && line.contains("uuid") &&
         line.contains("parentUuid");
}

void ClaudeCodeReader::note_odd_line(const json::Value& line, std::uint64_t number) {
  const std::string where = fmt::format("line {}", number);
  if (!line.is_object()) {
    gap({"not-a-message",
         fmt::format("{} stands where a line's object should", with_article(line.kind())), where, 1,
         true});
    return;
  }
  const std::string type = text_or_empty(line, "type");
  if (type == "user" || type == "assistant") {
    gap({"not-a-message", fmt::format("{} lines without a readable message", type), where, 1,
         true});
  } else if (std::find(kSilentTypes.begin(), kSilentTypes.end(), type) == kSilentTypes.end()) {
    gap({"unknown-line",
         type.empty() ? std::string("lines without a type are not read")
                      : fmt::format("lines of type \"{}\" are not read", type),
         where, 1, false});
  }
}

void ClaudeCodeReader::add(const json::Value& value, std::uint64_t number) {
  Line line;
  line.number = number;
  line.uuid = text_or_empty(value, "uuid");
  line.parent = text_or_empty(value, "parentUuid");
  if (line.parent.empty()) line.parent = text_or_empty(value, "logicalParentUuid");
  const auto known = by_uuid_.find(line.uuid);
  if (!line.uuid.empty() && known != by_uuid_.end() && lines_[known->second].spoken) {
    gap({"repeated-line", "lines that repeat an earlier one are read once",
         fmt::format("line {}", number), 1, false});
    return;
  }
  const std::string type = text_or_empty(value, "type");
  line.assistant = type == "assistant";
  const json::Value* message = value.find("message");
  const json::Value* content = message != nullptr ? message->find("content") : nullptr;
  line.spoken = (type == "user" || line.assistant) && content != nullptr &&
                (content->is_string() || content->is_array());
  if (line.spoken) {
    line.content = *content;
    line.message_id = text_or_empty(*message, "id");
    line.timestamp = text_or_empty(value, "timestamp");
    line.meta = true_member(value, "isMeta");
    line.summary = true_member(value, "isCompactSummary");
    line.synthetic = true_member(value, "isApiErrorMessage");
    if (true_member(value, "isSidechain"))
      line.thread = text_or_empty(value, "agentId") + "/sidechain";
    if (std::find(threads_.begin(), threads_.end(), line.thread) == threads_.end()) {
      threads_.push_back(line.thread);
    }
  } else {
    note_odd_line(value, number);
    if (line.uuid.empty()) return;
  }
  if (!line.uuid.empty()) by_uuid_[line.uuid] = lines_.size();
  lines_.push_back(std::move(line));
}

const ClaudeCodeReader::Line* ClaudeCodeReader::parent_of(const Line& line) const {
  const auto found = by_uuid_.find(line.parent);
  return found == by_uuid_.end() ? nullptr : &lines_[found->second];
}

// The newest spoken line that no other spoken line descends from. Each node is walked over once.
std::size_t ClaudeCodeReader::newest_leaf(const Indices& spoken) const {
  std::unordered_set<const Line*> walked;
  std::unordered_set<const Line*> inner;
  for (const std::size_t i : spoken) {
    for (const Line* at = parent_of(lines_[i]); at != nullptr; at = parent_of(*at)) {
      if (at->spoken) {
        if (at != &lines_[i]) inner.insert(at);
        break;
      }
      if (!walked.insert(at).second) break;
    }
  }
  std::size_t best = spoken.back();
  bool found = false;
  for (const std::size_t i : spoken) {
    if (inner.contains(&lines_[i])) continue;
    if (!found || lines_[i].timestamp >= lines_[best].timestamp) best = i;
    found = true;
  }
  return best;
}

ClaudeCodeReader::Indices ClaudeCodeReader::chain(const Indices& spoken, bool& dangling) const {
  Indices upwards;
  std::unordered_set<const Line*> seen;
  const Line* at = &lines_[newest_leaf(spoken)];
  while (at != nullptr && seen.insert(at).second) {
    if (at->spoken) upwards.push_back(static_cast<std::size_t>(at - lines_.data()));
    const Line* parent = parent_of(*at);
    if (parent == nullptr && !at->parent.empty()) dangling = true;
    at = parent;
  }
  std::reverse(upwards.begin(), upwards.end());
  return upwards;
}

// The chain, with the lines that share an API message with it in front of its first line of that
// message, and the results that answer its calls from beside it.
ClaudeCodeReader::Indices ClaudeCodeReader::with_relatives(const Indices& spoken,
                                                           const Indices& in_chain) const {
  const std::unordered_set<std::size_t> members(in_chain.begin(), in_chain.end());
  std::unordered_map<std::string, Indices> by_message;
  std::unordered_set<std::string> messages;
  for (const std::size_t i : in_chain) messages.insert(lines_[i].message_id);
  messages.erase("");
  std::unordered_map<std::string, std::string> caller;  // tool_use id to message id
  for (const std::size_t i : spoken) {
    const Line& line = lines_[i];
    if (!line.assistant || (!members.contains(i) && !messages.contains(line.message_id))) continue;
    if (!members.contains(i)) by_message[line.message_id].push_back(i);
    std::vector<std::string> ids;
    collect_ids(line.content, "tool_use", "id", ids);
    for (std::string& id : ids) caller.emplace(std::move(id), line.message_id);
  }
  std::unordered_map<std::string, Indices> beside;  // message id to lines with results of its calls
  for (const std::size_t i : spoken) {
    if (lines_[i].assistant || members.contains(i)) continue;
    std::vector<std::string> ids;
    collect_ids(lines_[i].content, "tool_result", "tool_use_id", ids);
    const auto found = ids.empty() ? caller.end() : caller.find(ids.front());
    if (found != caller.end()) beside[found->second].push_back(i);
  }
  Indices order;
  for (const std::size_t i : in_chain) {
    const std::string& id = lines_[i].message_id;
    if (!lines_[i].assistant) {
      order.push_back(i);
      continue;
    }
    for (const std::size_t extra : std::exchange(by_message[id], {})) order.push_back(extra);
    order.push_back(i);
    for (const std::size_t extra : std::exchange(beside[id], {})) order.push_back(extra);
  }
  return order;
}

// Lines without a common root are parts of one session that follow each other (a compaction, a
// cleared screen), not branches of one another.
std::vector<ClaudeCodeReader::Indices> ClaudeCodeReader::trees(const Indices& spoken) const {
  std::unordered_map<const Line*, const Line*> root_of;
  std::unordered_map<const Line*, std::size_t> number_of;
  std::vector<Indices> found;
  std::vector<const Line*> path;
  for (const std::size_t i : spoken) {
    path.clear();
    const Line* at = &lines_[i];
    std::unordered_set<const Line*> seen;
    while (!root_of.contains(at) && seen.insert(at).second) {
      path.push_back(at);
      const Line* parent = parent_of(*at);
      if (parent == nullptr) break;
      at = parent;
    }
    const auto known = root_of.find(at);
    const Line* root = known != root_of.end() ? known->second : at;
    for (const Line* line : path) root_of[line] = root;
    const auto [number, fresh] = number_of.emplace(root, found.size());
    if (fresh) found.emplace_back();
    found[number->second].push_back(i);
  }
  return found;
}

ClaudeCodeReader::Indices ClaudeCodeReader::active(const Indices& spoken,
                                                   Assembler& assembler) const {
  for (const std::size_t i : spoken) {
    if (lines_[i].uuid.empty()) return spoken;
  }
  Indices order;
  for (const Indices& tree : trees(spoken)) {
    bool dangling = false;
    const Indices in_chain = chain(tree, dangling);
    if (dangling) {
      assembler.gap("dangling-parent",
                    "a parent is not in this file (a compaction, as a rule); lines are read in the "
                    "order of the file",
                    fmt::format("line {}", lines_[in_chain.front()].number));
      return spoken;
    }
    const Indices kept = with_relatives(tree, in_chain);
    order.insert(order.end(), kept.begin(), kept.end());
  }
  note_abandoned(spoken, order, assembler);
  return order;
}

void ClaudeCodeReader::note_abandoned(const Indices& spoken, const Indices& order,
                                      Assembler& assembler) const {
  const std::unordered_set<std::size_t> kept(order.begin(), order.end());
  for (const std::size_t i : spoken) {
    if (kept.contains(i)) continue;
    assembler.gap("abandoned-branch",
                  "messages on a branch that was left are not part of the answer's evidence",
                  fmt::format("line {}", lines_[i].number));
  }
}

json::Value ClaudeCodeReader::merged(const Indices& lines) const {
  if (lines.size() == 1) return lines_[lines.front()].content;
  std::vector<json::Value> kept;
  for (const std::size_t i : lines) {
    const json::Value& content = lines_[i].content;
    if (content.is_string()) {
      kept.push_back(json::object({{"type", "text"}, {"text", content}}));
    }
    for (const json::Value& block : content.elements()) {
      if (!kept.empty() && repeats(kept.back(), block)) {
        kept.back() = block;
      } else {
        kept.push_back(block);
      }
    }
  }
  return json::array(std::move(kept));
}

void ClaudeCodeReader::add_spoken(const Indices& order, Assembler& assembler) const {
  std::unordered_map<std::string, Indices> parts;
  for (const std::size_t i : order) {
    if (lines_[i].assistant && !lines_[i].message_id.empty())
      parts[lines_[i].message_id].push_back(i);
  }
  for (auto& [id, indices] : parts) std::sort(indices.begin(), indices.end());
  for (const std::size_t i : order) {
    const Line& line = lines_[i];
    const std::string where = fmt::format("line {}", line.number);
    if (!line.assistant) {
      if (line.summary) {
        assembler.gap(
            "compaction",
            "a summary of a compaction counts as said by the app; what it sums up may not "
            "be in this file",
            where);
      }
      const Origin origin = line.meta || line.summary ? Origin::app : Origin::person;
      assembler.add_blocks(Role::user, origin, line.content, where);
      continue;
    }
    const Origin origin = line.synthetic ? Origin::library : Origin::model;
    if (line.message_id.empty()) {
      assembler.add_blocks(Role::assistant, origin, line.content, where);
      continue;
    }
    const auto group = parts.find(line.message_id);
    if (group == parts.end()) continue;  // said with its first line
    assembler.add_blocks(Role::assistant, origin, merged(group->second), where);
    parts.erase(group);
  }
}

Transcript ClaudeCodeReader::read_thread(const std::string& thread) {
  Indices spoken;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (lines_[i].spoken && lines_[i].thread == thread) spoken.push_back(i);
  }
  Assembler assembler;
  add_spoken(active(spoken, assembler), assembler);
  Transcript transcript = assembler.finish();
  transcript.format = "claude-code";
  if (threads_.size() > 1)
    transcript.label = thread.empty() ? "main" : "sidechain " + thread.substr(0, thread.find('/'));
  return transcript;
}

std::vector<Transcript> ClaudeCodeReader::finish() {
  std::stable_partition(threads_.begin(), threads_.end(),
                        [](const std::string& thread) { return thread.empty(); });
  std::vector<Transcript> transcripts;
  for (const std::string& thread : threads_) transcripts.push_back(read_thread(thread));
  if (transcripts.empty()) {
    transcripts.emplace_back();
    transcripts.back().format = "claude-code";
  }
  for (Gap& gap : gaps_) {
    transcripts.front().incomplete |= gap.damage;
    add_gap(transcripts.front().gaps, std::move(gap));
  }
  return transcripts;
}

}  // namespace agentfootprint::transcript::internal
