// Walks the wrapper spine of a result and captures its declarations.
#include "agentfootprint/semantics/projection_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/semantics/absence.hpp"
#include "agentfootprint/semantics/internal/faults.hpp"
#include "agentfootprint/semantics/vocabulary.hpp"

namespace agentfootprint::semantics {
namespace {

constexpr std::size_t kMaxNodes = 10'000;
constexpr std::size_t kMaxKeys = 10'000;
constexpr std::size_t kMaxCodePoints = 65'536;
constexpr int kMaxDepth = 16;

class Walker {
 public:
  ProjectionSnapshot snapshot;

  void walk(const json::Value& value, const std::string& path, int depth) {
    if (depth > kMaxDepth) return unreadable(path, "nests deeper than 16 levels");
    if (internal::is_effects_envelope(value)) {
      capture(value, {"status", "effects"}, path + ".envelope");
      walk(value.at("content"), path + ".content", depth + 1);
    } else if (is_absence(value)) {
      capture(value,
              {"af_absent", "outcome", "looked_for", "checked", "not_checked", "cannot_cover",
               "provenance", "period", "note", "retry_returns_the_same", "try_instead",
               "try_instead_tool"},
              path);
    } else if (const json::Value* marker = value.find(kSemanticsMarker);
               marker != nullptr && marker->as_bool().value_or(false)) {
      capture(value,
              {"af_semantics", "grain", "provenance", "period", "coverage", "not_covered",
               "clarify", "note"},
              path);
    } else if (is_coverage_ledger(value)) {
      const std::string marked = fmt::format("{}.{}", path, kCoverageMarker);
      snapshot.fields.push_back(CapturedField{marked, "marked"});
      capture(value.at(kCoverageMarker),
              {"checked", "not_checked", "cannot_cover", "period", "in_progress", "note"}, marked);
      walk(value.at("result"), path + ".result", depth + 1);
    }
  }

 private:
  void capture(const json::Value& object, std::initializer_list<std::string_view> keys,
               const std::string& path) {
    for (const std::string_view key : keys) {
      const json::Value* part = object.find(key);
      if (part == nullptr) continue;
      const std::string field = internal::join_field(path, key);
      if (!measure(*part, field, 1)) return;
      snapshot.fields.push_back(CapturedField{field, json::dump_canonical(*part)});
    }
  }

  // Counts what a declaration holds; false once a limit is reached.
  bool measure(const json::Value& value, const std::string& field, int depth) {
    if (depth > kMaxDepth) return refuse(field, "nests deeper than 16 levels");
    if (++nodes_ > kMaxNodes) return refuse(field, "holds more than 10000 values");
    if (const auto text = value.as_string()) code_points_ += utf8::count(*text);
    if (const auto text = value.number_text()) code_points_ += text->size();
    for (const json::Value& element : value.elements()) {
      if (!measure(element, field, depth + 1)) return false;
    }
    for (const json::Member& member : value.members()) {
      code_points_ += utf8::count(member.key());
      if (++keys_ > kMaxKeys) return refuse(field, "holds more than 10000 keys");
      if (!measure(member.value, field, depth + 1)) return false;
    }
    if (code_points_ > kMaxCodePoints) return refuse(field, "is longer than 65536 characters");
    return true;
  }

  bool refuse(const std::string& field, std::string_view why) {
    unreadable(field, why);
    return false;
  }
  void unreadable(const std::string& field, std::string_view why) {
    if (!snapshot.issues.empty()) return;
    snapshot.issues.push_back(
        Issue{"projection-declaration-unreadable", field,
              fmt::format(
                  "{} {}, past the limit of what is compared; declare less, and keep data in rows",
                  field, why)});
  }

  std::size_t nodes_ = 0;
  std::size_t keys_ = 0;
  std::size_t code_points_ = 0;
};

}  // namespace

ProjectionSnapshot snapshot_projection(const json::Value& value) {
  Walker walker;
  walker.walk(value, "result", 0);
  return std::move(walker.snapshot);
}

std::vector<Issue> projection_issues(const ProjectionSnapshot& before, const json::Value& after) {
  if (!before.issues.empty() || before.fields.empty()) return before.issues;
  const ProjectionSnapshot kept = snapshot_projection(after);
  if (!kept.issues.empty()) return kept.issues;
  std::vector<Issue> issues;
  for (const CapturedField& field : before.fields) {
    const auto found =
        std::find_if(kept.fields.begin(), kept.fields.end(),
                     [&](const CapturedField& other) { return other.path == field.path; });
    if (found != kept.fields.end() && found->canonical == field.canonical) continue;
    issues.push_back(
        Issue{"projection-declaration-changed", field.path,
              fmt::format("the projection {} {}, which the tool declared; carry it over unchanged",
                          found == kept.fields.end() ? "lost" : "changed", field.path)});
  }
  return issues;
}

}  // namespace agentfootprint::semantics
