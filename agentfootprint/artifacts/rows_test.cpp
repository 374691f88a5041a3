// Reading parts of tickets: splitting, previews, pages, queries, lineage.
#include "agentfootprint/artifacts/rows.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "agentfootprint/artifacts/internal/sqlite.hpp"
#include "agentfootprint/artifacts/internal/temporary_folder.hpp"
#include "agentfootprint/artifacts/lineage.hpp"
#include "agentfootprint/artifacts/preview.hpp"
#include "agentfootprint/artifacts/query.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint {
namespace {

using artifacts_internal::TemporaryFolder;

// Every row of a payload, fed in pieces of `piece` bytes.
std::vector<std::string> split(RowFormat format, std::string_view payload, std::size_t piece) {
  std::vector<std::string> rows;
  RowSplitter splitter(format);
  const auto take = [&](std::string_view row, std::uint64_t at) {
    EXPECT_EQ(payload.substr(at, row.size()), row);
    rows.emplace_back(row);
    return true;
  };
  for (std::size_t at = 0; at < payload.size(); at += piece) {
    splitter.feed(payload.substr(at, piece), take);
  }
  splitter.finish(take);
  return rows;
}

struct SplitCase {
  RowFormat format;
  std::string payload;
  std::vector<std::string> rows;
};

TEST(RowSplitter, CutsTheSameRowsWhateverThePieces) {
  const std::vector<SplitCase> cases{
      {RowFormat::json_array, "[]", {}},
      {RowFormat::json_array,
       " [ 1 , \"a,]\" , {\"k\":[1,{\"x\":\"]}\"}]} ,null ] \n",
       {"1", "\"a,]\"", "{\"k\":[1,{\"x\":\"]}\"}]}", "null"}},
      {RowFormat::json_array,
       R"(["\"","\\","é",[[],{}]])",
       {R"("\"")", R"("\\")", "\"é\"", "[[],{}]"}},
      {RowFormat::ndjson, "{\"a\":1}\r\n\n{\"a\":2}", {"{\"a\":1}", "{\"a\":2}"}},
      {RowFormat::csv, "a,b\n1,\"x\ny\"\r\n\"q\"\"q\",2\n", {"a,b", "1,\"x\ny\"", "\"q\"\"q\",2"}},
      // A quote inside a field is text and hides no end of a record.
      {RowFormat::csv, "5\" disk,1\n6\" disk,\"\"\n", {"5\" disk,1", "6\" disk,\"\""}},
      {RowFormat::csv, "\"a\"b\"\n\"\"\"\n\",1\n", {"\"a\"b\"", "\"\"\"\n\",1"}},
      // A byte order mark is no part of a row; the beginning of one alone is.
      {RowFormat::csv, "\xEF\xBB\xBF\"a,\n1\",b\n", {"\"a,\n1\",b"}},
      {RowFormat::ndjson, "\xEF\xBB\xBF{}\n", {"{}"}},
      {RowFormat::json_array, "\xEF\xBB\xBF[1]", {"1"}},
      {RowFormat::csv, "\xEF\xBB", {"\xEF\xBB"}},
      {RowFormat::csv, "x\n\xEF\xBB\xBFy", {"x", "\xEF\xBB\xBFy"}},
      // A blank line is no row of NDJSON; of CSV only an empty one is none.
      {RowFormat::ndjson, " \n{}\n\t \r\n\r\n  ", {"{}"}},
      {RowFormat::csv, "a\n \n\r\n\nb\r\n ", {"a", " ", "b", " "}},
  };
  for (const SplitCase& one : cases) {
    for (std::size_t piece = 1; piece <= one.payload.size(); ++piece) {
      EXPECT_EQ(split(one.format, one.payload, piece), one.rows) << one.payload << " by " << piece;
    }
  }
}

TEST(RowSplitter, NamesTheByteOfABrokenPayload) {
  for (const std::string_view bad : {"{\"a\":1}", "[1,2", "[1] 2", "[}", "x", "x[1]", "\xEF[1]"}) {
    try {
      (void)split(RowFormat::json_array, bad, 3);
      ADD_FAILURE() << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), "artifact-rows");
    }
  }
  EXPECT_THROW((void)split(RowFormat::csv, "a,\"open", 4), Error);
}

TEST(RowSplitter, CsvFields) {
  EXPECT_EQ(csv_fields("a,\"b,\"\"c\",,d"), (std::vector<std::string>{"a", "b,\"c", "", "d"}));
  EXPECT_EQ(csv_fields("5\" disk,\"a\"b\""), (std::vector<std::string>{"5\" disk", "ab\""}));
  EXPECT_EQ(csv_fields(""), std::vector<std::string>{""});
}

