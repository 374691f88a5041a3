// The rows of the findings ledger and how they are made.
//
// What: plain data, one struct a kind, with its JSON form (upstream's keys, and `call` beside
// `toolCallId`). Optional keys are left out. The makers turn a declaration into the rows that are
// filed for it.
//
// When to use: make rows with `basis_row_from` and `standing_rows_from`, hand them to
// `Ledger::record` (ledger.hpp), the one writer; read them back from a checkpoint or a record with
// `row_from_json`.
//
// Not guaranteed: that a named result exists: `unknown_id` says when it did not at the time.
//
// Identity: a row is about the call it names (law 9); a row without `call` is about its
// `toolCallId`.
//
// Limits: proposition and predicts are clipped at 240 code points, a contingent value at 120.
//
// Example:
//   findings::StandingRow row;
//   row.result = findings::ResultRef("c1", CallKey{1, 0});
//   row.standing = findings::Standing::noise;
//   row.iteration = 2;
//   json::Value out = findings::to_json(findings::Row(row));
//   auto back = findings::row_from_json(out);
//   (void)back.has_value();   // true
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "agentfootprint/base/expected.hpp"
#include "agentfootprint/conversation/conversation.hpp"
#include "agentfootprint/findings/declaration.hpp"
#include "agentfootprint/findings/vocabulary.hpp"

namespace agentfootprint::findings {

// A result, by its call when that is known; the id the model used stands beside it.
struct ResultRef {
  std::string tool_call_id;
  std::optional<CallKey> call;

  ResultRef() = default;
  explicit ResultRef(std::string id, std::optional<CallKey> key = std::nullopt)
      : tool_call_id(std::move(id)), call(key) {}
  // The same result: by call when both have one, by id when neither has.
  [[nodiscard]] bool same_as(const ResultRef& other) const noexcept {
    if (call || other.call) return call == other.call;
    return tool_call_id == other.tool_call_id;
  }
};

// Where something was declared or used: on the answer, or on a call.
struct DeclaredOn {
  std::optional<ResultRef> call;  // empty: the answer

  DeclaredOn() = default;
  explicit DeclaredOn(ResultRef ref) : call(std::move(ref)) {}
  [[nodiscard]] bool on_answer() const noexcept { return !call; }
};

enum class Stratum : std::uint8_t { asserted, quoted };

struct Assertion {
  std::string subject_kind;
  std::string subject_id;
  std::string predicate;
  json::Value value;
  std::optional<json::Value> epoch;  // never on rows made here; read from foreign ones
  Stratum stratum = Stratum::asserted;
  std::string provenance;  // tool:<id> or artifact:<ref>

