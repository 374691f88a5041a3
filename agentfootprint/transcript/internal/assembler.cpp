// Messages of OpenAI Chat and Anthropic Messages, one by one, into a conversation.
#include "agentfootprint/transcript/internal/assembler.hpp"

#include <fmt/format.h>

#include <span>
#include <unordered_map>

#include "agentfootprint/json/write.hpp"

namespace agentfootprint::transcript::internal {
namespace {

std::string_view type_of(const json::Value& block) {
  const json::Value* type = block.find("type");
  if (type == nullptr || !type->is_string()) return {};
  return *type->as_string();
}

bool is_call_type(std::string_view type) {
  return type == "tool_use" || type == "server_tool_use" || type == "mcp_tool_use";
}

bool is_result_type(std::string_view type) {
  return type == "tool_result" || type.ends_with("_tool_result");
}

// Blocks that hold no text and no call on purpose.
bool is_known_type(std::string_view type) {
  return type == "text" || type == "thinking" || type == "redacted_thinking" || type == "image" ||
         type == "document" || type == "input_text" || type == "output_text" ||
         type == "image_url" || type == "input_audio" || type == "file" || type == "refusal" ||
         type == "search_result" || type == "container_upload" || type == "tool_addition";
}

// An id, also one that is written as a number.
std::optional<std::string> id_member(const json::Value& object, std::string_view key) {
  const json::Value* found = object.find(key);
  if (found != nullptr) {
    if (const auto number = found->number_text()) return std::string(*number);
  }
  return text_member(object, key);
}

ToolCall anthropic_call(const json::Value& block) {
  const json::Value* input = block.find("input");
  std::string name = text_member(block, "name").value_or("");
  auto id = id_member(block, "id");
  if (input == nullptr || input->is_null()) return {std::move(id), std::move(name), ""};
  if (input->is_string()) return {std::move(id), std::move(name), *input->as_string()};
  return {std::move(id), std::move(name), *input};
}

// What is no text, no null and no blocks: its compact form is the text.
json::Value text_content(const json::Value& content) {
  if (content.is_null() || content.is_string() || content.is_array()) return content;
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
  if (true_member(block, "is_error")) return true;
  const json::Value* content = block.find("content");
  return content != nullptr && type_of(*content).ends_with("_tool_result_error");
}

}  // namespace

void add_gap(std::vector<Gap>& gaps, Gap gap) {
  for (Gap& known : gaps) {
    if (known.code == gap.code && known.message == gap.message) {
      known.count += gap.count;
      return;
    }
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
  if (!name) return std::nullopt;
  auto id = id_member(call, "id");
  const json::Value* arguments = function->find("arguments");
  if (arguments == nullptr) arguments = function->find("input");
  if (arguments == nullptr || arguments->is_null()) return ToolCall(id, *name, "");
  if (arguments->is_string()) return ToolCall(id, *name, *arguments->as_string());
  return ToolCall(id, *name, *arguments);
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
  const std::string role = folded_role(message);
  const json::Value* found = message.find("content");
  const json::Value content = found != nullptr ? text_content(*found) : json::Value();
  if (role == "system" || role == "developer") {
    add_system(content);
  } else if (role == "user" || role == "human") {
    add_blocks(Role::user, Origin::person, content, where);
  } else if (role == "assistant" || role == "model" || role == "ai") {
    add_openai_assistant(message, where);
  } else if (role == "tool" || role == "function") {
    saw_openai_ = true;
    Message result;
    result.role = Role::tool;
    result.origin = Origin::tool;
    result.content = result_content(content);
    if (is_marked_failed(message)) result.status = ResultStatus::failed;
    result.tool_call_id = id_member(message, "tool_call_id");
    result.tool_name = text_member(message, "name");
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

void Assembler::add_openai_assistant(const json::Value& message, std::string_view where) {
  std::vector<ToolCall> calls;
  if (const json::Value* list = message.find("tool_calls"); list != nullptr && !list->is_null()) {
    if (!list->is_array() && !list->is_object()) {
      gap("calls-not-read",
          fmt::format("tool_calls is {}, not an array: no call of it is read",
                      with_article(list->kind())),
          where, true);
    }
    // One call without its array is read too.
    const auto elements = list->is_object() ? std::span(list, 1) : list->elements();
    for (const json::Value& element : elements) {
      saw_openai_ = true;
      if (auto call = openai_call(element)) {
        calls.push_back(std::move(*call));
      } else {
        gap("call-without-name", "a tool call names no function and is left out", where, true);
      }
    }
  }
  if (const json::Value* older = message.find("function_call");
      older != nullptr && older->is_object()) {
    saw_openai_ = true;
    if (auto call = openai_call(*older)) calls.push_back(std::move(*call));
  }
  const json::Value* content = message.find("content");
  add_blocks(Role::assistant, Origin::model,
             content != nullptr ? text_content(*content) : json::Value(), where, std::move(calls));
}

// A run of blocks between results is one message; a content without results inside stays as it is.
void Assembler::add_blocks(Role role, Origin origin, const json::Value& content,
                           std::string_view where, std::vector<ToolCall> calls) {
  bool results = false;
  for (const json::Value& block : content.elements()) {
    results = results || is_result_type(type_of(block));
  }
  std::vector<json::Value> run;
  for (const json::Value& block : content.elements()) {
    const std::string_view type = type_of(block);
    if (is_result_type(type)) {
      saw_anthropic_ = true;
      flush_blocks(role, origin, run, calls, nullptr);
      add_result_block(block, type, where);
      continue;
    }
    if (is_call_type(type)) {
      saw_anthropic_ = true;
      calls.push_back(anthropic_call(block));
    } else if (!type.empty() && !is_known_type(type)) {
      gap("unknown-block", fmt::format("blocks of type \"{}\" are not read", type), where);
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
  result.tool_call_id = text_member(block, "tool_use_id");
  const json::Value* content = block.find("content");
  result.content =
      content == nullptr || content->is_null() ? json::Value("") : result_content(*content);
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