TEST(Preview, MeasuresColumnsAndKeepsTheDeclaredApart) {
  ArtifactMeta meta;
  meta.media_type = "application/json";
  meta.time_axis = json::object({{"column", "ts"}, {"unit", "epoch-s"}});
  const json::Value rows = json::parse_or_throw(
      R"([{"vm":"b","n":10},{"vm":"a","n":9.5,"x":null},{"vm":"c","n":"12","x":[1]}])");
  const auto preview = preview_of(meta, ArtifactPayload::json(rows));
  ASSERT_TRUE(preview);
  EXPECT_EQ(json::dump(preview->at("declared")),
            R"({"timeAxis":{"column":"ts","unit":"epoch-s"}})");
  EXPECT_EQ(json::dump(preview->at("measured").at("columns")),
            R"([{"name":"vm","types":{"string":3},"nulls":0,"missing":0,"min":"a","max":"c"},)"
            R"({"name":"n","types":{"number":2,"string":1},"nulls":0,"missing":0},)"
            R"({"name":"x","types":{"array":1},"nulls":1,"missing":1}])");
  EXPECT_EQ(preview->at("measured").at("rows").as_int64(), 3);
  EXPECT_EQ(preview->at("measured").at("first").size(), 3U);
  EXPECT_EQ(preview->at("measured").find("rowIndex"), nullptr);
}

TEST(Preview, CountsARowOnceThatNamesAColumnTwice) {
  const auto measured =
      measure_rows("application/x-ndjson", ArtifactPayload::text("{\"a\":1,\"a\":2}\n{\"b\":3}\n"));
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->at("columns").at(0).at("missing").as_int64(), 1);
}

TEST(Preview, ComparesNumbersExactly) {
  const auto measured = measure_rows(
      "application/x-ndjson",
      ArtifactPayload::text("{\"id\":19158835881748060580}\n{\"id\":19158835881748060579}\n"));
  ASSERT_TRUE(measured);
  EXPECT_EQ(json::dump(measured->at("columns").at(0).at("min")), "19158835881748060579");
}

TEST(Preview, IsAbsentForWhatIsNotRows) {
  EXPECT_FALSE(measure_rows("text/plain", ArtifactPayload::text("[1]")));
  EXPECT_FALSE(measure_rows("application/json", ArtifactPayload::json(json::object({{"a", 1}}))));
  EXPECT_FALSE(measure_rows("application/x-ndjson", ArtifactPayload::text("not json\n")));
}

// A store of each kind with one ticket of 5,000 rows in three formats.
class Reading : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::string url = GetParam() == "memory" ? "memory:" : GetParam() + ":" + folder_.path("store");
    if (GetParam() != "memory") url += "?sync=off";
    store_ = open_artifact_store(url, ArtifactStoreOptions());
  }

  std::string put(std::string media, ArtifactPayload payload) {
    return store_
        ->put(scope_, PutArtifactInput("dataset/rows", std::move(media), std::move(payload)))
        .meta.ref;
  }
  std::vector<std::string> tickets() {
    std::vector<json::Value> rows;
    std::string lines, csv = "n,name\n";
    for (int i = 0; i < 5'000; ++i) {
      rows.push_back(json::object({{"n", i}, {"name", fmt::format("row {}", i)}}));
      lines += json::dump(rows.back()) + "\n";
      csv += fmt::format("{},\"row {}\"\n", i, i);
    }
    return {put("application/json", ArtifactPayload::json(json::array(rows))),
            put("application/x-ndjson", ArtifactPayload::text(lines)),
            put("text/csv", ArtifactPayload::text(csv))};
  }

  TemporaryFolder folder_;
  std::shared_ptr<ArtifactStore> store_;
  ArtifactScope scope_{"conv-a"};
};

