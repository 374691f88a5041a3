// Judging the leaves of a call's arguments.
#include "agentfootprint/evidence/arguments.hpp"

#include <algorithm>
#include <array>

#include "agentfootprint/json/cursor.hpp"

namespace agentfootprint::evidence {
namespace {

constexpr int kMaxDepth = 64;

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Walks the arguments beside their schema.
class ArgumentWalker {
 public:
  ArgumentWalker(const Judge& judge, const ArgumentOptions& options)
      : judge_(judge), options_(options) {}

  ArgumentsVerdict run(const json::Value& arguments) {
    for (const json::Member& member : arguments.members()) {
      const std::string path = "/" + json::pointer_token(member.key());
      const auto declared = options_.classes.find(std::string(member.key()));
      const auto given =
          declared != options_.classes.end() ? std::optional(declared->second) : std::nullopt;
      walk(member.value, property_of(&options_.schema, member.key()), path, given, 1);
    }
    out_.truncated = judge_.index().truncated();
    if (out_.truncated) out_.unsupported.clear();
    return std::move(out_);
  }

 private:
  static const json::Value* property_of(const json::Value* schema, std::string_view key) {
    const json::Value* properties = schema == nullptr ? nullptr : schema->find("properties");
    return properties == nullptr ? nullptr : properties->find(key);
  }

  void walk(const json::Value& value, const json::Value* schema, const std::string& path,
            std::optional<ParameterClass> given, int depth) {
    if (const auto at = options_.classes.find(path); at != options_.classes.end())
      given = at->second;
    if (!given && schema != nullptr) given = class_of_schema(*schema);
    if (given == ParameterClass::text || depth > kMaxDepth) return;
    switch (value.kind()) {
      case json::Kind::object:
        for (const json::Member& member : value.members()) {
          walk(member.value, property_of(schema, member.key()),
               path + "/" + json::pointer_token(member.key()), given, depth + 1);
        }
        return;
      case json::Kind::array: {
        const json::Value* items = schema == nullptr ? nullptr : schema->find("items");
        for (std::size_t i = 0; i < value.size(); ++i) {
          walk(value.at(i), items, path + "/" + std::to_string(i), given, depth + 1);
        }
        return;
      }
      case json::Kind::string:
        if (!declared_in(schema, value)) leaf(*value.as_string(), path, given);
        return;
      case json::Kind::number:
        if (options_.numbers && !declared_in(schema, value))
          leaf(*value.number_text(), path, given);
        return;
      case json::Kind::null:
      case json::Kind::boolean:
        return;
    }
  }

  // Words of the schema's own author.
  static bool declared_in(const json::Value* schema, const json::Value& value) {
    if (schema == nullptr) return false;
    if (const json::Value* words = schema->find("enum")) {
      for (const json::Value& word : words->elements()) {
        if (word == value) return true;
      }
    }
    for (const std::string_view key : {"const", "default"}) {
      if (const json::Value* word = schema->find(key); word != nullptr && *word == value)
        return true;
    }
    return false;
  }

  void leaf(std::string_view text, const std::string& path, std::optional<ParameterClass> given) {
    const ParameterClass parameter_class = given.value_or(ParameterClass::value);
    Verdict verdict = judge_.check(text);
    if (verdict.values.empty() && given == ParameterClass::identifier) whole(text, verdict);
    out_.candidates += verdict.candidates;
    for (JudgedValue& judged : verdict.values) {
      if (judged.level == Level::unsupported) out_.unsupported.push_back(out_.values.size());
      out_.values.push_back({path, parameter_class, std::move(judged)});
    }
  }

  // A declared identifier is judged however short it is, as long as something in it can be read.
  void whole(std::string_view text, Verdict& verdict) const {
    AnswerText read = judge_.read(text);
    for (Value& value : read.values) {
      JudgedValue judged;
      judged.grounding = judge_.ground(value);
      judged.level = judged.grounding.level;
      judged.spans = {value.span};
      judged.value = std::move(value);
      verdict.values.push_back(std::move(judged));
      ++verdict.candidates;
    }
  }

  const Judge& judge_;
  const ArgumentOptions& options_;
  ArgumentsVerdict out_;
};

}  // namespace

std::string_view name_of(ParameterClass parameter_class) noexcept {
  constexpr std::array<std::string_view, 3> kNames = {"value", "identifier", "text"};
  return kNames[static_cast<std::size_t>(parameter_class)];
}

std::optional<ParameterClass> parse_parameter_class(std::string_view name) noexcept {
  for (const auto parameter_class :
       {ParameterClass::value, ParameterClass::identifier, ParameterClass::text}) {
    if (name_of(parameter_class) == name) return parameter_class;
  }
  return std::nullopt;
}

std::optional<ParameterClass> class_of_schema(const json::Value& schema) {
  if (const json::Value* declared = schema.find("x-evidence")) {
    if (const auto name = declared->as_string()) {
      if (const auto parsed = parse_parameter_class(*name)) return parsed;
    }
  }
  if (schema.contains("contentMediaType")) return ParameterClass::text;
  const json::Value* format = schema.find("format");
  const auto name = format == nullptr ? std::nullopt : format->as_string();
  if (!name) return std::nullopt;
  if (one_of(*name, {"regex", "markdown", "sql", "code", "textarea"})) return ParameterClass::text;
  if (one_of(*name, {"uuid", "ipv4", "ipv6", "hostname", "email", "idn-email", "uri"})) {
    return ParameterClass::identifier;
  }
  if (one_of(*name, {"date", "time", "date-time"})) return ParameterClass::value;
  return std::nullopt;
}

ArgumentsVerdict check_arguments(const Judge& judge, const json::Value& arguments,
                                 const ArgumentOptions& options) {
  return ArgumentWalker(judge, options).run(arguments);
}

}  // namespace agentfootprint::evidence
