// Messages of OpenAI Chat and Anthropic Messages, one by one, into a conversation.
#include "agentfootprint/transcript/internal/assembler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_map>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::transcript::internal {
namespace {

std::string_view type_of(const json::Value& block) {
  const json::Value* type = block.find("type");
  if (type == nullptr || !type->is_string()) return {};
  return *type->as_string();
}

bool is_call_type(std::string_view type) {
  return type == "tool_use" || type == "server_tool_use" || type == "mcp_tool_use" ||
         type == "tool-call";
}

bool is_result_type(std::string_view type) {
  return type == "tool_result" || type.ends_with("_tool_result") || type == "tool-result";
}

// The AI SDK writes its blocks with hyphens and its keys in camelCase.
bool is_hyphenated(std::string_view type) {
  return type == "tool-call" || type == "tool-result";
}

// Blocks that hold no text and no call on purpose.
bool is_known_type(std::string_view type) {
  return type == "text" || type == "thinking" || type == "redacted_thinking" || type == "image" ||
         type == "document" || type == "input_text" || type == "output_text" ||
         type == "image_url" || type == "input_audio" || type == "file" || type == "refusal" ||
         type == "reasoning" || type == "search_result" || type == "container_upload" ||
         type == "tool_addition";
}

// An id, also one that is written as a number.
std::optional<std::string> id_member(const json::Value& object, std::string_view key) {
  const json::Value* found = object.find(key);
  if (found != nullptr) {
    if (const auto number = found->number_text()) return std::string(*number);
  }
  return text_member(object, key);
}

// The first of two spellings of a key.
const json::Value* find_either(const json::Value& object, std::string_view key,
                               std::string_view other) {
  const json::Value* found = object.find(key);
  return found != nullptr ? found : object.find(other);
}

std::optional<std::string> id_of_either(const json::Value& object, std::string_view key,
                                        std::string_view other) {
  auto id = id_member(object, key);
  return id ? id : id_member(object, other);
}

// Arguments are an object or its text; without them the text is blank.
ToolCall call_of(std::optional<std::string> id, std::string name, const json::Value* arguments) {
  if (arguments == nullptr || arguments->is_null()) return {std::move(id), std::move(name), ""};
  if (arguments->is_string()) return {std::move(id), std::move(name), *arguments->as_string()};
  return {std::move(id), std::move(name), *arguments};
}

ToolCall block_call(const json::Value& block) {
  const json::Value* input = find_either(block, "input", "args");
  auto name = text_member(block, "name");
  if (!name) name = text_member(block, "toolName");
  return call_of(id_of_either(block, "id", "toolCallId"), name.value_or(""), input);
}

// One block without its array is read too. What is no text, no null and no blocks: its compact form
// is the text.
json::Value text_content(const json::Value& content) {
  if (content.is_null() || content.is_string() || content.is_array()) return content;
  const std::string_view type = type_of(content);
  if (is_known_type(type) || is_call_type(type) || is_result_type(type)) {
    return json::array({content});
  }
  return json::Value(json::dump(content));
}

// A text, or a block whose text is read.
bool is_readable_part(const json::Value& part) {
  if (part.is_string()) return true;
  const std::string_view type = type_of(part);
  return type.empty() ? text_member(part, "text").has_value() : is_known_type(type);
}

// Tools also answer with structures instead of text blocks, some as rows: their compact form is the
// result's text.
json::Value result_content(const json::Value& content) {
  if (!content.is_array()) return text_content(content);
  for (const json::Value& part : content.elements()) {
    if (!is_readable_part(part)) return json::Value(json::dump(content));
  }
  return content;
}

// `status: "error"` or `is_error: true`, which some frameworks write on a tool's message.
bool is_marked_failed(const json::Value& message) {
  return true_member(message, "is_error") || true_member(message, "isError") ||
         text_member(message, "status") == "error";
}

std::string folded_role(const json::Value& message) {
  std::string role = text_member(message, "role").value_or("");
  for (char& c : role) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return role;
}

bool says_failed(const json::Value& block) {
  if (is_marked_failed(block)) return true;
  const json::Value* content = find_either(block, "content", "output");
  if (content == nullptr) return false;
  const std::string_view type = type_of(*content);
  return type.ends_with("_tool_result_error") || type == "error-text" || type == "error-json";
}

// What a result block says. The AI SDK wraps it once more: {"type": "json", "value": …}.
json::Value content_of_result(const json::Value& block) {
  const json::Value* content = block.find("content");
  if (content == nullptr) content = find_either(block, "output", "result");
  if (content == nullptr || content->is_null()) return json::Value("");
  const json::Value* wrapped = content->is_object() ? content->find("value") : nullptr;
  if (wrapped != nullptr && is_hyphenated(type_of(block))) return result_content(*wrapped);
  return result_content(*content);
}

bool has_result_block(const json::Value& content) {
  for (const json::Value& block : content.elements()) {
    if (is_result_type(type_of(block))) return true;
  }
  return false;
}

// Roles under which a tool's answer is written: those of OpenAI and of chat templates.
bool is_tool_role(std::string_view role) {
  return role == "tool" || role == "function" || role == "ipython" || role == "observation" ||
         role == "tool_response" || role == "tool_result";
}

// Members that say something about a message and are not what it says.
bool is_about(std::string_view key) {
  static constexpr std::string_view kKeys[] = {
      "role",      "name",      "id",         "type",        "status",      "timestamp",
      "time",      "date",      "created_at", "createdAt",   "model",       "metadata",
      "refusal",   "audio",     "usage",      "annotations", "stop_reason", "finish_reason",
      "reasoning", "tool_name", "toolName",   "is_error",    "isError",     "reasoning_content",
      "agent",     "index",     "uuid",       "session_id",  "sessionId",   "reasoning_details"};
  return std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys) ||
         key.find("call") != key.npos || key.find("Call") != key.npos;
}

