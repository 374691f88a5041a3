// Rows read back from JSON: a checkpoint, a record, the input of a filter.
#include <fmt/format.h>

#include <limits>

#include "agentfootprint/findings/rows.hpp"

namespace agentfootprint::findings {
namespace {

// Reads the members of one row; the first fault is kept and everything after it is ignored.
class RowReader {
 public:
  explicit RowReader(const json::Value& row) : row_(row) {}

  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
  void fail(std::string_view message) {
    if (fault_.empty()) fault_ = message;
  }

  const json::Value* member(const json::Value& in, std::string_view key, json::Kind kind,
                            bool needed) {
    const json::Value* found = in.find(key);
    if (found == nullptr) {
      if (needed) fail(fmt::format("{} is missing", key));
      return nullptr;
    }
    if (found->kind() == kind) return found;
    fail(fmt::format("{} must be of type {}, is {}", key, json::name_of(kind),
                     json::name_of(found->kind())));
    return nullptr;
  }

  std::string text(const json::Value& in, std::string_view key) {
    const json::Value* found = member(in, key, json::Kind::string, true);
    return found == nullptr ? std::string() : std::string(*found->as_string());
  }

  std::optional<std::string> optional_text(const json::Value& in, std::string_view key) {
    const json::Value* found = member(in, key, json::Kind::string, false);
    if (found == nullptr) return std::nullopt;
    return std::string(*found->as_string());
  }

  std::uint64_t count(const json::Value& in, std::string_view key, bool needed) {
    const json::Value* found = member(in, key, json::Kind::number, needed);
    if (found == nullptr) return 0;
    const auto number = found->as_uint64();
    if (!number) fail(fmt::format("{} must be a whole number from 0", key));
    return number.value_or(0);
  }

  std::uint32_t iteration() { return small(count(row_, "iteration", true), "iteration"); }

  template <class Word>
  Word word(const json::Value& in, std::string_view key,
            std::optional<Word> (*parse)(std::string_view) noexcept) {
    const std::string spelled = text(in, key);
    const std::optional<Word> parsed = parse(spelled);
    if (!parsed) fail(fmt::format("{} \"{}\" is not in the vocabulary", key, spelled));
    return parsed.value_or(Word{});
  }

  std::optional<CallKey> call(const json::Value& in) {
    const json::Value* found = member(in, "call", json::Kind::array, false);
    if (found == nullptr) return std::nullopt;
    auto key = call_key_from_json(*found);
    if (!key) {
      fail("call must be two whole numbers: the message and the ordinal of the call in it");
      return std::nullopt;
    }
    if (const json::Value* orphan = member(in, "orphan", json::Kind::boolean, false)) {
      key->orphan = *orphan->as_bool();
    }
    return key;
  }

  ResultRef result(const json::Value& in) { return ResultRef(text(in, "toolCallId"), call(in)); }

  DeclaredOn declared_on(const json::Value& in) {
    if (in.is_object()) return DeclaredOn(result(in));
    const auto word = in.as_string();
    if (!word || *word != "answer") {
      fail("declaredOn must be \"answer\" or an object with toolCallId");
    }
    return DeclaredOn();
  }

  DeclaredOn declared_on() {
    const json::Value* found = row_.find("declaredOn");
    if (found == nullptr) {
      fail("declaredOn is missing");
      return DeclaredOn();
    }
    return declared_on(*found);
  }

  std::pair<std::string, std::string> subject(const json::Value& in) {
    const json::Value* found = member(in, "subject", json::Kind::object, true);
    if (found == nullptr) return {};
    return {text(*found, "kind"), text(*found, "id")};
  }

  std::vector<ContingentCarrier> carriers(const json::Value& in) {
    std::vector<ContingentCarrier> list;
    const json::Value* found = member(in, "carriers", json::Kind::array, true);
    if (found == nullptr) return list;
    for (const json::Value& one : found->elements()) {
      list.push_back({result(one), word(one, "standing", &parse_standing)});
    }
    return list;
  }

  std::vector<UnsettledItem> items(std::string_view key) {
    std::vector<UnsettledItem> list;
    const json::Value* found = member(row_, key, json::Kind::array, false);
    if (found == nullptr) return list;
    for (const json::Value& one : found->elements()) {
      list.push_back({text(one, "what"), optional_text(one, "why")});
    }
    return list;
  }

