// The subcommands of `artifacts` that read and remove tickets.
#include "agentfootprint/cli/artifacts_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "agentfootprint/artifacts/capability.hpp"
#include "agentfootprint/artifacts/lineage.hpp"
#include "agentfootprint/artifacts/query.hpp"
#include "agentfootprint/artifacts/rows.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/cli/artifacts.hpp"
#include "agentfootprint/cli/artifacts_output.hpp"
#include "agentfootprint/cli/command.hpp"

namespace agentfootprint {
namespace {

namespace fs = std::filesystem;

int not_there(const std::string& ref) {
  fmt::print(stderr, "artifacts: no live artifact {} in this scope\n", utf8::printable(ref));
  return kExitFindings;
}

std::optional<std::string> text_or_none(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

json::Value with_scope(const ArtifactMeta& meta, const ArtifactScope& scope) {
  return json::with_member(to_json(meta), "scope", to_json(scope));
}

// Columns in the order they first appear.
void print_rows(const json::Value& rows) {
  std::vector<std::string> columns;
  for (const json::Value& row : rows.elements()) {
    for (const json::Member& member : row.members()) {
      const std::string name(member.key());
      if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
    }
  }
  TextTable table(columns);
  for (const json::Value& row : rows.elements()) {
    std::vector<std::string> cells;
    for (const std::string& column : columns) {
      const json::Value* value = row.find(column);
      cells.push_back(value == nullptr ? std::string() : cell_text(*value));
    }
    table.add(std::move(cells));
  }
  print_text(table.to_text());
}

// Writes everything or says why not.
void write_out(ByteSource& source, std::FILE* out) {
  std::string piece(std::size_t{1} << 20, '\0');
  for (;;) {
    const std::size_t got = source.read(piece.data(), piece.size());
    if (got == 0) break;
    if (std::fwrite(piece.data(), 1, got, out) != got) {
      throw ArtifactStoreError("artifact-store-io", "writing the payload failed");
    }
  }
  if (std::fflush(out) != 0) {
    throw ArtifactStoreError("artifact-store-io", "writing the payload failed");
  }
}

// A file that could not be written whole, or whose payload turned out changed, is taken away again.
void write_file(ByteSource& source, const std::string& name) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name.c_str(), "wb"),
                                                             &std::fclose);
  if (file == nullptr) {
    throw ArtifactStoreError("artifact-store-io", fmt::format("{} cannot be written", name));
  }
  try {
    write_out(source, file.get());
  } catch (const Error&) {
    std::error_code ignored;
    if (fs::is_regular_file(name, ignored)) fs::remove(name, ignored);
    throw;
  }
}

int get_json(ArtifactStore& store, const ArtifactScope& scope, const std::string& ref) {
  const auto record = store.get(scope, ref);
  if (!record) return not_there(ref);
  print_json(json::object({{"meta", to_json(record->meta)}, {"data", record->payload.value()}}));
  return kExitClean;
}

}  // namespace

std::shared_ptr<ArtifactStore> open_existing_store(const ArtifactsArguments& arguments) {
  const std::string& url = arguments.store;
  const std::size_t colon = url.find(':');
  if (url.starts_with("sqlite:") || url.starts_with("file:")) {
    const std::string name = url.substr(colon + 1, url.find('?') - colon - 1);
    if (!name.empty() && !fs::exists(name)) {
      throw Refusal("artifact-store-url", "--store",
                    fmt::format("{} does not exist: there is no store to look into", name));
    }
  }
  return open_artifact_store(url, ArtifactStoreOptions());
}

std::vector<ArtifactScope> scopes_of(ArtifactStore& store, const ArtifactsArguments& arguments) {
  if (!arguments.scope.empty()) return {scope_argument(arguments.scope)};
  StoreInspection* inspection = store.inspection();
  if (inspection == nullptr) {
    throw Refusal("artifact-scope", "--scope", "this store cannot list its scopes: name one");
  }
  std::vector<ArtifactScope> scopes;
  for (ScopeUsage& usage : inspection->usage()) scopes.push_back(std::move(usage.scope));
  return scopes;
}

int artifacts_ls(const ArtifactsArguments& arguments) {
  const auto store = open_existing_store(arguments);
  TextTable table({"ref", "kind", "bytes", "created", "label", "scope"});
  json::ArrayBuilder rows;
  std::optional<std::string> cursor;
  for (const ArtifactScope& scope : scopes_of(*store, arguments)) {
    ArtifactListOptions options;
    options.limit = arguments.limit;
    options.cursor = text_or_none(arguments.cursor);
    const ArtifactListResult page = store->list(scope, options);
    for (const ArtifactMeta& meta : page.artifacts) {
      rows.add(with_scope(meta, scope));
      table.add({meta.ref, meta.kind, std::to_string(meta.bytes), time_text(meta.created_at),
                 meta.label.value_or(""), scope_text(scope)});
    }
    if (page.cursor) cursor = page.cursor;
    if (page.cursor && !arguments.as_json) {
      fmt::print(stderr, "more in {}: --cursor {}\n", utf8::printable(scope_text(scope)),
                 *page.cursor);
    }
  }
  if (arguments.as_json) {
    json::ObjectBuilder out;
    out.add("artifacts", rows.build());
    out.add_if("cursor", cursor);
    print_json(out.build());
  } else {
    print_text(table.to_text());
  }
  return kExitClean;
}

