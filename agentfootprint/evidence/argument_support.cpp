// Support of arguments: values by the judge, words by search.
#include "agentfootprint/evidence/argument_support.hpp"

#include <algorithm>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/evidence/arguments.hpp"
#include "agentfootprint/json/cursor.hpp"

namespace agentfootprint::evidence {
namespace {

constexpr int kMaxDepth = 64;
constexpr std::string_view kSpace = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t from = text.find_first_not_of(kSpace);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(kSpace) - from + 1);
}

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_word(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

// Bytes of a word: letters, digits, and everything beyond ASCII.
bool is_word_byte(char c) noexcept {
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool has_word(std::string_view text, std::string_view word) {
  auto from = text.begin();
  while (true) {
    const auto at = std::search(from, text.end(), word.begin(), word.end(),
                                [](char x, char y) { return lower(x) == lower(y); });
    if (at == text.end()) return false;
    const auto behind = at + static_cast<std::ptrdiff_t>(word.size());
    const bool starts = at == text.begin() || !is_word_byte(*(at - 1)) || !is_word_byte(*at);
    const bool ends =
        behind == text.end() || !is_word_byte(*behind) || !is_word_byte(*(behind - 1));
    if (starts && ends) return true;
    from = at + 1;
  }
}

bool says(const Message& message, std::string_view word) {
  const auto parts = message.text_parts();
  return std::any_of(parts.begin(), parts.end(),
                     [word](std::string_view part) { return has_word(part, word); });
}

// Words of the schema's author, anywhere in it.
bool declares(const json::Value& schema, std::string_view word, int depth = 0) {
  if (depth > kMaxDepth) return false;
  if (schema.is_array()) {
    for (const json::Value& one : schema.elements()) {
      if (declares(one, word, depth + 1)) return true;
    }
  }
  if (!schema.is_object()) return false;
  for (const json::Member& member : schema.members()) {
    const bool words =
        member.key() == "enum" || member.key() == "const" || member.key() == "default";
    if (words && member.value.is_array()) {
      for (const json::Value& one : member.value.elements()) {
        if (one.is_string() && same_word(*one.as_string(), word)) return true;
      }
    } else if (words && member.value.is_string()) {
      if (same_word(*member.value.as_string(), word)) return true;
    } else if (declares(member.value, word, depth + 1)) {
      return true;
    }
  }
  return false;
}

class SupportWalker {
 public:
  SupportWalker(const Judge& judge, const ServedWords& served, const json::Value& schema)
      : judge_(judge), served_(served), schema_(schema) {}

  ArgumentSupport run(const json::Value& arguments) {
    walk(arguments, &schema_, "", 0);
    out_.truncated = judge_.index().truncated();
    if (out_.truncated) out_.findings.clear();
    return std::move(out_);
  }

 private:
  static const json::Value* member_of(const json::Value* value, std::string_view key) {
    return value == nullptr ? nullptr : value->find(key);
  }

  void walk(const json::Value& value, const json::Value* schema, const std::string& path,
            int depth) {
    if (depth > kMaxDepth) return;
    if (schema != nullptr && class_of_schema(*schema) == ParameterClass::text) return;
    if (value.is_object()) {
      const json::Value* properties = member_of(schema, "properties");
      for (const json::Member& member : value.members()) {
        walk(member.value, member_of(properties, member.key()),
             path + "/" + json::pointer_token(member.key()), depth + 1);
      }
    } else if (value.is_array()) {
      const json::Value* items = member_of(schema, "items");
      for (std::size_t i = 0; i < value.size(); ++i) {
        walk(value.at(i), items, path + "/" + std::to_string(i), depth + 1);
      }
    } else if (const auto text = value.as_string()) {
      leaf(trimmed(*text), path);
    }
  }

  void leaf(std::string_view text, const std::string& path) {
    if (utf8::count(text) < kMinCheckedChars || declares(schema_, text)) return;
    const Verdict verdict = judge_.check(text);
    const bool has_values = verdict.candidates > 0;
    if (!has_values && text.find_first_of(kSpace) != std::string_view::npos) return;
    ++out_.checked;
    if (has_values ? verdict.unsupported.empty() : was_served(text)) return;
    out_.findings.push_back(
        {path, std::string(utf8::clip(text, kMaxQuotedChars)), said_by_model(text)});
  }

  [[nodiscard]] bool was_served(std::string_view word) const {
    if (has_word(served_.system, word)) return true;
    for (std::uint32_t i = 0; i < served_.conversation.size(); ++i) {
      const Message& message = served_.conversation[i];
      if (message.role != Role::assistant && says(message, word)) return true;
    }
    return false;
  }

  [[nodiscard]] bool said_by_model(std::string_view word) const {
    for (std::uint32_t i = 0; i < served_.conversation.size(); ++i) {
      const Message& message = served_.conversation[i];
      if (message.role == Role::assistant && says(message, word)) return true;
    }
    return false;
  }

  const Judge& judge_;
  const ServedWords& served_;
  const json::Value& schema_;
  ArgumentSupport out_;
};

// Every text leaf with its pointer.
void text_leaves(const json::Value& value, const std::string& path, int depth,
                 std::vector<std::pair<std::string, std::string>>& leaves) {
  if (depth > kMaxDepth) return;
  if (value.is_object()) {
    for (const json::Member& member : value.members()) {
      text_leaves(member.value, path + "/" + json::pointer_token(member.key()), depth + 1, leaves);
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      text_leaves(value.at(i), path + "/" + std::to_string(i), depth + 1, leaves);
    }
  } else if (const auto text = value.as_string()) {
    leaves.emplace_back(path, trimmed(*text));
  }
}

}  // namespace

std::optional<std::vector<KnownArgument>> known_arguments(const Conversation& conversation,
                                                          const std::vector<std::string>& grounds,
                                                          const json::Value& arguments) {
  std::vector<std::uint32_t> results;
  for (const std::uint32_t index : conversation.results()) {
    const Message& message = conversation[index];
    const bool ground =
        message.dispatched && message.tool_name &&
        std::find(grounds.begin(), grounds.end(), *message.tool_name) != grounds.end();
    if (ground) results.push_back(index);
  }
  if (results.empty()) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> leaves;
  text_leaves(arguments, "", 0, leaves);
  std::vector<KnownArgument> known;
  for (const auto& [path, text] : leaves) {
    if (utf8::count(text) < kMinCheckedChars) continue;
    const std::string_view word = text;
    const auto found = std::find_if(results.rbegin(), results.rend(), [&](std::uint32_t index) {
      return says(conversation[index], word);
    });
    if (found == results.rend()) continue;
    known.push_back({path, std::string(utf8::clip(text, kMaxQuotedChars)),
                     *conversation[*found].tool_name, *conversation.key_of_result(*found)});
  }
  return known;
}

ArgumentSupport check_argument_support(const Judge& judge, const ServedWords& served,
                                       const json::Value& arguments, const json::Value& schema) {
  return SupportWalker(judge, served, schema).run(arguments);
}

std::vector<std::string> dangling_grounds(const std::vector<std::string>& grounds,
                                          const std::vector<std::string>& left_out,
                                          const std::vector<std::string>& in_view) {
  const auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::string> dangling;
  for (const std::string& ground : grounds) {
    if (among(left_out, ground) && !among(in_view, ground)) dangling.push_back(ground);
  }
  return dangling;
}

}  // namespace agentfootprint::evidence