// Of a message without `content`: the members that may hold what it says, with their spelling.
std::string unread_members(const json::Value& message) {
  std::string names;
  for (const json::Member& member : message.members()) {
    const json::Value& value = member.value;
    const bool says = value.is_string() ? !value.as_string()->empty() : !value.empty();
    if (!says || value.is_null() || is_about(member.key())) continue;
    names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ",
                         utf8::printable(utf8::clip(member.key(), 40)));
  }
  return names;
}

}  // namespace

void add_gap(std::vector<Gap>& gaps, Gap gap) {
  const auto counted = [&gaps](const Gap& more) {
    for (Gap& known : gaps) {
      if (known.code != more.code || known.message != more.message) continue;
      known.count += more.count;
      known.damage |= more.damage;
      return true;
    }
    return false;
  };
  if (counted(gap)) return;
  // Sentences that name something of the input are as many as it likes; codes are few.
  constexpr std::size_t kMaxGaps = 64;
  if (gaps.size() >= kMaxGaps) {
    gap.message = "more of this kind than are told one by one";
    if (counted(gap)) return;
  }
  gaps.push_back(std::move(gap));
}

std::string with_article(json::Kind kind) {
  const std::string_view name = json::name_of(kind);
  if (kind == json::Kind::null) return "null";
  const bool vowel = kind == json::Kind::array || kind == json::Kind::object;
  return fmt::format("{} {}", vowel ? "an" : "a", name);
}

std::optional<std::string> text_member(const json::Value& object, std::string_view key) {
  const json::Value* found = object.find(key);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string(*found->as_string());
}

bool true_member(const json::Value& object, std::string_view key) {
  const json::Value* found = object.find(key);
  return found != nullptr && found->as_bool() == true;
}

std::optional<ToolCall> openai_call(const json::Value& call) {
  const json::Value* function = call.find("function");
  if (function == nullptr || !function->is_object()) function = call.find("custom");
  if (function == nullptr || !function->is_object()) function = &call;
  auto name = text_member(*function, "name");
  if (!name) name = text_member(*function, "toolName");
  if (!name) return std::nullopt;
  auto id = id_of_either(call, "id", "toolCallId");
  const json::Value* arguments = find_either(*function, "arguments", "args");
  if (arguments == nullptr) arguments = function->find("input");
  return call_of(std::move(id), std::move(*name), arguments);
}

void Assembler::gap(std::string code, std::string message, std::string_view where, bool damage) {
  add_gap(gaps_, Gap{std::move(code), std::move(message), std::string(where), 1, damage});
}