TEST_P(Reading, PagesFromAnyOffset) {
  for (const std::string& ref : tickets()) {
    for (const std::uint64_t offset : {0U, 1U, 1'023U, 1'024U, 3'333U, 4'999U, 5'000U, 9'999U}) {
      RowsOptions options;
      options.offset = offset;
      options.limit = 3;
      options.columns = {"name"};
      const auto page = read_rows(*store_, scope_, ref, options);
      ASSERT_TRUE(page);
      const std::size_t there = offset >= 5'000 ? 0 : std::min<std::size_t>(3, 5'000 - offset);
      ASSERT_EQ(page->rows.size(), there);
      EXPECT_EQ(page->total, 5'000U);
      EXPECT_EQ(page->more, offset + 3 < 5'000);
      if (there > 0) {
        EXPECT_EQ(json::dump(page->rows.at(0)), fmt::format(R"({{"name":"row {}"}})", offset));
      }
    }
  }
}

TEST_P(Reading, TeachesAboutColumnsAndShapes) {
  const std::string ref = tickets().front();
  RowsOptions options;
  options.columns = {"nmae"};
  try {
    (void)read_rows(*store_, scope_, ref, options);
    ADD_FAILURE();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.field(), "columns");
    EXPECT_NE(std::string(refusal.what()).find("n, name"), std::string::npos) << refusal.what();
  }
  const std::string nested = put(
      "application/json", ArtifactPayload::json(json::parse_or_throw(
                              R"({"af_semantics":true,"facts":[{"entity":"a"},{"entity":"b"}]})")));
  options.columns.clear();
  try {
    (void)read_rows(*store_, scope_, nested, options);
    ADD_FAILURE();
  } catch (const Refusal& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("/facts"), std::string::npos) << refusal.what();
  }
  options.at = "/facts";
  options.offset = 1;
  EXPECT_EQ(json::dump(read_rows(*store_, scope_, nested, options)->rows), R"([{"entity":"b"}])");
  options.at = "/none";
  EXPECT_THROW((void)read_rows(*store_, scope_, nested, options), Refusal);
  EXPECT_FALSE(read_rows(*store_, scope_, "art_AAAAAAAAAAAAAAAAAAAAAA", RowsOptions()));
}

TEST_P(Reading, EveryFieldOfCsvHasANameOfItsOwn) {
  const std::string ref = put("text/csv", ArtifactPayload::text("\xEF\xBB\xBF"
                                                                "a,a,,c3,a_2\n"
                                                                "1,2,3,4,5,6\n7\n"));
  const auto page = read_rows(*store_, scope_, ref, RowsOptions());
  EXPECT_EQ(json::dump(page->rows),
            R"([{"a":"1","a_2":"2","c3":"3","c3_2":"4","a_2_2":"5","c6":"6"},{"a":"7"}])");
  const auto sums = query_rows(*store_, scope_, ref, "SELECT sum(a) AS a, a_2 FROM rows WHERE c6",
                               QueryOptions());
  EXPECT_EQ(json::dump(sums->rows), R"([{"a":1,"a_2":2}])");
  const std::string longer = put("text/csv", ArtifactPayload::text("c2\n1,2\n"));
  EXPECT_EQ(json::dump(read_rows(*store_, scope_, longer, RowsOptions())->rows),
            R"([{"c2":"1","c2_2":"2"}])");
}

// A JSON value stays one, whatever media type its producer wrote.
TEST_P(Reading, ReadsRowsInTheFormatThatWasMeasured) {
  const json::Value rows = json::parse_or_throw(R"([{"n":"07"},{"n":"8"}])");
  for (const std::string_view media : {"text/csv", "application/x-ndjson", "text/plain"}) {
    const std::string ref = put(std::string(media), ArtifactPayload::json(rows));
    EXPECT_EQ(read_rows(*store_, scope_, ref, RowsOptions())->rows, rows) << media;
    const auto types = query_rows(*store_, scope_, ref, "SELECT DISTINCT typeof(n) AS t FROM rows",
                                  QueryOptions());
    EXPECT_EQ(json::dump(types->rows), R"([{"t":"text"}])") << media;
  }
  const std::string log = put("text/plain", ArtifactPayload::text("[note] 1\n[note] 2\n"));
  try {
    (void)read_rows(*store_, scope_, log, RowsOptions());
    ADD_FAILURE();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.field(), "ref");  // no rows at all, rather than a row that is broken
  }
}

TEST_P(Reading, PagesOfAnArrayInAnObjectAreHeldToTheSameLimits) {
  std::vector<json::Value> big;
  for (int i = 0; i < 6; ++i) big.push_back(json::object({{"s", std::string(1 << 20, 'x')}}));
  const std::string ref =
      put("application/json", ArtifactPayload::json(json::object({{"r", json::array(big)}})));
  RowsOptions options;
  options.at = "/r";
  const auto page = read_rows(*store_, scope_, ref, options);
  EXPECT_EQ(page->rows.size(), 3U);
  EXPECT_TRUE(page->cut && page->more);
  EXPECT_EQ(page->total, 6U);
  options.offset = UINT64_MAX;
  EXPECT_EQ(read_rows(*store_, scope_, ref, options)->rows.size(), 0U);
  options.columns = {"nope"};
  EXPECT_THROW((void)read_rows(*store_, scope_, ref, options), Refusal);
  options.columns = {"s", "s"};
  options.offset = 5;
  EXPECT_EQ(read_rows(*store_, scope_, ref, options)->rows.at(0).size(), 1U);
}