  // Kind, id, predicate and epoch joined by U+0000.
  [[nodiscard]] std::string key() const;
};

struct BasisRow {
  ResultRef result;  // the call it stands on
  std::string tool_name;
  std::uint32_t iteration = 0;
  Basis basis = Basis::direct;
  std::optional<Expectation> expect;
  std::optional<std::string> proposition;
  std::optional<std::string> predicts;
  std::size_t malformed = 0;
};

// Who gave a standing. The model unless the row says otherwise.
enum class DeclaredBy : std::uint8_t { model, app, person };
[[nodiscard]] std::string_view name_of(DeclaredBy by) noexcept;

struct StandingRow {
  ResultRef result;  // the judged result
  std::optional<std::string> tool_name;
  std::optional<std::string> ref;  // of the placement ticket the result is
  Standing standing = Standing::open;
  std::optional<bool> sought;
  std::optional<std::string> settles;
  std::optional<std::string> line;
  std::vector<Assertion> assertions;
  DeclaredOn declared_on;
  std::uint32_t iteration = 0;  // the declaring one
  bool unknown_id = false;
  DeclaredBy by = DeclaredBy::model;
  std::optional<std::string> who;  // the person's name, when one is given
};

struct Witness {
  ResultRef result;
  std::string subject_kind;
  std::string subject_id;
  std::string predicate;
};

struct ConflictRow {
  std::string key;
  std::vector<Witness> witnesses;
  std::uint32_t iteration = 0;
};

struct TokenUsage {
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
};

struct JudgmentRow {
  ResultRef result;
  std::string tool_name;
  std::string judge_name;
  std::string judge_model;
  bool against_proposition = false;  // else against the question
  Standing standing = Standing::open;
  std::vector<std::pair<Standing, double>> probabilities;  // those the judge scored
  std::optional<double> confidence;
  std::optional<double> tests_subject;
  std::optional<TokenUsage> usage;
  std::uint64_t latency_ms = 0;
  bool clipped = false;  // the judge saw the head of the result
  std::uint32_t iteration = 0;
};

struct JudgmentErrorRow {
  ResultRef result;
  std::string tool_name;
  std::string judge_name;
  std::optional<std::int64_t> status;  // only when the provider gave one
  std::string message;
  std::uint64_t latency_ms = 0;
  std::uint32_t iteration = 0;
};

struct ContingentCarrier {
  ResultRef result;
  Standing standing = Standing::open;
};

// An operand of a derived value that is itself contingent.
struct ContingentOperand {
  std::string raw;
  std::vector<ContingentCarrier> carriers;
};

struct ContingentRow {
  DeclaredOn declared_on;
  std::string value;
  std::vector<ContingentCarrier> carriers;
  std::uint32_t iteration = 0;
  bool draft = false;                       // of a draft that was sent back or held back
  bool echo_ignored = false;                // filed only because echoes were left out
  std::optional<std::string> level;         // "derived"; absent by the plain rule
  std::optional<std::string> formula;       // of a derived value
  std::vector<ContingentOperand> operands;  // of a derived value
};

struct UnsettledItem {
  std::string what;
  std::optional<std::string> why;
};

struct UnsettledRow {
  ResultRef result;
  std::vector<UnsettledItem> not_checked;
  std::vector<UnsettledItem> cannot_cover;
  std::optional<std::string> try_instead;
  std::uint32_t iteration = 0;
};

// Parts of a declaration that were dropped where no basis row carries the count.
struct MalformedRow {
  DeclaredOn declared_on;
  std::size_t malformed = 0;
  std::uint32_t iteration = 0;
};

using Row = std::variant<BasisRow, StandingRow, ConflictRow, JudgmentRow, JudgmentErrorRow,
                         ContingentRow, UnsettledRow, MalformedRow>;

// "basis", "standing", "conflict", "judgment", "judgment-error", "contingent",
// "unsettled-by-absence", "malformed".
[[nodiscard]] std::string_view kind_of(const Row& row) noexcept;
[[nodiscard]] std::uint32_t iteration_of(const Row& row) noexcept;
[[nodiscard]] json::Value to_json(const Row& row);
[[nodiscard]] json::Value to_json(const Assertion& assertion);
// `"answer"` or `{"toolCallId":…,"call":…}`.
[[nodiscard]] json::Value to_json(const DeclaredOn& declared_on);
[[nodiscard]] json::Value to_json(const ContingentCarrier& carrier);
// Adds `toolCallId`, `call` and `orphan`.
void add_result(json::ObjectBuilder& out, const ResultRef& result);
// The error names the member that is missing or wrong.
[[nodiscard]] Expected<Row, std::string> row_from_json(const json::Value& value);
[[nodiscard]] Expected<DeclaredOn, std::string> declared_on_from_json(const json::Value& value);

// A result that a declaration may name.
struct KnownResult {
  ResultRef result;
  std::optional<std::string> tool_name;
  json::Value content;  // as the model was served it
  bool absent = false;  // the tool declared an absence when it returned
};

// Results by the id a model would use. An empty id is skipped.
class KnownResults {
 public:
  // The first entry of an id wins: add the newest ones first.
  void add(KnownResult result);
  // The last entry of an id wins: for results in the order in which they come.
  void put(KnownResult result);
  [[nodiscard]] const KnownResult* find(std::string_view id) const;
  // Those that `find` gives, in the order in which they were added.
  [[nodiscard]] std::vector<KnownResult> in_order() const;

 private:
  std::vector<KnownResult> results_;  // replaced ones are emptied
  std::unordered_map<std::string, std::size_t> by_id_;
};

// The `ref` of a placement ticket: an object with `placed` true, and `ref` and `reason` strings.
[[nodiscard]] std::optional<std::string> placement_ref(const json::Value& content);

// Throws Error "findings-no-basis" when the declaration has no basis.
[[nodiscard]] BasisRow basis_row_from(const ResultRef& call, std::string tool_name,
                                      const Declaration& declaration, std::size_t malformed,
                                      std::uint32_t iteration);

// One row for each `previous` entry, in order. An id that is not known is kept, marked
// `unknown_id`, and never resolved by position or name.
[[nodiscard]] std::vector<StandingRow> standing_rows_from(const KnownResults& known,
                                                          const Declaration& declaration,
                                                          const DeclaredOn& declared_on,
                                                          std::uint32_t iteration);

}  // namespace agentfootprint::findings