int artifacts_head(const ArtifactsArguments& arguments) {
  const auto store = open_existing_store(arguments);
  const ArtifactScope scope = scope_argument(arguments.scope);
  const auto meta = store->head(scope, arguments.ref);
  if (!meta) return not_there(arguments.ref);
  json::ObjectBuilder out;
  out.add("meta", to_json(*meta));
  out.add_if("preview", store->preview(scope, arguments.ref));
  const json::Value shown = out.build();
  if (arguments.as_json) {
    print_json(shown);
    return kExitClean;
  }
  const json::Value whole = to_json(*meta);
  for (const json::Member& member : whole.members()) {
    // Shown whole, unlike in a table: a digest that is cut is of no use.
    print_text(fmt::format("{:<12}{}\n", member.key(), utf8::printable(cell_text(member.value))));
  }
  const json::Value* columns = shown.find_pointer("/preview/measured/columns");
  if (columns != nullptr) {
    print_text(
        fmt::format("\n{} rows\n", cell_text(*shown.find_pointer("/preview/measured/rows"))));
    print_rows(*columns);
  }
  return kExitClean;
}

int artifacts_get(const ArtifactsArguments& arguments) {
  const auto store = open_existing_store(arguments);
  const ArtifactScope scope = scope_argument(arguments.scope);
  if (arguments.as_json && arguments.output.empty()) {
    return get_json(*store, scope, arguments.ref);
  }
  std::unique_ptr<ByteSource> body;
  if (store->can_get_stream()) {
    auto stream = store->get_stream(scope, arguments.ref);
    if (!stream) return not_there(arguments.ref);
    body = std::move(stream->body);
  } else {
    const auto record = store->get(scope, arguments.ref);
    if (!record) return not_there(arguments.ref);
    body = std::make_unique<StringSource>(record->payload.shared_bytes());
  }
  if (arguments.output.empty()) {
    write_out(*body, stdout);
    return kExitClean;
  }
  write_file(*body, arguments.output);
  if (arguments.as_json) print_json(json::object({{"written", arguments.output}}));
  return kExitClean;
}

int artifacts_rm(const ArtifactsArguments& arguments) {
  const auto store = open_existing_store(arguments);
  const ArtifactScope scope = scope_argument(arguments.scope);
  int exit_code = kExitClean;
  json::ArrayBuilder removed;
  for (const std::string& ref : arguments.refs) {
    if (!store->head(scope, ref)) {
      exit_code = not_there(ref);
      continue;
    }
    store->remove(scope, ref);
    removed.add(ref);
    if (!arguments.as_json) print_text(fmt::format("removed {}\n", ref));
  }
  if (arguments.as_json) print_json(json::object({{"removed", removed.build()}}));
  return exit_code;
}

int artifacts_rows(const ArtifactsArguments& arguments) {
  const auto store = open_existing_store(arguments);
  RowsOptions options;
  options.offset = arguments.offset;
  options.limit = arguments.limit;
  options.columns = arguments.columns;
  options.at = text_or_none(arguments.at);
  const auto page = read_rows(*store, scope_argument(arguments.scope), arguments.ref, options);
  if (!page) return not_there(arguments.ref);
  if (arguments.as_json) {
    print_json(to_json(*page));
    return kExitClean;
  }
  print_rows(page->rows);
  if (page->more) {
    fmt::print(stderr, "more: --offset {}\n", page->offset + page->rows.size());
  }
  return kExitClean;
}

int artifacts_query(const ArtifactsArguments& arguments) {
  const auto store = open_existing_store(arguments);
  const ArtifactScope scope = scope_argument(arguments.scope);
  QueryOptions options;
  options.at = text_or_none(arguments.at);
  if (!arguments.kind.empty()) options.kind = arguments.kind;
  if (arguments.mint) {
    const ArtifactBinding binding = bind_artifacts(store, scope, ArtifactOrigin(), nullptr);
    const auto answer = query_artifact(binding.artifacts(), arguments.ref, arguments.sql, options);
    if (!answer) return not_there(arguments.ref);
    if (arguments.as_json) {
      print_json(to_json(*answer));
    } else {
      print_text(fmt::format("{} ({} rows)\n", answer->child.ref, answer->rows));
    }
    return kExitClean;
  }
  const auto rows = query_rows(*store, scope, arguments.ref, arguments.sql, options);
  if (!rows) return not_there(arguments.ref);
  if (arguments.as_json) {
    print_json(rows->rows);
  } else {
    print_rows(rows->rows);
  }
  return kExitClean;
}

int artifacts_lineage(const ArtifactsArguments& arguments) {
  const auto store = open_existing_store(arguments);
  const auto lineage = lineage_of(*store, scope_argument(arguments.scope), arguments.ref);
  if (!lineage) return not_there(arguments.ref);
  if (arguments.dot) {
    print_text(lineage_to_dot(*lineage));
  } else if (arguments.as_json) {
    print_json(to_json(*lineage));
  } else {
    TextTable table({"distance", "ref", "kind", "label", "query"});
    for (const LineageNode& node : lineage->nodes) {
      const ArtifactMeta meta = node.meta.value_or(ArtifactMeta());
      table.add({std::to_string(node.distance), node.ref, node.meta ? meta.kind : "gone",
                 meta.label.value_or(""), meta.origin.query.value_or("")});
    }
    print_text(table.to_text());
  }
  return kExitClean;
}

}  // namespace agentfootprint