TEST_P(Reading, QueriesMintAChild) {
  std::vector<ArtifactFact> facts;
  ArtifactOrigin origin;
  origin.run_id = "run-1";
  const ArtifactBinding binding = bind_artifacts(
      store_, scope_, origin, [&](const ArtifactFact& fact) { facts.push_back(fact); });
  const std::string sql =
      "SELECT count(*) AS c, sum(n) AS s, max(name) AS m FROM rows WHERE n % 2 = 0";
  for (const std::string& ref : tickets()) {
    const auto answer = query_artifact(binding.artifacts(), ref, sql, QueryOptions());
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->child.parent_refs, std::vector<std::string>{ref});
    EXPECT_EQ(answer->child.origin.query, sql);
    EXPECT_EQ(answer->child.origin.run_id, "run-1");
    const auto record = store_->get(scope_, answer->child.ref);
    EXPECT_EQ(record->payload.bytes(), R"([{"c":2500,"s":6247500,"m":"row 998"}])");
    EXPECT_EQ(store_->children(scope_, ref), std::vector<std::string>{answer->child.ref});
  }
  ASSERT_EQ(facts.size(), 6U);
  for (std::size_t i = 0; i < facts.size(); i += 2) {
    EXPECT_EQ(facts[i].kind, ArtifactFact::Kind::resolved);
    EXPECT_EQ(facts[i].via, "query");
    EXPECT_EQ(facts[i + 1].kind, ArtifactFact::Kind::minted);
  }
  EXPECT_TRUE(preview_artifact(binding.artifacts(), tickets().front()));
  EXPECT_EQ(facts.back().via, "preview");
  EXPECT_TRUE(read_rows(binding.artifacts(), tickets().front(), RowsOptions()));
  EXPECT_EQ(facts.back().via, "rows");
  EXPECT_FALSE(
      query_artifact(binding.artifacts(), "art_AAAAAAAAAAAAAAAAAAAAAA", sql, QueryOptions()));
  EXPECT_EQ(facts.back().reason, ArtifactRefusalReason::missing_or_expired);
}

TEST_P(Reading, QueriesKeepNumbersExact) {
  const std::string ref =
      put("application/x-ndjson",
          ArtifactPayload::text(
              "{\"id\":19158835881748060580,\"d\":1.50,\"a\":1,\"A\":2}\n{\"id\":7,\"d\":null}\n"));
  const auto rows = query_rows(
      *store_, scope_, ref, "SELECT id, d, a, A_2 FROM rows ORDER BY typeof(id)", QueryOptions());
  EXPECT_EQ(json::dump(rows->rows), R"([{"id":7,"d":null,"a":null,"A_2":null},)"
                                    R"({"id":"19158835881748060580","d":1.5,"a":1,"A_2":2}])");
}

