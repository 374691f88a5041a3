// `artifacts.damage`: the steps of `artifacts.script`, and steps below the store's verbs.
//
// `mint` {count}; `ref` {values}; `address` {scope, root?}; `segment` {field}; `plan` {rows,
// incoming, retention?, now}; `dials` {} (memory); `putStream` {scope, kind, mediaType, data,
// bytes?, …}; `getStream` {scope, ref}; `files` {modes?}; `damage` {how, file, …}; `open` {store,
// path}; `sql` {path, sql}; `close` {}; `fsck` {mend?}; `facts` {scope, kinds}.
// Names of files may hold `$k` for the ticket of step k.
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "agentfootprint/artifacts/capability.hpp"
#include "agentfootprint/artifacts/file_store.hpp"
#include "agentfootprint/artifacts/memory_store.hpp"
#include "agentfootprint/artifacts/scope.hpp"
#include "agentfootprint/artifacts/sqlite_store.hpp"
#include "agentfootprint/artifacts/ticket.hpp"
#include "agentfootprint/cli/artifact_script.hpp"
#include "agentfootprint/cli/eval_messages.hpp"
#include "tests/functions/functions.hpp"

namespace agentfootprint::text_cases {
namespace {

namespace fs = std::filesystem;
using json::Kind;
using json::Value;

std::string text_of(const Value& step, std::string_view key) {
  return eval_required_text(step, key);
}

std::uint64_t count_of(const Value& step, std::string_view key) {
  const auto count = eval_required(step, key, Kind::number).as_uint64();
  if (!count) eval_refuse(key, "a count is a whole number");
  return *count;
}

std::string with_tickets(std::string text, const ScriptRefs& made) {
  for (auto one = made.all().rbegin(); one != made.all().rend(); ++one) {
    const std::string mark = fmt::format("${}", one->first);
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
      text.replace(at, mark.size(), one->second);
    }
  }
  return text;
}

std::string without_tickets(std::string text, const ScriptRefs& made) {
  for (const auto& [step, ref] : made.all()) {
    for (std::size_t at = text.find(ref); !ref.empty() && at != std::string::npos;
         at = text.find(ref, at)) {
      text.replace(at, ref.size(), fmt::format("${}", step));
    }
  }
  return text;
}

std::string place_of(ScriptStore& script, const Value& step, std::string_view key,
                     const ScriptRefs& made) {
  return script.folder().path(with_tickets(text_of(step, key), made));
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// ---- what needs no store

Value mint(const Value& step) {
  SystemRandom random;
  std::set<std::string> seen;
  std::uint64_t well_formed = 0;
  for (std::uint64_t i = 0; i < count_of(step, "count"); ++i) {
    const std::string ref = mint_artifact_ref(random);
    const bool right = is_artifact_ref(ref) && ref.starts_with("art_") && ref.size() == 26;
    well_formed += right ? 1U : 0U;
    seen.insert(ref);
  }
  return json::object({{"distinct", seen.size()}, {"wellFormed", well_formed}});
}

Value are_refs(const Value& step) {
  json::ArrayBuilder out;
  for (const std::string& text : eval_texts(step, "values")) out.add(is_artifact_ref(text));
  return json::object({{"valid", out.build()}});
}

Value address(const Value& step) {
  const ArtifactScope scope = artifact_scope_from_json(eval_required(step, "scope", Kind::object));
  json::ArrayBuilder segments;
  for (const std::string& segment : scope_segments(scope)) segments.add(segment);
  const Value* root = eval_optional(step, "root", Kind::string);
  const std::string above =
      root == nullptr ? std::string() : normalize_key_root("s3", *root->as_string());
  return json::object({{"namespace", identity_namespace(scope)},
                       {"segments", segments.build()},
                       {"prefix", scope_key_prefix(scope, above)}});
}

Value plan(const Value& step) {
  std::vector<RetentionRow> rows;
  for (const Value& row : eval_required(step, "rows", Kind::array).elements()) {
    RetentionRow one;
    one.ref = one.kind = text_of(row, "ref");
    one.bytes = count_of(row, "bytes");
    if (const Value* at = eval_optional(row, "expiresAt", Kind::number)) {
      one.expires_at = at->as_int64();
    }
    one.last_accessed_at = static_cast<std::int64_t>(count_of(row, "last"));
    rows.push_back(std::move(one));
  }
  const Value* dials = eval_optional(step, "retention", Kind::object);
  const RetentionPlan done =
      plan_retention(std::move(rows), count_of(step, "incoming"),
                     dials == nullptr ? ArtifactRetention() : retention_from_json(*dials),
                     static_cast<std::int64_t>(count_of(step, "now")));
  json::ArrayBuilder swept;
  for (const SweptArtifact& one : done.swept) swept.add(to_json(one));
  json::ObjectBuilder out;
  out.add("swept", swept.build());
  if (done.refusal) {
    out.add("refusal", true).add("namesBytes", done.refusal->find("byte") != std::string::npos);
  }
  return out.build();
}

// ---- the store below its verbs

Value put_stream(ScriptStore& script, const Value& step, ScriptRefs& made, std::size_t index) {
  ArtifactStreamPutInput input;
  static_cast<ArtifactDeclaration&>(input) = put_input_from_json(made.with_parents(step));
  if (const Value* bytes = eval_optional(step, "bytes", Kind::number)) {
    input.bytes = bytes->as_uint64();
  }
  StringSource body(text_of(step, "data"));
  const auto done = script.store()->put_stream(
      artifact_scope_from_json(eval_required(step, "scope", Kind::object)), input, body);
  made.note(index, done.meta.ref);
  json::ArrayBuilder swept;
  for (const SweptArtifact& one : done.swept) swept.add(to_json(one));
  return json::object({{"meta", to_json(done.meta)}, {"swept", swept.build()}});
}

// What a stream gave before it failed is told too.
Value get_stream(ScriptStore& script, const Value& step, const ScriptRefs& made) {
  auto stream = script.store()->get_stream(
      artifact_scope_from_json(eval_required(step, "scope", Kind::object)), made.ref_of(step));
  if (!stream) return {};
  std::string bytes;
  char buffer[7];  // several reads even of a short payload
  json::ObjectBuilder out;
  out.add("meta", to_json(stream->meta));
  try {
    while (const std::size_t got = stream->body->read(buffer, sizeof buffer)) {
      bytes.append(buffer, got);
    }
  } catch (const ArtifactIntegrityError& error) {
    out.add("failed", error.code());
  }
  return out.add("data", bytes).build();
}

Value files(ScriptStore& script, const Value& step, const ScriptRefs& made) {
  std::vector<std::string> names;
  const fs::path top = script.folder().path();
  for (const auto& entry : fs::recursive_directory_iterator(top)) {
    const std::string name = entry.path().filename().string();
    const bool folder = entry.is_directory() && !entry.is_symlink();
    if (name == ".lock" || name == ".gate" || name == ".changes") continue;
    if (folder && !step.contains("modes")) continue;
    std::string shown = without_tickets(entry.path().lexically_relative(top).string(), made);
    if (step.contains("modes")) {
      struct stat status{};
      lstat(entry.path().c_str(), &status);
      shown = fmt::format("{:04o} {}", status.st_mode & 0777U, shown);
    }
    names.push_back(std::move(shown));
  }
  std::sort(names.begin(), names.end());
  json::ArrayBuilder out;
  for (const std::string& name : names) out.add(name);
  return json::object({{"files", out.build()}});
}

Value damage(ScriptStore& script, const Value& step, const ScriptRefs& made) {
  const std::string how = text_of(step, "how");
  const std::string file = place_of(script, step, "file", made);
  const auto other = [&] { return place_of(script, step, "to", made); };
  if (how == "write") {
    write_file(file, with_tickets(text_of(step, "text"), made));
  } else if (how == "replace") {
    std::string bytes = read_file(file);
    const std::string from = text_of(step, "from");
    const std::size_t at = bytes.find(from);
    if (at == std::string::npos) eval_refuse("from", "the file does not hold that");
    write_file(file, bytes.replace(at, from.size(), text_of(step, "with")));
  } else if (how == "flip") {
    std::string bytes = read_file(file);
    char& byte = bytes.at(count_of(step, "at"));
    byte = static_cast<char>(byte ^ 1);
    write_file(file, bytes);
  } else if (how == "truncate") {
    fs::resize_file(file, count_of(step, "size"));
  } else if (how == "delete") {
    if (!fs::remove(file)) eval_refuse("file", "there is no such file to delete");
  } else if (how == "move") {
    fs::rename(file, other());
  } else if (how == "copy") {
    fs::copy_file(file, other());
  } else if (how == "link") {
    fs::create_symlink(other(), file);
  } else if (how == "folder") {
    fs::create_directories(file);
  } else {
    eval_refuse("how", "how is write, replace, flip, truncate, delete, move, copy, link, folder");
  }
  return json::object({});
}

Value open(ScriptStore& script, const Value& step) {
  const std::string path = text_of(step, "path");
  const bool as_it_is = path == ":memory:" || path.find_first_not_of(' ') == std::string::npos;
  const std::string place = as_it_is ? path : script.folder().path(path);
  try {
    if (text_of(step, "store") == "file") {
      FileArtifactStore store(place, script.options());
    } else {
      SqliteArtifactStore store(place, script.options());
      return json::object({{"journalMode", store.journal_mode()}});
    }
  } catch (const UnreadableArtifactStoreError& error) {
    return json::object({{"code", error.code()}, {"problem", error.problem()}});
  }
  return json::object({});
}

Value run_sql(ScriptStore& script, const Value& step) {
  sqlite3* db = nullptr;
  sqlite3_open(script.folder().path(text_of(step, "path")).c_str(), &db);
  const int code = sqlite3_exec(db, text_of(step, "sql").c_str(), nullptr, nullptr, nullptr);
  const std::string why = sqlite3_errmsg(db);
  sqlite3_close(db);
  if (code != SQLITE_OK) eval_refuse("sql", why);
  return json::object({});
}

Value fsck(ScriptStore& script, const Value& step) {
  std::vector<std::string> kinds;
  for (const StoreProblem& one :
       script.store()->inspection()->fsck(step.contains("mend"), nullptr)) {
    kinds.push_back(one.mended ? one.kind + ", mended" : one.kind);
  }
  std::sort(kinds.begin(), kinds.end());
  json::ArrayBuilder out;
  for (const std::string& kind : kinds) out.add(kind);
  return json::object({{"problems", out.build()}});
}

Value dials(const ScriptStore& script) {
  const auto& memory = dynamic_cast<const MemoryArtifactStore&>(*script.store());
  return json::object({{"dropped", memory.dropped()},
                       {"maxBytesPerScope", memory.retention().max_bytes_per_scope.value_or(0)},
                       {"maxCountPerScope", memory.retention().max_count_per_scope.value_or(0)}});
}

// Puts of one byte through the capability of one call, and all it told.
Value facts(ScriptStore& script, const Value& step) {
  json::ArrayBuilder told;
  const ArtifactBinding binding = bind_artifacts(
      script.store(), artifact_scope_from_json(eval_required(step, "scope", Kind::object)),
      ArtifactOrigin(), [&told](const ArtifactFact& fact) {
        told.add(json::with_member(to_json(fact), "fact", name_of(fact.kind)));
      });
  for (const std::string& kind : eval_texts(step, "kinds")) {
    binding.artifacts().put(PutArtifactInput(kind, "text/plain", ArtifactPayload::text("1")));
  }
  return json::object({{"facts", told.build()}});
}

std::optional<Value> damage_step(ScriptStore& script, const Value& step, ScriptRefs& made,
                                 std::size_t index) {
  const std::string op = text_of(step, "op");
  if (op == "mint") return mint(step);
  if (op == "ref") return are_refs(step);
  if (op == "address") return address(step);
  if (op == "segment") {
    const std::string segment = scope_segment(text_of(step, "field"));
    return json::object({{"segment", segment}, {"size", segment.size()}});
  }
  if (op == "plan") return plan(step);
  if (op == "dials") return dials(script);
  if (op == "putStream") return put_stream(script, step, made, index);
  if (op == "getStream") return get_stream(script, step, made);
  if (op == "files") return files(script, step, made);
  if (op == "damage") return damage(script, step, made);
  if (op == "open") return open(script, step);
  if (op == "sql") return run_sql(script, step);
  if (op == "fsck") return fsck(script, step);
  if (op == "facts") return facts(script, step);
  if (op == "close") {
    script.store()->close();
    return json::object({});
  }
  return std::nullopt;
}

Value artifacts_damage(const Value& in) {
  return run_artifact_script(in, damage_step);
}

// ---- datasets.execute

// `$KEY` in a projection is the ticket of that dataset, null when it has none.
Value with_published(const Value& value, const std::vector<DatasetPublication>& published) {
  if (value.is_array()) {
    json::ArrayBuilder out;
    for (const Value& element : value.elements()) out.add(with_published(element, published));
    return out.build();
  }
  if (value.is_object()) {
    json::ObjectBuilder out;
    for (const json::Member& member : value.members()) {
      out.add(member.key(), with_published(member.value, published));
    }
    return out.build();
  }
  const auto text = value.as_string();
  for (const DatasetPublication& one : published) {
    if (text != "$" + one.key) continue;
    return one.artifact.stored() ? Value(one.artifact.meta->ref) : Value();
  }
  return value;
}

// Texts spelled `x*70000` become so many of that letter, so that a case stays short.
Value with_long_texts(const Value& value) {
  if (value.is_array()) {
    json::ArrayBuilder out;
    for (const Value& element : value.elements()) out.add(with_long_texts(element));
    return out.build();
  }
  if (value.is_object()) {
    json::ObjectBuilder out;
    for (const json::Member& member : value.members()) {
      out.add(member.key(), with_long_texts(member.value));
    }
    return out.build();
  }
  const auto text = value.as_string();
  if (!text || !text->starts_with("x*")) return value;
  return Value(std::string(std::stoul(std::string(text->substr(2))), 'x'));
}

// The datasets of a plan; `$k` in their parents is the k-th artifact of `before`.
std::vector<DatasetArtifactInput> datasets_of(const Value& plan, const ScriptRefs& before) {
  json::ArrayBuilder out;
  for (const Value& one : plan.at("datasets").elements()) {
    out.add(json::with_member(one, "artifact", before.with_parents(one.at("artifact"))));
  }
  return datasets_from_json(out.build());
}

// Whose child is the dataset? Its source's, or one of `before`.
Value parents_of(const DatasetPublication& one, const ScriptRefs& before) {
  json::ArrayBuilder out;
  if (!one.artifact.stored()) return out.build();
  for (const std::string& parent : one.artifact.meta->parent_refs) {
    const bool source = one.source && one.source->stored() && one.source->meta->ref == parent;
    out.add(source ? "source" : without_tickets(parent, before));
  }
  return out.build();
}

// {store, scope, before?, withoutStore?, returns | throws, describe?: {datasets, project}, fail?} →
// {result, same, described, projected, puts, publications, parents}.
Value datasets_execute(const Value& in) {
  ScriptStore script(in);
  const ArtifactScope scope = artifact_scope_from_json(eval_required(in, "scope", Kind::object));
  ScriptRefs before;
  if (const Value* puts = eval_optional(in, "before", Kind::array)) {
    for (std::size_t i = 0; i < puts->size(); ++i) {
      before.note(i, script.store()->put(scope, put_input_from_json(puts->elements()[i])).meta.ref);
    }
  }
  const Value* planned = eval_optional(in, "describe", Kind::object);
  const auto datasets =
      planned == nullptr ? std::vector<DatasetArtifactInput>() : datasets_of(*planned, before);
  const auto failing =
      std::make_shared<FailingStore>(script.store(), datasets, eval_texts(in, "fail"));
  const Value raw = in.contains("returns") ? with_long_texts(in.at("returns")) : Value();
  int described = 0;
  int projected = 0;
  json::ArrayBuilder publications;
  json::ArrayBuilder parents;
  const auto describe = [&](const Value&, const Value&) -> std::optional<DatasetResultPlan> {
    ++described;
    if (planned == nullptr) return std::nullopt;
    DatasetResultPlan plan;
    plan.datasets = datasets;
    if (!planned->contains("project")) return plan;
    plan.project = [&](const std::vector<DatasetPublication>& published) {
      ++projected;
      for (const DatasetPublication& one : published) {
        publications.add(to_json(one));
        parents.add(parents_of(one, before));
      }
      return with_published(planned->at("project"), published);
    };
    return plan;
  };
  const ArtifactExecute execute = with_dataset_artifacts(
      [&](const Value&, ArtifactContext&) -> Value {
        if (in.contains("throws")) throw std::out_of_range(text_of(in, "throws"));
        return raw;
      },
      describe);
  ArtifactOrigin origin;
  origin.run_id = "run-1";
  const ArtifactBinding binding = bind_artifacts(
      failing, artifact_scope_from_json(eval_required(in, "scope", Kind::object)), origin, nullptr);
  ArtifactContext context =
      in.contains("withoutStore") ? ArtifactContext() : ArtifactContext(binding.artifacts());
  json::ObjectBuilder out;
  try {
    const Value result = execute(json::object({}), context);
    out.add("result", result).add("same", result.same_storage(raw));
  } catch (const std::out_of_range& mine) {
    out.add("threw", mine.what());
  } catch (const Refusal& refusal) {
    out.add("refused", json::object({{"code", refusal.code()}, {"field", refusal.field()}}));
  }
  return out.add("described", described)
      .add("projected", projected)
      .add("puts", failing->puts())
      .add("publications", publications.build())
      .add("parents", parents.build())
      .build();
}

}  // namespace

std::vector<EvalFunction> artifact_functions() {
  return {{"artifacts.damage", artifacts_damage}, {"datasets.execute", datasets_execute}};
}

}  // namespace agentfootprint::text_cases
