// The Tool forms of the functions of artifacts/.
#include "agentfootprint/agent/artifact_tools.hpp"

#include <fmt/format.h>

#include "agentfootprint/agent/schema.hpp"
#include "agentfootprint/artifacts/live_refs.hpp"
#include "agentfootprint/artifacts/present.hpp"
#include "agentfootprint/artifacts/rows.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/write.hpp"
#include "agentfootprint/semantics/projection_guard.hpp"

namespace agentfootprint {
namespace {

using Reading = std::function<ToolResult(const ToolArtifacts& artifacts)>;

std::string text_of(const json::Value& arguments, std::string_view member) {
  const json::Value* value = arguments.find(member);
  const auto text = value == nullptr ? std::nullopt : value->as_string();
  return text ? std::string(*text) : std::string();
}

std::optional<std::string> pointer_of(const json::Value& arguments) {
  std::string at = text_of(arguments, "at");
  if (at.empty()) return std::nullopt;
  return at;
}

// What the model can act on, without the word "refused".
std::string sentences_of(const Refusal& refusal) {
  std::string all;
  for (const Issue& issue : refusal.issues()) all += (all.empty() ? "" : "; ") + issue.message;
  return all;
}

ToolResult no_ticket(const ToolArtifacts& artifacts, const std::string& ref,
                     std::string_view nothing) {
  const std::string clause = artifacts.with_store(
      ArtifactOp::list, ref, [](ArtifactStore& store, const ArtifactScope& scope) {
        return live_refs_clause(store, scope, std::nullopt);
      });
  return ToolResult::error(fmt::format("{}: {} is not here or has expired; {}.", nothing,
                                       utf8::printable(utf8::clip(ref, 64)), clause));
}

// Reads on the store's thread. What the store refuses is the tool's answer; what fails below it is
// told by its code, for its text may hold a path.
Task<ToolResult> read_ticket(ToolContext& context, Reading reading) {
  std::optional<ToolResult> result;
  const ToolArtifacts artifacts = context.artifacts().artifacts;
  const std::function<void()> work = [&] {
    try {
      result = reading(artifacts);
    } catch (const Refusal& refusal) {
      result = ToolResult::error(sentences_of(refusal));
    } catch (const Error& error) {
      result = ToolResult::error(
          fmt::format("the artifact store could not answer ({}): try again, or go on without it",
                      error.code()));
    }
  };
  co_await context.on_store(work);
  co_return std::move(*result);
}

using Read =
    std::function<ToolResult(const json::Value& arguments, const ToolArtifacts& artifacts)>;

// A class and no lambda: a coroutine of a lambda does not keep what the lambda captured, and the
// spec keeps this.
class ReadingCall {
 public:
  explicit ReadingCall(Read read) : read_(std::move(read)) {}
  Task<ToolResult> operator()(json::Value arguments, ToolContext& context) const {
    const Reading reading = [this, &arguments](const ToolArtifacts& artifacts) {
      return read_(arguments, artifacts);
    };
    co_return co_await read_ticket(context, reading);
  }

