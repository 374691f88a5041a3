// Benchmarks of the artifact stores. Results are kept in bench/results.md.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "agentfootprint/artifacts/file_store.hpp"
#include "agentfootprint/artifacts/internal/temporary_folder.hpp"
#include "agentfootprint/artifacts/memory_store.hpp"
#include "agentfootprint/artifacts/query.hpp"
#include "agentfootprint/artifacts/rows.hpp"
#include "agentfootprint/artifacts/sqlite_store.hpp"
#include "agentfootprint/json/parse.hpp"

namespace agentfootprint {
namespace {

using artifacts_internal::TemporaryFolder;

const ArtifactScope kScope("bench");

ArtifactStoreOptions unlimited() {
  ArtifactStoreOptions options;
  options.retention.max_bytes_per_scope = std::uint64_t{1} << 40;
  options.retention.max_count_per_scope = std::uint64_t{1} << 40;
  return options;
}

PutArtifactInput kilobyte() {
  return {"note", "text/plain", ArtifactPayload::text(std::string(1'000, 'x'))};
}

void put_all(benchmark::State& state, ArtifactStore& store) {
  const PutArtifactInput input = kilobyte();
  for (auto _ : state) benchmark::DoNotOptimize(store.put(kScope, input));
  state.SetItemsProcessed(state.iterations());
}

void BM_PutMemory(benchmark::State& state) {
  MemoryArtifactStore store(unlimited(), std::uint64_t{1} << 40);
  put_all(state, store);
}
BENCHMARK(BM_PutMemory);

void BM_PutMemoryEvicting(benchmark::State& state) {
  MemoryArtifactStore store{ArtifactStoreOptions()};
  put_all(state, store);
}
BENCHMARK(BM_PutMemoryEvicting);

void put_sqlite(benchmark::State& state, SqliteStoreSettings::Sync sync) {
  const TemporaryFolder folder;
  SqliteStoreSettings settings;
  settings.sync = sync;
  SqliteArtifactStore store(folder.path("s.db"), unlimited(), settings);
  put_all(state, store);
}
void BM_PutSqliteOff(benchmark::State& state) {
  put_sqlite(state, SqliteStoreSettings::Sync::off);
}
void BM_PutSqliteNormal(benchmark::State& state) {
  put_sqlite(state, SqliteStoreSettings::Sync::normal);
}
void BM_PutSqliteFull(benchmark::State& state) {
  put_sqlite(state, SqliteStoreSettings::Sync::full);
}
BENCHMARK(BM_PutSqliteOff)->MinTime(2);
BENCHMARK(BM_PutSqliteNormal)->MinTime(2);
BENCHMARK(BM_PutSqliteFull)->MinTime(2);

// The file store in a scope that holds so many tickets: a put, a put that evicts the oldest, and a
// put with a page of the listing behind it. The baseline lists the names of a folder of two files a
// ticket.
std::unique_ptr<FileArtifactStore> filled(const TemporaryFolder& folder, std::int64_t tickets,
                                          ArtifactStoreOptions options) {
  FileStoreSettings settings;
  settings.sync = false;
  auto store = std::make_unique<FileArtifactStore>(folder.path("d"), options, settings);
  for (std::int64_t n = 0; n < tickets; ++n) (void)store->put(kScope, kilobyte());
  return store;
}

void BM_PutFileOff(benchmark::State& state) {
  const TemporaryFolder folder;
  put_all(state, *filled(folder, state.range(0), unlimited()));
}
void BM_PutFileEvicting(benchmark::State& state) {
  const TemporaryFolder folder;
  ArtifactStoreOptions options;
  options.retention.max_count_per_scope = static_cast<std::uint64_t>(state.range(0));
  put_all(state, *filled(folder, state.range(0), options));
}
void BM_PutAndListFile(benchmark::State& state) {
  const TemporaryFolder folder;
  const auto store = filled(folder, state.range(0), unlimited());
  ArtifactListOptions page;
  page.limit = 50;
  for (auto _ : state) {
    (void)store->put(kScope, kilobyte());
    benchmark::DoNotOptimize(store->list(kScope, page));
  }
}
void BM_BaselineListNames(benchmark::State& state) {
  const TemporaryFolder folder;
  for (std::int64_t n = 0; n < 2 * state.range(0); ++n) {
    std::ofstream(folder.path(fmt::format("art_{:022}", n))) << n;
  }
  for (auto _ : state) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      names.push_back(entry.path().filename().string());
    }
    benchmark::DoNotOptimize(names);
  }
}
BENCHMARK(BM_PutFileOff)->Arg(20'000);
BENCHMARK(BM_PutFileEvicting)->Arg(20'000);
BENCHMARK(BM_PutAndListFile)->Arg(20'000);
BENCHMARK(BM_BaselineListNames)->Arg(20'000);

// The baselines: a table of keys and values by SQLite itself, one transaction a row.
class PlainTable {
 public:
  explicit PlainTable(const char* sync) {
    sqlite3_open(folder_.path("b.db").c_str(), &db_);
    const std::string setup = fmt::format(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous={}; CREATE TABLE t(k TEXT PRIMARY KEY, v)",
        sync);
    sqlite3_exec(db_, setup.c_str(), nullptr, nullptr, nullptr);
    sqlite3_prepare_v2(db_, "INSERT INTO t VALUES(?1, ?2)", -1, &insert_, nullptr);
    sqlite3_prepare_v2(db_, "SELECT v FROM t WHERE k = ?1", -1, &select_, nullptr);
  }
  PlainTable(const PlainTable&) = delete;
  PlainTable& operator=(const PlainTable&) = delete;
  ~PlainTable() {
    sqlite3_finalize(insert_);
    sqlite3_finalize(select_);
    sqlite3_close(db_);
  }
  static std::string key(std::uint64_t n) { return fmt::format("{:026}", n * 7'919 % 1'000'003); }
  void run(const char* sql) { sqlite3_exec(db_, sql, nullptr, nullptr, nullptr); }
  void insert(const std::string& key, const std::string& value) {
    sqlite3_bind_text(insert_, 1, key.data(), static_cast<int>(key.size()), SQLITE_TRANSIENT);
    sqlite3_bind_blob(insert_, 2, value.data(), static_cast<int>(value.size()), SQLITE_STATIC);
    sqlite3_step(insert_);
    sqlite3_reset(insert_);
  }
  bool find(const std::string& key) {
    sqlite3_bind_text(select_, 1, key.data(), static_cast<int>(key.size()), SQLITE_TRANSIENT);
    const bool found = sqlite3_step(select_) == SQLITE_ROW;
    sqlite3_reset(select_);
    return found;
  }

 private:
  TemporaryFolder folder_;
  sqlite3* db_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  sqlite3_stmt* select_ = nullptr;
};

void baseline_insert(benchmark::State& state, const char* sync) {
  PlainTable table(sync);
  const std::string value(1'000, 'x');
  std::uint64_t n = 0;
  for (auto _ : state) table.insert(PlainTable::key(n++), value);
  state.SetItemsProcessed(state.iterations());
}
void BM_BaselineInsertOff(benchmark::State& state) {
  baseline_insert(state, "OFF");
}
void BM_BaselineInsertNormal(benchmark::State& state) {
  baseline_insert(state, "NORMAL");
}
void BM_BaselineInsertFull(benchmark::State& state) {
  baseline_insert(state, "FULL");
}
BENCHMARK(BM_BaselineInsertOff)->MinTime(2);
BENCHMARK(BM_BaselineInsertNormal)->MinTime(2);
BENCHMARK(BM_BaselineInsertFull)->MinTime(2);

// One of 10^6 tickets of one scope, made in batches.
void head_of_many(benchmark::State& state, ArtifactStore& store) {
  constexpr int kBatch = 1'000;
  std::vector<std::string> refs;
  const std::vector<ArtifactBatchEntry> batch(
      kBatch, ArtifactBatchEntry{
                  PutArtifactInput("note", "text/plain", ArtifactPayload::text("payload")), {}});
  for (int n = 0; n < state.range(0) / kBatch; ++n) {
    for (const auto& done : store.put_batch(kScope, batch)) refs.push_back(done.meta.ref);
  }
  SeededRandom random(7);
  for (auto _ : state) {
    benchmark::DoNotOptimize(store.head(kScope, refs[random.below(refs.size())]));
  }
}
void BM_HeadMemory(benchmark::State& state) {
  MemoryArtifactStore store(unlimited(), std::uint64_t{1} << 40);
  head_of_many(state, store);
}
void BM_HeadSqlite(benchmark::State& state) {
  const TemporaryFolder folder;
  SqliteStoreSettings settings;
  settings.sync = SqliteStoreSettings::Sync::off;
  SqliteArtifactStore store(folder.path("s.db"), unlimited(), settings);
  head_of_many(state, store);
}
void BM_BaselineSelect(benchmark::State& state) {
  PlainTable table("OFF");
  table.run("BEGIN");
  const std::string value(300, 'x');
  for (std::uint64_t n = 0; n < static_cast<std::uint64_t>(state.range(0)); ++n) {
    table.insert(PlainTable::key(n), value);
  }
  table.run("COMMIT");
  SeededRandom random(7);
  for (auto _ : state) {
    benchmark::DoNotOptimize(table.find(PlainTable::key(random.below(1'000'000))));
  }
}
BENCHMARK(BM_BaselineSelect)->Arg(1'000'000)->Iterations(300'000);
BENCHMARK(BM_HeadMemory)->Arg(1'000'000)->Iterations(300'000);
BENCHMARK(BM_HeadSqlite)->Arg(1'000'000)->Iterations(300'000);

// Gives a pattern of so many bytes without holding them.
class PatternSource final : public ByteSource {
 public:
  explicit PatternSource(std::uint64_t bytes) : left_(bytes) {
    for (std::size_t i = 0; i < block_.size(); ++i) block_[i] = static_cast<char>(i * 31);
  }
  std::size_t read(char* buffer, std::size_t size) override {
    const auto take =
        static_cast<std::size_t>(std::min<std::uint64_t>({size, left_, block_.size()}));
    std::copy_n(block_.data(), take, buffer);
    left_ -= take;
    return take;
  }

 private:
  std::string block_ = std::string(1 << 20, '\0');
  std::uint64_t left_;
};

double peak_mebibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

// 2 GB in and out, with a digest. Run alone to read the peak of memory.
void BM_StreamSqlite(benchmark::State& state) {
  const auto bytes = static_cast<std::uint64_t>(state.range(0)) << 20;
  const bool digest = state.range(1) != 0;
  std::string piece(1 << 20, '\0');
  for (auto _ : state) {
    const TemporaryFolder folder;
    SqliteArtifactStore store(folder.path("s.db"), unlimited());
    ArtifactStreamPutInput input("blob", "application/octet-stream", bytes);
    if (digest) input.digest = "sha-256";
    PatternSource source(bytes);
    const auto start = std::chrono::steady_clock::now();
    const std::string ref = store.put_stream(kScope, input, source).meta.ref;
    const auto middle = std::chrono::steady_clock::now();
    auto stream = store.get_stream(kScope, ref);
    std::uint64_t seen = 0;
    while (const std::size_t got = stream->body->read(piece.data(), piece.size())) seen += got;
    if (seen != bytes) state.SkipWithError("bytes are missing");
    const auto end = std::chrono::steady_clock::now();
    const auto rate = [&](auto from, auto to) {
      return static_cast<double>(bytes) / 1e6 / std::chrono::duration<double>(to - from).count();
    };
    state.counters["in_MB/s"] = rate(start, middle);
    state.counters["out_MB/s"] = rate(middle, end);
    state.counters["peak_MiB"] = peak_mebibytes();
  }
}
BENCHMARK(BM_StreamSqlite)
    ->Args({2'048, 1})
    ->Args({2'048, 0})
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

// The baseline of the stream: the same bytes into a plain file and back, flushed once at the end.
void BM_BaselineFile(benchmark::State& state) {
  const auto bytes = static_cast<std::uint64_t>(state.range(0)) << 20;
  std::string piece(1 << 20, '\0');
  for (auto _ : state) {
    const TemporaryFolder folder;
    PatternSource source(bytes);
    const auto start = std::chrono::steady_clock::now();
    std::FILE* out = std::fopen(folder.path("f").c_str(), "wb");
    while (const std::size_t got = source.read(piece.data(), piece.size())) {
      std::fwrite(piece.data(), 1, got, out);
    }
    std::fflush(out);
    fdatasync(fileno(out));
    std::fclose(out);
    const auto middle = std::chrono::steady_clock::now();
    std::FILE* in = std::fopen(folder.path("f").c_str(), "rb");
    while (std::fread(piece.data(), 1, piece.size(), in) > 0) {
    }
    std::fclose(in);
    const auto end = std::chrono::steady_clock::now();
    const double size = static_cast<double>(bytes) / 1e6;
    state.counters["in_MB/s"] = size / std::chrono::duration<double>(middle - start).count();
    state.counters["out_MB/s"] = size / std::chrono::duration<double>(end - middle).count();
  }
}
BENCHMARK(BM_BaselineFile)->Arg(2'048)->Iterations(1)->Unit(benchmark::kSecond);

// A ticket of 10^6 rows of five columns.
std::string million_rows() {
  std::string out = "[";
  for (int i = 0; i < 1'000'000; ++i) {
    out += fmt::format(
        "{}{{\"id\":{},\"vm\":\"vm-{:05}\",\"iops\":{}.{},\"site\":\"site-{}\",\"up\":{}}}",
        i == 0 ? "" : ",", i, i % 20'000, i % 977, i % 10, i % 12, i % 3 == 0);
  }
  return out + "]";
}

struct RowsFixture {
  RowsFixture() {
    SqliteStoreSettings settings;
    settings.sync = SqliteStoreSettings::Sync::off;
    store = std::make_shared<SqliteArtifactStore>(folder.path("s.db"), unlimited(), settings);
    const std::string bytes = million_rows();
    size = bytes.size();
    const auto start = std::chrono::steady_clock::now();
    ref = store
              ->put(kScope, PutArtifactInput("dataset/rows", "application/json",
                                             ArtifactPayload::from_canonical(
                                                 PayloadShape::json,
                                                 std::make_shared<const std::string>(bytes))))
              .meta.ref;
    put_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  TemporaryFolder folder;
  std::shared_ptr<SqliteArtifactStore> store;
  std::string ref;
  std::size_t size = 0;
  double put_seconds = 0;
};
RowsFixture& rows_fixture() {
  static RowsFixture fixture;
  return fixture;
}

void BM_RowsOfAMillion(benchmark::State& state) {
  RowsFixture& f = rows_fixture();
  SeededRandom random(7);
  RowsOptions options;
  options.limit = 100;
  for (auto _ : state) {
    options.offset = random.below(999'900);
    benchmark::DoNotOptimize(read_rows(*f.store, kScope, f.ref, options));
  }
  state.counters["put_with_preview_s"] = f.put_seconds;
  state.counters["payload_MB"] = static_cast<double>(f.size) / 1e6;
}
BENCHMARK(BM_RowsOfAMillion)->Unit(benchmark::kMillisecond);

// The baseline of both: reading the whole payload and parsing it once.
void BM_BaselineParseAMillion(benchmark::State& state) {
  RowsFixture& f = rows_fixture();
  for (auto _ : state) {
    const auto record = f.store->get(kScope, f.ref);
    benchmark::DoNotOptimize(json::parse(record->payload.bytes()));
  }
}
BENCHMARK(BM_BaselineParseAMillion)->Unit(benchmark::kMillisecond)->Iterations(3);

void BM_QueryAMillion(benchmark::State& state) {
  RowsFixture& f = rows_fixture();
  for (auto _ : state) {
    benchmark::DoNotOptimize(query_rows(*f.store, kScope, f.ref,
                                        "SELECT site, count(*) AS n, avg(iops) AS iops FROM rows "
                                        "WHERE up GROUP BY site ORDER BY site",
                                        QueryOptions()));
  }
}
BENCHMARK(BM_QueryAMillion)->Unit(benchmark::kSecond)->Iterations(2);

}  // namespace
}  // namespace agentfootprint
