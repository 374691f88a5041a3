// Resolving arguments that are tickets.
#include "agentfootprint/artifacts/wants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agentfootprint/artifacts/internal/text.hpp"
#include "agentfootprint/artifacts/live_refs.hpp"
#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint {
namespace {

using artifacts_internal::is_blank;
using json::Value;

std::string shown(std::string_view text) {
  return utf8::printable(utf8::clip(text, 64));
}

const Value* property_of(const std::optional<Value>& schema, const std::string& name) {
  if (!schema) return nullptr;
  const Value* properties = schema->find("properties");
  return properties == nullptr ? nullptr : properties->find(name);
}

bool is_required(const std::optional<Value>& schema, const std::string& name) {
  const Value* required = schema ? schema->find("required") : nullptr;
  if (required == nullptr) return false;
  for (const Value& one : required->elements()) {
    const auto text = one.as_string();
    if (text && *text == name) return true;
  }
  return false;
}

// What was given where a ticket belongs.
std::string_view given(const Value& value) {
  switch (value.kind()) {
    case json::Kind::null:
      return "null";
    case json::Kind::array:
      return "an array";
    case json::Kind::object:
      return "an object";
    case json::Kind::boolean:
      return "a boolean";
    case json::Kind::number:
      return "a number";
    case json::Kind::string:
      break;
  }
  return "an empty string";
}

class Resolver {
 public:
  Resolver(const ToolWants& wants, const Value& args, const std::optional<Value>& schema)
      : wants_(wants), args_(args), schema_(schema) {}

  // Heads first; payloads only when every argument passed.
  WantsResolution run(ArtifactStore& store, const ArtifactScope& scope) {
    std::vector<std::pair<std::string, ArtifactMeta>> passed;
    for (const auto& [name, kind] : wants_) {
      auto meta = judge(store, scope, name, kind);
      if (meta) passed.emplace_back(name, std::move(*meta));
    }
    out_.args = args_;
    if (out_.refusals.empty()) {
      for (auto& [name, meta] : passed) load(store, scope, name, meta);
    }
    out_.ok = out_.refusals.empty();
    return std::move(out_);
  }

 private:
  void refuse(const std::string& name, ArtifactRefusalReason reason, std::optional<std::string> ref,
              std::string message) {
    out_.refusals.push_back({name, reason, std::move(ref), std::move(message)});
  }

  std::optional<ArtifactMeta> judge(ArtifactStore& store, const ArtifactScope& scope,
                                    const std::string& name, const std::string& kind) {
    const Value* value = args_.find(name);
    if (value == nullptr) {
      if (!is_required(schema_, name)) return std::nullopt;
      refuse(name, ArtifactRefusalReason::invalid_input, std::nullopt,
             fmt::format("{} is required: pass the ref of an artifact of kind {}; {}", name,
                         shown(kind), live_refs_clause(store, scope, kind)));
      return std::nullopt;
    }
    const auto text = value->as_string();
    if (!text || is_blank(*text)) {
      refuse(name, ArtifactRefusalReason::invalid_input, std::nullopt,
             fmt::format("{} must be a ref STRING of an artifact of kind {}, and is {}; {}", name,
                         shown(kind), given(*value), live_refs_clause(store, scope, kind)));
      return std::nullopt;
    }
    const std::string ref(*text);
    std::optional<ArtifactMeta> meta;
    try {
      meta = store.head(scope, ref);
    } catch (const ArtifactIntegrityError&) {  // its record was changed
      mismatch(name, ref);
      return std::nullopt;
    }
    if (!meta) {
      missing(store, scope, name, kind, ref);
    } else if (meta->kind != kind) {
      refuse(
          name, ArtifactRefusalReason::kind_mismatch, ref,
          fmt::format("{} names {}, of kind {}, and this tool wants kind {}; {}", name, shown(ref),
                      shown(meta->kind), shown(kind), live_refs_clause(store, scope, kind)));
      meta.reset();
    }
    return meta;
  }