 private:
  Read read_;
};

Tool reader(std::string_view name, std::string_view description, json::Value input, Read read) {
  Tool tool{std::string(name), std::string(description)};
  tool.input(std::move(input)).needs_artifacts().keep_inline().parallel_safe();
  tool.run_async(ReadingCall(std::move(read)));
  return tool;
}

// Rows until the answer is full; at least one, or the reason why not.
struct Served {
  json::Value rows;
  bool cut = false;
};

Served rows_that_fit(const json::Value& rows, std::int64_t max_chars) {
  constexpr std::size_t kFrame = 160;  // the members around the rows
  std::size_t chars = kFrame;
  json::ArrayBuilder fitting;
  for (const json::Value& row : rows.elements()) {
    chars += utf8::count(json::dump(row)) + 1;
    if (chars > static_cast<std::size_t>(max_chars)) break;
    fitting.add(row);
  }
  Served served;
  served.cut = fitting.size() < rows.size();
  served.rows = fitting.build();
  return served;
}

// One page as the model reads it.
ToolResult page_result(json::ObjectBuilder head, const RowsPage& page, std::int64_t max_chars) {
  const Served served = rows_that_fit(page.rows, max_chars);
  if (served.cut && served.rows.empty()) {
    return ToolResult::error(fmt::format(
        "row {} alone has more than the {} characters that may be read at once: name the columns "
        "you need",
        page.offset, max_chars));
  }
  head.add("rows", served.rows).add("offset", page.offset).add("more", page.more || served.cut);
  head.add_if("total", page.total);
  if (page.cut || served.cut) head.add("cut", true);
  return ToolResult::json(head.build());
}

ToolResult read_page(const json::Value& arguments, const ToolArtifacts& artifacts,
                     const TicketReading& reading) {
  const std::string ref = text_of(arguments, "ref");
  RowsOptions options;
  options.limit = reading.max_rows;
  if (const json::Value* offset = arguments.find("offset")) {
    options.offset = offset->as_uint64().value_or(0);
  }
  if (const json::Value* limit = arguments.find("limit")) {
    options.limit = std::min(limit->as_int64().value_or(reading.max_rows), reading.max_rows);
  }
  if (const json::Value* columns = arguments.find("columns")) {
    for (const json::Value& column : columns->elements()) {
      options.columns.emplace_back(column.as_string().value_or(""));
    }
  }
  options.at = pointer_of(arguments);
  const auto page = read_rows(artifacts, ref, options);
  if (!page) return no_ticket(artifacts, ref, "No rows were read");
  json::ObjectBuilder head;
  head.add("ref", ref);
  return page_result(std::move(head), *page, reading.max_chars);
}

ToolResult read_preview(const json::Value& arguments, const ToolArtifacts& artifacts) {
  const std::string ref = text_of(arguments, "ref");
  const auto meta = artifacts.head(ref);
  if (!meta) return no_ticket(artifacts, ref, "There is nothing to preview");
  json::ObjectBuilder out;
  out.add("ref", ref).add("kind", meta->kind).add("mediaType", meta->media_type);
  out.add("bytes", meta->bytes);
  out.add_if("label", meta->label);
  const auto preview = preview_artifact(artifacts, ref);
  if (preview) {
    for (const json::Member& member : preview->members()) out.add(member.key(), member.value);
  } else {
    out.add("note", "this is not a list of rows: a tool that wants its kind, or present, takes it");
  }
  return ToolResult::json(out.build());
}

ToolResult run_query(const json::Value& arguments, const ToolArtifacts& artifacts,
                     QueryOptions limits, const TicketReading& reading) {
  const std::string ref = text_of(arguments, "ref");
  limits.at = pointer_of(arguments);
  const auto answer = query_artifact(artifacts, ref, text_of(arguments, "sql"), limits);
  if (!answer) return no_ticket(artifacts, ref, "Nothing was queried");
  RowsOptions first;
  first.limit = reading.max_rows;
  const auto page = read_rows(artifacts, answer->child.ref, first);
  json::ArrayBuilder columns;
  for (const std::string& column : answer->columns) columns.add(column);
  json::ObjectBuilder head;
  head.add("ref", answer->child.ref).add("of", ref).add("columns", columns.build());
  RowsPage shown;
  if (page) {
    shown = *page;
  } else {
    shown.rows = json::array({});  // evicted already: the count is what is left to tell
    shown.more = answer->rows > 0;
  }
  shown.total = answer->rows;
  return page_result(std::move(head), shown, reading.max_chars);
}

bool holds_a_result(const ToolResult& result) {
  if (result.kind() == ToolResult::Kind::ask || result.kind() == ToolResult::Kind::error) {
    return false;
  }
  const auto status = result.status();
  return !status || *status == ToolStatus::success || *status == ToolStatus::partial ||
         *status == ToolStatus::absent;
}

json::Value value_of(const ToolResult& result) {
  return result.kind() == ToolResult::Kind::text ? json::Value(result.message()) : result.value();
}

ToolResult with_envelope_of(const ToolResult& original, json::Value projected) {
  ToolResult result = ToolResult::json(std::move(projected));
  if (original.status()) result = std::move(result).with_status(*original.status());
  for (const ToolEffect& effect : original.effects()) {
    result = std::move(result).with_effect(effect);
  }
  return result;
}

// Describe and project run with the run; only the writes wait for the store.
Task<ToolResult> stage(ToolResult result, json::Value arguments, ToolContext& context,
                       const DescribeDatasets& describe, DatasetStagingOptions options) {
  if (!context.artifacts().has_artifacts || !holds_a_result(result)) co_return result;
  const json::Value value = value_of(result);
  const semantics::ProjectionSnapshot declared = semantics::snapshot_projection(value);
  const std::optional<DatasetResultPlan> plan = describe(value, arguments);
  if (!plan) co_return result;
  check_dataset_plan(*plan);
  const ToolArtifacts artifacts = context.artifacts().artifacts;
  std::vector<DatasetPublication> published;
  std::exception_ptr failure;
  const std::function<void()> work = [&] {
    try {
      published = stage_dataset_artifacts(plan->datasets, artifacts, options);
    } catch (...) {
      failure = std::current_exception();
    }
  };
  co_await context.on_store(work);
  if (failure) std::rethrow_exception(failure);
  json::Value projected = plan->project(published);
  auto lost = semantics::projection_issues(declared, projected);
  if (!lost.empty()) throw Refusal(std::move(lost));
  co_return with_envelope_of(result, std::move(projected));
}

class StagingCall {
 public:
  StagingCall(const Tool& tool, DescribeDatasets describe, DatasetStagingOptions options)
      : function_(tool.function()),
        coroutine_(tool.coroutine()),
        describe_(std::move(describe)),
        options_(options) {}
  Task<ToolResult> operator()(json::Value arguments, ToolContext& context) const {
    ToolResult result = ToolResult::text("");
    if (function_) {
      result = function_(arguments, context);
    } else {
      result = co_await coroutine_(arguments, context);
    }
    co_return co_await stage(std::move(result), arguments, context, describe_, options_);
  }

