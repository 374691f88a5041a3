// The subcommands of `artifacts` that read and remove tickets.
#include "agentfootprint/cli/artifacts_commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
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
  fmt::print(stderr, "artifacts: no live artifact {} in this scope\n",
             utf8::printable(utf8::clip(ref, 64)));
  return kExitFindings;
}

std::optional<std::string> text_or_none(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

json::Value with_scope(const ArtifactMeta& meta, const ArtifactScope& scope) {
  return json::with_member(to_json(meta), "scope", to_json(scope));
}

// Columns in the order they first appear.
std::vector<std::string> columns_of(const json::Value& rows) {
  std::vector<std::string> columns;
  for (const json::Value& row : rows.elements()) {
    for (const json::Member& member : row.members()) {
      const std::string name(member.key());
      if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
    }
  }
  return columns;
}

void print_rows(const json::Value& rows, const std::vector<std::string>& columns) {
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

[[noreturn]] void cannot_write(const std::string& name) {
  throw ArtifactStoreError("artifact-store-io",
                           fmt::format("{} cannot be written: {}", name, std::strerror(errno)));
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open_to_write(const std::string& name, const char* mode) {
  File file(std::fopen(name.c_str(), mode), &std::fclose);
  if (file == nullptr) cannot_write(name);
  return file;
}

// Beside the file and then in its place: what is there stays until the payload is whole and is what
// its digest says.
void write_file(ByteSource& source, const std::string& name) {
  std::error_code error;
  const fs::file_status there = fs::status(name, error);
  if (fs::exists(there) && !fs::is_regular_file(there)) {  // a pipe or a device
    write_out(source, open_to_write(name, "wb").get());
    return;
  }
  const fs::path target = fs::exists(there) ? fs::canonical(name, error) : fs::path(name);
  const std::string part = fmt::format("{}.{}.part", target.string(), getpid());
  try {
    write_out(source, open_to_write(part, "wbx").get());
    if (fs::exists(there)) fs::permissions(part, there.permissions(), error);
    if (std::rename(part.c_str(), target.c_str()) != 0) cannot_write(name);
  } catch (const Error&) {
    fs::remove(part, error);
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
  return open_existing_artifact_store(arguments.store, ArtifactStoreOptions());
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
  if (!arguments.cursor.empty() && arguments.scope.empty()) {
    throw Refusal("artifact-scope", "--scope",
                  "--cursor is a place in one scope: name it with --scope");
  }
  TextTable table({"ref", "kind", "bytes", "created", "label", "scope"});
  json::ArrayBuilder rows, more;
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
    if (!page.cursor) continue;
    cursor = page.cursor;
    more.add(json::object({{"scope", to_json(scope)}, {"cursor", *page.cursor}}));
    if (!arguments.as_json) {
      fmt::print(stderr, "more in {}: --scope {} --cursor {}\n", utf8::printable(scope_text(scope)),
                 utf8::printable(scope_text(scope)), *page.cursor);
    }
  }
  if (arguments.as_json) {
    json::ObjectBuilder out;
    out.add("artifacts", rows.build());
    if (arguments.scope.empty()) {
      if (!more.empty()) out.add("more", more.build());
    } else {
      out.add_if("cursor", cursor);
    }
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
    print_rows(*columns, columns_of(*columns));
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

namespace {

// A ticket whose record was changed is there all the same.
bool is_there(ArtifactStore& store, const ArtifactScope& scope, const std::string& ref) {
  try {
    return store.head(scope, ref).has_value();
  } catch (const ArtifactIntegrityError&) {
    return true;
  }
}

}  // namespace

int artifacts_rm(const ArtifactsArguments& arguments) {
  const auto store = open_existing_store(arguments);
  const ArtifactScope scope = scope_argument(arguments.scope);
  int exit_code = kExitClean;
  json::ArrayBuilder removed;
  for (const std::string& ref : arguments.refs) {
    try {
      if (!is_there(*store, scope, ref)) {
        exit_code = std::max(exit_code, not_there(ref));
        continue;
      }
      store->remove(scope, ref);
    } catch (const Error& error) {
      exit_code = kExitUsage;
      fmt::print(stderr, "artifacts: {}: {}\n", utf8::printable(ref),
                 utf8::printable(error.what()));
      continue;
    }
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
  if (page->rows.empty()) {
    fmt::print(stderr, "no rows from --offset {} on{}\n", page->offset,
               page->total ? fmt::format("; there are {}", *page->total) : "");
    return kExitClean;
  }
  print_rows(page->rows, columns_of(page->rows));
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
    print_rows(rows->rows, rows->columns);
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
      table.add({std::to_string(node.distance), node.ref,
                 node.meta ? meta.kind : std::string(state_of(node)), meta.label.value_or(""),
                 meta.origin.query.value_or("")});
    }
    print_text(table.to_text());
  }
  return kExitClean;
}

}  // namespace agentfootprint