  void missing(ArtifactStore& store, const ArtifactScope& scope, const std::string& name,
               const std::string& kind, const std::string& ref) {
    refuse(name, ArtifactRefusalReason::missing_or_expired, ref,
           fmt::format("{} names {}, which is not here or has expired; this tool wants kind {}; {}",
                       name, shown(ref), shown(kind), live_refs_clause(store, scope, kind)));
  }

  void mismatch(const std::string& name, const std::string& ref) {
    refuse(name, ArtifactRefusalReason::digest_mismatch, ref,
           fmt::format("{} names {}, whose bytes are not those its digest says: create it again",
                       name, ref));
  }

  void load(ArtifactStore& store, const ArtifactScope& scope, const std::string& name,
            const ArtifactMeta& meta) {
    try {
      const auto record = store.get(scope, meta.ref);
      if (!record) {
        missing(store, scope, name, meta.kind, meta.ref);
        return;
      }
      out_.args = json::with_member(out_.args, name, record->payload.value());
      out_.wanted.emplace(name, record->meta);
    } catch (const ArtifactIntegrityError&) {
      mismatch(name, meta.ref);
    }
  }

  const ToolWants& wants_;
  const Value& args_;
  const std::optional<Value>& schema_;
  WantsResolution out_;
};

}  // namespace

void check_tool_wants(const std::string& tool, const ToolWants& wants,
                      const std::optional<Value>& input_schema) {
  std::vector<Issue> issues;
  const auto add = [&](const std::string& field, std::string message) {
    issues.push_back({"artifact-wants", field, std::move(message)});
  };
  if (wants.empty()) {
    add("wants",
        fmt::format("tool {}: wants names no argument: name one or leave it out", shown(tool)));
  }
  for (const auto& [name, kind] : wants) {
    const std::string field = "wants." + name;
    if (is_blank(kind)) {
      add(field, fmt::format("tool {}: wants.{} names no kind", shown(tool), shown(name)));
    }
    const Value* property = property_of(input_schema, name);
    if (property == nullptr) {
      add(field,
          fmt::format("tool {}: wants.{} is no property of the input schema: the model could "
                      "not pass it; add it as a string",
                      shown(tool), shown(name)));
      continue;
    }
    const Value* type = property->find("type");
    const bool string = type == nullptr || (type->is_string() && *type->as_string() == "string");
    if (!string) {
      add(field,
          fmt::format("tool {}: {} is not typed string in the input schema: a ref is a string",
                      shown(tool), shown(name)));
    }
  }
  if (!issues.empty()) throw Refusal(std::move(issues));
}

std::string wants_needs_store_refusal(const std::string& tool, const ToolWants& wants) {
  std::vector<std::string> pairs;
  for (const auto& [name, kind] : wants)
    pairs.push_back(fmt::format("{}: {}", shown(name), shown(kind)));
  return fmt::format(
      "tool {} wants artifacts ({}) and the agent has no artifact store: set `artifacts` to "
      "memory:, "
      "sqlite:FILE or file:DIR",
      shown(tool), fmt::join(pairs, ", "));
}

WantsResolution resolve_tool_wants(const ToolArtifacts& artifacts, const std::string& tool,
                                   const ToolWants& wants, const Value& args,
                                   const std::optional<Value>& input_schema) {
  WantsResolution out = artifacts.with_store(
      ArtifactOp::dispatch, {}, [&](ArtifactStore& store, const ArtifactScope& scope) {
        return Resolver(wants, args, input_schema).run(store, scope);
      });
  if (!out.ok) {
    out.refusal = fmt::format("{} was not executed.", shown(tool));
    for (const WantsRefusal& refusal : out.refusals) {
      out.refusal += fmt::format(" {}.", refusal.message);
      artifacts.tell_refused(ArtifactOp::dispatch, refusal.reason, refusal.ref, std::nullopt);
    }
    out.args = args;
    out.wanted.clear();
    return out;
  }
  for (const auto& [name, kind] : wants) {
    const auto found = out.wanted.find(name);
    if (found != out.wanted.end()) artifacts.tell_resolved(found->second, "get");
  }
  return out;
}

}  // namespace agentfootprint