 private:
  Tool::Function function_;
  Tool::Coroutine coroutine_;
  DescribeDatasets describe_;
  DatasetStagingOptions options_;
};

}  // namespace

Tool with_dataset_artifacts(Tool tool, DescribeDatasets describe, DatasetStagingOptions options) {
  const std::string& name = tool.schema().name;
  if (!describe) {
    throw Refusal(
        "dataset-plan", "describe",
        fmt::format("'{}' is to stage datasets and nothing says which: give it describe", name));
  }
  if (!tool.function() && !tool.coroutine()) {
    throw Refusal("tool-function", name,
                  fmt::format("'{}' has nothing to run yet: call run or run_async before it is "
                              "wrapped",
                              name));
  }
  tool.run_async(StagingCall(tool, std::move(describe), options));
  return tool;
}

std::optional<DatasetResultPlan> one_dataset(std::string key, std::string kind, json::Value rows,
                                             json::Value beside) {
  DatasetResultPlan plan;
  PutArtifactInput input(std::move(kind), "application/json", ArtifactPayload::json(rows));
  input.label = key;
  plan.datasets.emplace_back(std::move(key), std::move(input));
  plan.project = [beside](const std::vector<DatasetPublication>& published) {
    json::ObjectBuilder out;
    out.add(published.front().key, to_json(published.front().artifact));
    if (beside.is_object()) {
      for (const json::Member& member : beside.members()) out.add(member.key(), member.value);
    }
    return out.build();
  };
  return plan;
}

Tool rows_tool(TicketReading reading) {
  const json::Value bounded =
      json::object({{"type", "integer"},
                    {"minimum", 1},
                    {"maximum", reading.max_rows},
                    {"description",
                     fmt::format("At most this many rows; {} when left out.", reading.max_rows)}});
  const json::Value from = json::object(
      {{"type", "integer"}, {"minimum", 0}, {"description", "Rows to pass over first."}});
  return reader(
      "rows", "Read some rows of a stored dataset by its ticket.",
      schema::object()
          .property<std::string>("ref", "The ticket, as in art_…")
          .add("offset", from, false)
          .add("limit", bounded, false)
          .property<std::optional<std::vector<std::string>>>("columns", "Only these columns.")
          .property<std::optional<std::string>>(
              "at", "JSON pointer to the rows, for a payload that is an object.")
          .build(),
      [reading](const json::Value& arguments, const ToolArtifacts& artifacts) {
        return read_page(arguments, artifacts, reading);
      });
}

Tool preview_tool() {
  return reader("preview",
                "Say what a stored dataset holds by its ticket: rows, columns with types and "
                "ranges, the first rows.",
                schema::object().property<std::string>("ref", "The ticket, as in art_…").build(),
                read_preview);
}

Tool query_tool(QueryOptions limits, TicketReading reading) {
  return reader(
      "query",
      "Run one SQL SELECT over a stored dataset; its rows are the table `rows`. The answer is a "
      "ticket of its own, with its first rows.",
      schema::object()
          .property<std::string>("ref", "The ticket, as in art_…")
          .property<std::string>("sql", "One SELECT (SQLite) over the table rows.")
          .property<std::optional<std::string>>(
              "at", "JSON pointer to the rows, for a payload that is an object.")
          .build(),
      [limits = std::move(limits), reading](const json::Value& arguments,
                                            const ToolArtifacts& artifacts) {
        return run_query(arguments, artifacts, limits, reading);
      });
}

Tool present_tool() {
  return reader(kPresentToolName, present_description(), present_input_schema(),
                [](const json::Value& arguments, const ToolArtifacts& artifacts) {
                  const PresentOutcome outcome = present_artifact(artifacts, arguments);
                  return outcome.ok ? ToolResult::json(outcome.result)
                                    : ToolResult::error(outcome.refusal);
                });
}

std::vector<Tool> artifact_tools() {
  std::vector<Tool> tools;
  tools.push_back(preview_tool());
  tools.push_back(rows_tool());
  tools.push_back(query_tool());
  tools.push_back(present_tool());
  return tools;
}

}  // namespace agentfootprint
