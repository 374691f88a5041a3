// Walks a schema before it is compiled.
#include "agentfootprint/json/internal/schema_prepare.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "agentfootprint/json/cursor.hpp"

namespace agentfootprint::json::internal {
namespace {

constexpr std::size_t kMaxSchemaDepth = 200;
constexpr std::size_t kMaxWork = 20'000;  // subschemas one value may be held against
constexpr std::size_t kMaxFrames = 512;   // levels times subschemas in a row

struct Refused {
  std::string reason;
};

bool is_any(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Keywords whose value is data, not a schema.
bool is_data(std::string_view key) {
  return is_any(key, {"const", "enum", "default", "examples"});
}

// Keywords whose members are schemas under free names.
bool is_map_of_schemas(std::string_view key) {
  return is_any(key, {"properties", "patternProperties", "definitions", "$defs", "dependencies"});
}

bool is_own(std::string_view key) {
  return std::find(std::begin(kOwnKeywords), std::end(kOwnKeywords), key) != std::end(kOwnKeywords);
}

// `%41` in the fragment of a reference.
std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view digits = text.substr(i + 1, 2);
    if (text[i] == '%' && digits.size() == 2 &&
        digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos) {
      out += static_cast<char>(std::stoi(std::string(digits), nullptr, 16));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

const Value& resolve(const Value& root, const Value& reference, const std::string& path) {
  if (!reference.is_string()) throw Refused{path + "/$ref must be a string"};
  const std::string_view text = *reference.as_string();
  if (text.empty() || text[0] != '#') {
    throw Refused{path +
                  "/$ref names another document; only references that begin with # are followed"};
  }
  const Value* target = root.find_pointer(percent_decoded(text.substr(1)));
  if (target == nullptr) throw Refused{path + "/$ref leads nowhere: " + std::string(text)};
  if (!target->is_object() && !target->is_bool()) {
    throw Refused{path + "/$ref leads to something that is no schema: " + std::string(text)};
  }
  return *target;
}

// How far subschemas lead to one another for the same value: a loop would never end.
class SameValueGraph {
 public:
  explicit SameValueGraph(const Value& root) : root_(root) {}

  struct Cost {
    std::size_t chain = 1;
    std::size_t work = 1;
    bool open = true;
  };

  const Cost& visit(const Value& schema, const std::string& path) {
    const auto [entry, added] = known_.try_emplace(&schema);
    if (!added) {
      if (entry->second.open) throw Refused{path + " refers to itself without end"};
      return entry->second;
    }
    if (++depth_ > kMaxSchemaDepth) throw Refused{path + " leads through too many schemas"};
    Cost cost;
    for (const auto& [next, next_path] : nexts(schema, path)) {
      const Cost& inner = visit(*next, next_path);
      cost.chain = std::max(cost.chain, inner.chain + 1);
      cost.work = std::min(cost.work + inner.work, kMaxWork + 1);
    }
    --depth_;
    if (cost.work > kMaxWork) throw Refused{path + " combines too many schemas"};
    cost.open = false;
    return known_[&schema] = cost;
  }

 private:
  using Nexts = std::vector<std::pair<const Value*, std::string>>;

  Nexts nexts(const Value& schema, const std::string& path) const {
    Nexts out;
    if (const Value* reference = schema.find("$ref")) {
      out.emplace_back(&resolve(root_, *reference, path), path + "/$ref");
      return out;
    }
    for (const Member& member : schema.members()) {
      const std::string place = path + "/" + pointer_token(member.key());
      if (is_any(member.key(), {"allOf", "anyOf", "oneOf"})) {
        for (const Value& inner : member.value.elements()) out.emplace_back(&inner, place);
      } else if (is_any(member.key(), {"not", "if", "then", "else"})) {
        out.emplace_back(&member.value, place);
      } else if (member.key() == "dependencies") {
        for (const Member& inner : member.value.members()) {
          if (!inner.value.is_array()) out.emplace_back(&inner.value, place);
        }
      }
    }
    return out;
  }

  const Value& root_;
  std::unordered_map<const Value*, Cost> known_;
  std::size_t depth_ = 0;
};

class Preparation {
 public:
  explicit Preparation(const Value& root) : graph_(root) {}

  Value schema(const Value& node, const std::string& path, std::size_t depth) {
    if (depth > kMaxSchemaDepth) throw Refused{path + " nests too deep"};
    if (!node.is_object()) return other(node, path, depth);
    longest_ = std::max(longest_, graph_.visit(node, path).chain);
    std::vector<Member> members;
    for (const Member& member : node.members()) {
      const std::string_view key = member.key();
      const std::string place = path + "/" + pointer_token(key);
      // `id` only names the document, and formats are not checked.
      if (is_any(key, {"id", "$id", "$schema", "format"}) || node.find(key) != &member.value)
        continue;
      if (is_data(key) || key == "$ref") {
        members.push_back(member);
      } else if (is_own(key)) {
        const auto check = make_check(key, member.value);
        if (!check) throw Refused{place + " " + check.error()};
        members.emplace_back(std::string(kOwnPrefix) + std::string(key), member.value);
      } else if (is_map_of_schemas(key) && member.value.is_object()) {
        members.emplace_back(key, map(key, member.value, place, depth));
      } else {
        members.emplace_back(key, schema(member.value, place, depth + 1));
      }
    }
    return object(std::move(members));
  }

  [[nodiscard]] std::size_t longest() const noexcept { return longest_; }

 private:
  // Not an object: a boolean schema, a list of schemas, or the number or text of a keyword.
  Value other(const Value& node, const std::string& path, std::size_t depth) {
    if (!node.is_array()) return node;
    std::vector<Value> out;
    for (std::size_t i = 0; i < node.size(); ++i) {
      out.push_back(schema(node.elements()[i], path + "/" + std::to_string(i), depth + 1));
    }
    return array(std::move(out));
  }

  Value map(std::string_view keyword, const Value& node, const std::string& path,
            std::size_t depth) {
    std::vector<Member> out;
    for (const Member& member : node.members()) {
      const std::string place = path + "/" + pointer_token(member.key());
      if (node.find(member.key()) != &member.value) continue;
      if (keyword == "patternProperties") {
        if (const auto fault = pattern_fault(member.key())) throw Refused{place + " " + *fault};
      }
      out.emplace_back(member.key(), schema(member.value, place, depth + 1));
    }
    return object(std::move(out));
  }

  SameValueGraph graph_;
  std::size_t longest_ = 1;
};

}  // namespace

Expected<PreparedSchema, std::string> prepare_schema(const Value& schema) {
  if (!schema.is_object() && !schema.is_bool()) {
    return Unexpected<std::string>("a schema must be an object or a boolean, is " +
                                   std::string(type_of(schema)));
  }
  try {
    Preparation preparation(schema);
    PreparedSchema out;
    out.schema = preparation.schema(schema, "", 0);
    out.max_value_depth = std::max<std::size_t>(kMaxFrames / preparation.longest(), 8);
    return out;
  } catch (const Refused& refused) {
    return Unexpected<std::string>(refused.reason);
  }
}

std::size_t depth_of(const Value& value) {
  struct Entry {
    const Value* value;
    std::size_t depth;
  };
  std::size_t deepest = 0;
  std::vector<Entry> open{{&value, 1}};
  while (!open.empty()) {
    const Entry entry = open.back();
    open.pop_back();
    if (!entry.value->is_array() && !entry.value->is_object()) continue;
    deepest = std::max(deepest, entry.depth);
    for (const Value& child : entry.value->elements()) open.push_back({&child, entry.depth + 1});
    for (const Member& member : entry.value->members()) {
      open.push_back({&member.value, entry.depth + 1});
    }
  }
  return deepest;
}

}  // namespace agentfootprint::json::internal