void Assembler::add_system(const json::Value& content) {
  if (content.is_null()) return;
  Message message;
  message.role = Role::system;
  message.origin = Origin::app;
  message.content = content;
  append(std::move(message));
}

void Assembler::add_message(const json::Value& message, std::string_view where) {
  if (!message.is_object()) {
    gap("not-a-message",
        fmt::format("{} stands where a message should", with_article(message.kind())), where, true);
    return;
  }
  if (is_response_item(message)) return add_response_item(message);
  const std::string role = folded_role(message);
  const json::Value* found = message.find("content");
  if (found == nullptr) note_unread(message, where);
  const json::Value content = found != nullptr ? text_content(*found) : json::Value();
  if (role == "system" || role == "developer") {
    add_system(content);
  } else if (role == "user" || role == "human") {
    add_blocks(Role::user, Origin::person, content, where);
  } else if (role == "assistant" || role == "model" || role == "ai") {
    add_openai_assistant(message, where);
  } else if (is_tool_role(role) && has_result_block(content)) {
    add_blocks(Role::user, Origin::app, content, where);
  } else if (is_tool_role(role)) {
    saw_openai_ = true;
    Message result;
    result.role = Role::tool;
    result.origin = Origin::tool;
    result.content = result_content(content);
    if (is_marked_failed(message)) result.status = ResultStatus::failed;
    result.tool_call_id = id_of_either(message, "tool_call_id", "toolCallId");
    result.tool_name = text_member(message, "name");
    if (!result.tool_name) result.tool_name = text_member(message, "toolName");
    append(std::move(result));
  } else {
    gap("unknown-role",
        role.empty() ? std::string("a message without a role is taken for something the app said")
                     : fmt::format("role \"{}\" is not known; its text counts as the app's",
                                   *text_member(message, "role")),
        where);
    add_blocks(Role::user, Origin::app, content, where);
  }
}

// What stands under another key than `content` is not guessed at: it is named as missing.
void Assembler::note_unread(const json::Value& message, std::string_view where) {
  const std::string names = unread_members(message);
  if (names.empty()) return;
  gap("content-not-read",
      fmt::format("a message has no `content`, and {} of it is not read: write the text under "
                  "`content`",
                  names),
      where, true);
}

bool is_response_item(const json::Value& item) {
  if (!item.is_object() || item.contains("role")) return false;
  const std::string_view type = type_of(item);
  return type == "function_call" || type == "function_call_output" || type == "reasoning";
}

void Assembler::add_response_item(const json::Value& item) {
  saw_openai_ = true;
  const std::string_view type = type_of(item);
  Message message;
  if (type == "function_call") {
    message.role = Role::assistant;
    message.origin = Origin::model;
    const json::Value* arguments = item.find("arguments");
    message.calls.push_back(call_of(id_of_either(item, "call_id", "id"),
                                    text_member(item, "name").value_or(""), arguments));
    append(std::move(message));
  } else if (type == "function_call_output") {
    message.role = Role::tool;
    message.origin = Origin::tool;
    message.content = content_of_result(item);
    message.tool_call_id = id_member(item, "call_id");
    append(std::move(message));
  }
}

void Assembler::add_calls(const json::Value& list, std::vector<ToolCall>& calls,
                          std::string_view where) {
  if (!list.is_array() && !list.is_object()) {
    gap("calls-not-read",
        fmt::format("tool_calls is {}, not an array: no call of it is read",
                    with_article(list.kind())),
        where, true);
  }
  // One call without its array is read too.
  const auto elements = list.is_object() ? std::span(&list, 1) : list.elements();
  for (const json::Value& element : elements) {
    saw_openai_ = true;
    if (auto call = openai_call(element)) {
      calls.push_back(std::move(*call));
    } else {
      gap("call-without-name", "a tool call names no function and is left out", where, true);
    }
  }
}