TEST_P(Reading, QueriesOnlyRead) {
  const std::string ref = tickets().front();
  QueryOptions options;
  options.time_ms = 300;
  options.max_rows = 100;
  for (const std::string_view sql :
       {"DELETE FROM rows",
        "INSERT INTO rows VALUES(1,2)",
        "ATTACH '/tmp/x' AS x",
        "PRAGMA user_version",
        "SELECT * FROM sqlite_master",
        "SELECT load_extension('x')",
        "SELECT 1; SELECT 2",
        "",
        "CREATE TABLE t(a)",
        "VACUUM",
        "SELECT * FROM rows",
        "SELECT zeroblob(1000000000)",
        "SELECT printf('%.*c', 1000000000, 'x')",
        "SELECT * FROM pragma_database_list",
        "BEGIN",
        "SELECT nope FROM rows",
        "SELECT \"nope\" FROM rows",
        "EXPLAIN SELECT 1",
        "-- nothing",
        "SELECT count(*) FROM pragma_database_list",
        "SELECT 1; -- one\nSELECT 2",
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c"}) {
    try {
      (void)query_rows(*store_, scope_, ref, std::string(sql), options);
      ADD_FAILURE() << sql;
    } catch (const Refusal& refusal) {
      EXPECT_EQ(refusal.code(), "artifact-query") << sql;
    }
  }
  EXPECT_THROW(
      (void)query_rows(*store_, scope_, ref, std::string("SELECT 1\0, 2", 11), QueryOptions()),
      Refusal);
  EXPECT_EQ(query_rows(*store_, scope_, ref, "SELECT 1 AS a, 2 AS a -- two", options)->columns,
            (std::vector<std::string>{"a", "a_2"}));
}

TEST_P(Reading, QueriesTakeEveryShapeOfSelectAndOfRows) {
  const auto answer = [&](const std::string& rows, const std::string& sql) {
    const std::string ref =
        put("application/json", ArtifactPayload::json(json::parse_or_throw(rows)));
    return json::dump(query_rows(*store_, scope_, ref, sql, QueryOptions())->rows);
  };
  // Rows without a member are rows, wherever they stand.
  EXPECT_EQ(answer("[{},{},{\"a\":1},{}]", "SELECT count(*) AS c FROM rows"), "[{\"c\":4}]");
  EXPECT_EQ(answer("[{},{}]", "SELECT count(*) AS c FROM rows"), "[{\"c\":2}]");
  EXPECT_EQ(answer("[]", "SELECT count(*) AS c FROM rows"), "[{\"c\":0}]");
  const std::string list = "[{\"s\":\"x\",\"l\":[1,2]},{\"s\":\"x\",\"l\":[3]}]";
  EXPECT_EQ(answer(list, "WITH t AS (SELECT DISTINCT s FROM rows) SELECT count(*) AS c FROM t"),
            "[{\"c\":1}]");
  EXPECT_EQ(answer(list, "SELECT sum(value) AS v FROM rows, json_each(rows.l); -- all; of them"),
            "[{\"v\":6}]");
  // Names that SQL takes for one name, or would end at a NUL.
  EXPECT_EQ(answer("[{\"a\\u0000b\":1,\"a b\":2,\"A B\":3,\"\":4,\"q\\\"q\":5,\"select\":6}]",
                   "SELECT * FROM rows"),
            "[{\"a b\":1,\"a b_2\":2,\"A B_3\":3,\"\":4,\"q\\\"q\":5,\"select\":6}]");
}

TEST_P(Reading, LineageWalksBothWays) {
  const auto put_child = [&](std::vector<std::string> parents) {
    PutArtifactInput input("k", "text/plain", ArtifactPayload::text("x"));
    input.parent_refs = std::move(parents);
    return store_->put(scope_, input).meta.ref;
  };
  const std::string grandparent = put_child({});
  const std::string parent = put_child({grandparent});
  const std::string root = put_child({parent, grandparent});
  const std::string child = put_child({root});
  store_->remove(scope_, grandparent);
  const auto lineage = lineage_of(*store_, scope_, root);
  ASSERT_TRUE(lineage);
  ASSERT_EQ(lineage->nodes.size(), 4U);
  EXPECT_EQ(lineage->nodes.front().ref, root);
  EXPECT_EQ(lineage->nodes.back().ref, child);
  EXPECT_EQ(lineage->edges.size(), 4U);
  int gone = 0;
  for (const LineageNode& node : lineage->nodes) gone += node.meta ? 0 : 1;
  EXPECT_EQ(gone, 1);
  EXPECT_NE(lineage_to_dot(*lineage).find(root + "\" -> \"" + child), std::string::npos);
  EXPECT_EQ(lineage_of(*store_, scope_, root, 2)->cut, true);
}

TEST(Lineage, MarksATicketWhoseRecordWasChanged) {
  const TemporaryFolder folder;
  const auto store =
      open_artifact_store("sqlite:" + folder.path("s.db?sync=off"), ArtifactStoreOptions());
  const ArtifactScope scope("c");
  PutArtifactInput input("k", "text/plain", ArtifactPayload::text("x"));
  const std::string root = store->put(scope, input).meta.ref;
  input.parent_refs = {root};
  input.kind = "other";
  const std::string child = store->put(scope, input).meta.ref;
  artifacts_internal::Connection(folder.path("s.db"), SQLITE_OPEN_READWRITE, 1'000)
      .execute("UPDATE af_artifacts SET meta = replace(meta, 'other', 'mine')");
  const auto lineage = lineage_of(*store, scope, root);
  ASSERT_TRUE(lineage);
  ASSERT_EQ(lineage->nodes.size(), 2U);
  EXPECT_EQ(state_of(lineage->nodes[0]), "live");
  EXPECT_EQ(state_of(lineage->nodes[1]), "changed");
  EXPECT_THROW((void)lineage_of(*store, scope, child), ArtifactIntegrityError);
}

INSTANTIATE_TEST_SUITE_P(Stores, Reading, testing::Values("memory", "sqlite", "file"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace agentfootprint