 private:
  std::uint32_t small(std::uint64_t number, std::string_view key) {
    if (number > std::numeric_limits<std::uint32_t>::max()) {
      fail(fmt::format("{} is larger than 2^32 - 1", key));
      return 0;
    }
    return static_cast<std::uint32_t>(number);
  }

  const json::Value& row_;
  std::string fault_;
};

Assertion read_assertion(RowReader& reader, const json::Value& in) {
  Assertion assertion;
  std::tie(assertion.subject_kind, assertion.subject_id) = reader.subject(in);
  assertion.predicate = reader.text(in, "predicate");
  if (const json::Value* value = in.find("value")) {
    assertion.value = *value;
  } else {
    reader.fail("value is missing in an assertion");
  }
  if (const json::Value* epoch = in.find("epoch")) assertion.epoch = *epoch;
  const std::string stratum = reader.text(in, "stratum");
  if (stratum != "asserted" && stratum != "quoted") {
    reader.fail("stratum must be asserted or quoted");
  }
  assertion.stratum = stratum == "quoted" ? Stratum::quoted : Stratum::asserted;
  assertion.provenance = reader.text(in, "provenance");
  return assertion;
}

BasisRow read_basis(RowReader& reader, const json::Value& in) {
  BasisRow row;
  row.result = reader.result(in);
  row.tool_name = reader.text(in, "toolName");
  row.iteration = reader.iteration();
  row.basis = reader.word(in, "basis", &parse_basis);
  if (in.contains("expect")) row.expect = reader.word(in, "expect", &parse_expectation);
  row.proposition = reader.optional_text(in, "proposition");
  row.predicts = reader.optional_text(in, "predicts");
  row.malformed = reader.count(in, "malformed", false);
  return row;
}

StandingRow read_standing(RowReader& reader, const json::Value& in) {
  StandingRow row;
  row.result = reader.result(in);
  row.tool_name = reader.optional_text(in, "toolName");
  row.ref = reader.optional_text(in, "ref");
  row.standing = reader.word(in, "standing", &parse_standing);
  if (const json::Value* sought = reader.member(in, "sought", json::Kind::boolean, false)) {
    row.sought = sought->as_bool();
  }
  row.settles = reader.optional_text(in, "settles");
  row.line = reader.optional_text(in, "line");
  if (const json::Value* list = reader.member(in, "assertions", json::Kind::array, false)) {
    for (const json::Value& one : list->elements()) {
      row.assertions.push_back(read_assertion(reader, one));
    }
  }
  row.declared_on = reader.declared_on();
  row.iteration = reader.iteration();
  if (const json::Value* unknown = reader.member(in, "unknownId", json::Kind::boolean, false)) {
    row.unknown_id = *unknown->as_bool();
  }
  if (const auto by = reader.optional_text(in, "by")) {
    if (*by == "app") {
      row.by = DeclaredBy::app;
    } else if (*by == "person") {
      row.by = DeclaredBy::person;
    } else if (*by != "model") {
      reader.fail("by must be model, app or person");
    }
  }
  row.who = reader.optional_text(in, "who");
  return row;
}

ConflictRow read_conflict(RowReader& reader, const json::Value& in) {
  ConflictRow row;
  row.key = reader.text(in, "key");
  if (const json::Value* list = reader.member(in, "witnesses", json::Kind::array, true)) {
    for (const json::Value& one : list->elements()) {
      Witness witness;
      witness.result = reader.result(one);
      std::tie(witness.subject_kind, witness.subject_id) = reader.subject(one);
      witness.predicate = reader.text(one, "predicate");
      row.witnesses.push_back(std::move(witness));
    }
  }
  row.iteration = reader.iteration();
  return row;
}

JudgmentRow read_judgment(RowReader& reader, const json::Value& in) {
  JudgmentRow row;
  row.result = reader.result(in);
  row.tool_name = reader.text(in, "toolName");
  if (const json::Value* judge = reader.member(in, "judge", json::Kind::object, true)) {
    row.judge_name = reader.text(*judge, "name");
    row.judge_model = reader.text(*judge, "model");
  }
  const std::string against = reader.text(in, "against");
  if (against != "proposition" && against != "question") {
    reader.fail("against must be proposition or question");
  }
  row.against_proposition = against == "proposition";
  row.standing = reader.word(in, "standing", &parse_standing);
  if (const json::Value* scored = reader.member(in, "probabilities", json::Kind::object, false)) {
    for (const json::Member& one : scored->members()) {
      const auto standing = parse_standing(one.key());
      const auto probability = one.value.as_double();
      if (standing && probability) row.probabilities.emplace_back(*standing, *probability);
    }
  }
  if (const json::Value* found = reader.member(in, "confidence", json::Kind::number, false)) {
    row.confidence = found->as_double();
  }
  if (const json::Value* found = reader.member(in, "testsSubject", json::Kind::number, false)) {
    row.tests_subject = found->as_double();
  }
  if (const json::Value* usage = reader.member(in, "usage", json::Kind::object, false)) {
    row.usage = TokenUsage{reader.count(*usage, "inputTokens", false),
                           reader.count(*usage, "outputTokens", false)};
  }
  row.latency_ms = reader.count(in, "latencyMs", true);
  if (const json::Value* clipped = reader.member(in, "clipped", json::Kind::boolean, false)) {
    row.clipped = *clipped->as_bool();
  }
  row.iteration = reader.iteration();
  return row;
}

JudgmentErrorRow read_judgment_error(RowReader& reader, const json::Value& in) {
  JudgmentErrorRow row;
  row.result = reader.result(in);
  row.tool_name = reader.text(in, "toolName");
  if (const json::Value* judge = reader.member(in, "judge", json::Kind::object, true)) {
    row.judge_name = reader.text(*judge, "name");
  }
  if (const json::Value* status = reader.member(in, "status", json::Kind::number, false)) {
    row.status = status->as_int64();
  }
  row.message = reader.text(in, "message");
  row.latency_ms = reader.count(in, "latencyMs", true);
  row.iteration = reader.iteration();
  return row;
}

ContingentRow read_contingent(RowReader& reader, const json::Value& in) {
  ContingentRow row;
  row.declared_on = reader.declared_on();
  row.value = reader.text(in, "value");
  row.carriers = reader.carriers(in);
  row.iteration = reader.iteration();
  if (const json::Value* found = reader.member(in, "draft", json::Kind::boolean, false)) {
    row.draft = *found->as_bool();
  }
  if (const json::Value* found = reader.member(in, "echoIgnored", json::Kind::boolean, false)) {
    row.echo_ignored = *found->as_bool();
  }
  row.level = reader.optional_text(in, "level");
  row.formula = reader.optional_text(in, "formula");
  if (const json::Value* list = reader.member(in, "operands", json::Kind::array, false)) {
    for (const json::Value& one : list->elements()) {
      row.operands.push_back({reader.text(one, "raw"), reader.carriers(one)});
    }
  }
  return row;
}

UnsettledRow read_unsettled(RowReader& reader, const json::Value& in) {
  UnsettledRow row;
  row.result = reader.result(in);
  row.not_checked = reader.items("notChecked");
  row.cannot_cover = reader.items("cannotCover");
  row.try_instead = reader.optional_text(in, "tryInstead");
  row.iteration = reader.iteration();
  return row;
}

MalformedRow read_malformed(RowReader& reader, const json::Value& in) {
  MalformedRow row;
  row.declared_on = reader.declared_on();
  row.malformed = reader.count(in, "malformed", true);
  row.iteration = reader.iteration();
  return row;
}

}  // namespace

Expected<Row, std::string> row_from_json(const json::Value& value) {
  if (!value.is_object()) return Unexpected<std::string>("a row must be an object");
  RowReader reader(value);
  const std::string kind = reader.text(value, "kind");
  std::optional<Row> row;
  if (kind == "basis") row = read_basis(reader, value);
  if (kind == "standing") row = read_standing(reader, value);
  if (kind == "conflict") row = read_conflict(reader, value);
  if (kind == "judgment") row = read_judgment(reader, value);
  if (kind == "judgment-error") row = read_judgment_error(reader, value);
  if (kind == "contingent") row = read_contingent(reader, value);
  if (kind == "unsettled-by-absence") row = read_unsettled(reader, value);
  if (kind == "malformed") row = read_malformed(reader, value);
  if (!row) reader.fail(fmt::format("kind \"{}\" is no kind of row", kind));
  if (!reader.fault().empty()) {
    return Unexpected<std::string>(fmt::format("{} row: {}", kind, reader.fault()));
  }
  return std::move(*row);
}

Expected<DeclaredOn, std::string> declared_on_from_json(const json::Value& value) {
  RowReader reader(value);
  DeclaredOn declared_on = reader.declared_on(value);
  if (!reader.fault().empty()) return Unexpected<std::string>(reader.fault());
  return declared_on;
}

}  // namespace agentfootprint::findings