void Assembler::add_openai_assistant(const json::Value& message, std::string_view where) {
  std::vector<ToolCall> calls;
  const json::Value* list = find_either(message, "tool_calls", "toolCalls");
  if (list != nullptr && !list->is_null()) add_calls(*list, calls, where);
  if (const json::Value* older = message.find("function_call");
      older != nullptr && older->is_object()) {
    saw_openai_ = true;
    // Some loggers write the only call in both ways.
    auto call = openai_call(*older);
    const bool again = call && calls.size() == 1 && calls.front().name == call->name &&
                       *calls.front().arguments_text == *call->arguments_text;
    if (call && !again) calls.push_back(std::move(*call));
  }
  const json::Value* content = message.find("content");
  add_blocks(Role::assistant, Origin::model,
             content != nullptr ? text_content(*content) : json::Value(), where, std::move(calls));
}

// A run of blocks between results is one message; a content without results inside stays as it is.
void Assembler::add_blocks(Role role, Origin origin, const json::Value& content,
                           std::string_view where, std::vector<ToolCall> calls) {
  const bool results = has_result_block(content);
  std::vector<json::Value> run;
  for (const json::Value& block : content.elements()) {
    const std::string_view type = type_of(block);
    (is_hyphenated(type) ? saw_openai_ : saw_anthropic_) |=
        is_result_type(type) || is_call_type(type);
    if (is_result_type(type)) {
      flush_blocks(role, origin, run, calls, nullptr);
      add_result_block(block, type, where);
      continue;
    }
    if (is_call_type(type)) {
      calls.push_back(block_call(block));
    } else if (!type.empty() && !is_known_type(type)) {
      gap("unknown-block", fmt::format("blocks of type \"{}\" are not read", type), where);
    } else if (const json::Value* text = block.find("text");
               text != nullptr && (text->is_object() || text->is_array())) {
      gap("content-not-read",
          fmt::format("the text of a block is {}, not a string, and is not read",
                      with_article(text->kind())),
          where, true);
    }
    run.push_back(block);
  }
  if (results) {
    flush_blocks(role, origin, run, calls, nullptr);
  } else {
    flush_blocks(role, origin, run, calls, &content);
  }
}

void Assembler::flush_blocks(Role role, Origin origin, std::vector<json::Value>& blocks,
                             std::vector<ToolCall>& calls, const json::Value* whole) {
  if (whole == nullptr && blocks.empty() && calls.empty()) return;
  Message message;
  message.role = role;
  message.origin = origin;
  message.content = whole != nullptr ? *whole : json::array(std::move(blocks));
  message.calls = std::move(calls);
  blocks.clear();
  calls.clear();
  append(std::move(message));
}

void Assembler::add_result_block(const json::Value& block, std::string_view type,
                                 std::string_view where) {
  Message result;
  result.role = Role::tool;
  result.origin = Origin::tool;
  result.tool_call_id = id_of_either(block, "tool_use_id", "toolCallId");
  result.content = content_of_result(block);
  if (says_failed(block)) result.status = ResultStatus::failed;
  if (!result.tool_call_id) {
    gap("result-without-id", fmt::format("a {} names no call and is paired by position", type),
        where);
  }
  append(std::move(result));
}

void Assembler::check_pairs() {
  const auto open = conversation_.open_calls();
  if (!open.empty()) {
    add_gap(gaps_, Gap{"call-without-result", "calls have no result in this transcript",
                       fmt::format("message {}", open.front().message), open.size(), false});
  }
  std::unordered_map<std::string_view, std::uint32_t> seen;
  std::uint64_t repeated = 0;
  std::uint64_t orphans = 0;
  for (std::uint32_t i = 0; i < conversation_.size(); ++i) {
    for (const ToolCall& call : conversation_[i].calls) {
      if (call.wire_id && seen[*call.wire_id]++ > 0) ++repeated;
    }
    if (const auto key = conversation_.key_of_result(i)) orphans += key->orphan ? 1 : 0;
  }
  if (repeated > 0) {
    add_gap(gaps_, Gap{"repeated-id", "call ids that repeat; results are paired by position", "",
                       repeated, false});
  }
  if (orphans > 0) {
    add_gap(gaps_, Gap{"orphan-result", "results without a call", "", orphans, false});
  }
}

Transcript Assembler::finish() {
  check_pairs();
  Transcript transcript;
  transcript.conversation = std::move(conversation_);
  transcript.gaps = std::move(gaps_);
  for (const Gap& gap : transcript.gaps) transcript.incomplete |= gap.damage;
  *this = Assembler();
  return transcript;
}

}  // namespace agentfootprint::transcript::internal
