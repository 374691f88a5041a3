// The temporary table a query runs over.
#include "agentfootprint/artifacts/internal/query_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "agentfootprint/artifacts/internal/base64.hpp"
#include "agentfootprint/base/clock.hpp"
#include "agentfootprint/base/utf8.hpp"
#include "agentfootprint/json/decimal.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

using json::Value;

constexpr std::size_t kMaxColumns = 1'000;
constexpr int kCheckEvery = 10'000;  // steps of SQLite's machine between looks at the clock

[[noreturn]] void refuse(const std::string& message) {
  throw Refusal("artifact-query", "sql", "query: " + message);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// The name of a column in SQL, where a name ends at a NUL.
std::string sql_name(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '\0', ' ');
  return out;
}

std::string quoted(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

// A CSV field that is written like a JSON number is one; `007` and `+1` stay texts.
bool reads_as_number(std::string_view text) {
  if (text.empty() || text.size() > 400) return false;
  const std::string_view digits = text.front() == '-' ? text.substr(1) : text;
  if (digits.empty() || digits.front() < '0' || digits.front() > '9') return false;
  if (digits.size() > 1 && digits.front() == '0' && digits[1] >= '0' && digits[1] <= '9')
    return false;
  return digits.back() != '.' && json::Decimal::parse(text).has_value();
}

// Reading of tables other than the rows would reach SQLite's own. Without a column nothing is read,
// and the table may be a name the statement itself gave, as in `WITH t AS (…) SELECT count(*)`.
bool may_read(const char* table, const char* column) {
  const std::string_view name = table == nullptr ? "" : table;
  if (column == nullptr || *column == '\0') return true;
  return name == "rows" || name == "json_each" || name == "json_tree" || name.empty();
}

// printf and format write as wide as they are told and are not interrupted while they do.
bool may_call(const char* function) {
  const std::string name = lower(function == nullptr ? "" : function);
  return name != "load_extension" && name != "readfile" && name != "writefile" && name != "edit" &&
         name != "fts3_tokenizer" && name != "randomblob" && name != "zeroblob" &&
         name != "printf" && name != "format";
}

int authorize(void*, int action, const char* first, const char* second, const char*, const char*) {
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      return SQLITE_OK;
    case SQLITE_READ:
      return may_read(first, second) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION:
      return may_call(second) ? SQLITE_OK : SQLITE_DENY;
    default:
      return SQLITE_DENY;
  }
}

int out_of_time(void* deadline) {
  const auto at = *static_cast<const std::int64_t*>(deadline);
  return SystemClock::instance().steady_ns() > at ? 1 : 0;
}

Value column_value(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return Value(static_cast<std::int64_t>(sqlite3_column_int64(statement, column)));
    case SQLITE_FLOAT: {
      const double number = sqlite3_column_double(statement, column);
      if (std::isfinite(number)) return Value(number);
      return Value(number > 0 ? "Infinity" : "-Infinity");
    }
    case SQLITE_TEXT: {
      const std::string_view text(
          reinterpret_cast<const char*>(sqlite3_column_text(statement, column)),
          static_cast<std::size_t>(sqlite3_column_bytes(statement, column)));
      return utf8::is_valid(text) ? Value(text) : Value(utf8::sanitize(text));
    }
    case SQLITE_BLOB: {
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, column));
      const void* data = sqlite3_column_blob(statement, column);
      return Value(base64_encode({static_cast<const char*>(data), data == nullptr ? 0 : size}));
    }
    default:
      return {};
  }
}

std::size_t value_bytes(const Value& value) {
  if (const auto text = value.as_string()) return text->size() + 2;
  return 8;
}

void limit_connection(sqlite3* db) {
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 16 << 20);
  sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 64 << 10);
  sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 200);
  sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 50);
  sqlite3_limit(db, SQLITE_LIMIT_VDBE_OP, 250'000);
  sqlite3_limit(db, SQLITE_LIMIT_FUNCTION_ARG, 64);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 256);
  sqlite3_limit(db, SQLITE_LIMIT_VARIABLE_NUMBER, 0);
  sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 0);
  sqlite3_limit(db, SQLITE_LIMIT_WORKER_THREADS, 0);
}

}  // namespace

// A database without a name is a private file that SQLite unlinks as soon as it is open: rows are
// left nowhere, however the process ends.
QueryTable::QueryTable(bool texts_may_be_numbers)
    : texts_may_be_numbers_(texts_may_be_numbers),
      connection_("", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 1'000) {
  connection_.execute("PRAGMA page_size = 8192");
  connection_.execute("PRAGMA journal_mode = OFF");
  connection_.execute("PRAGMA synchronous = OFF");
  connection_.execute("PRAGMA cache_size = -16384");
  connection_.execute("BEGIN");
}

void QueryTable::add_columns(const Value& row) {
  for (const json::Member& member : row.members()) {
    if (columns_.contains(std::string(member.key()))) continue;
    if (columns_.size() >= kMaxColumns) refuse("the rows have more than 1,000 columns");
    insert_.reset();
    const std::string plain = sql_name(member.key());
    std::string name = plain;
    // SQL compares names without regard to case.
    for (int n = 2; !folded_.insert(lower(name)).second; ++n) name = fmt::format("{}_{}", plain, n);
    const std::string sql = columns_.empty()
                                ? fmt::format("CREATE TABLE rows({})", quoted(name))
                                : fmt::format("ALTER TABLE rows ADD COLUMN {}", quoted(name));
    connection_.execute(sql.c_str());
    columns_.emplace(std::string(member.key()), static_cast<int>(columns_.size()) + 1);
    names_.emplace_back(member.key());
  }
}

void QueryTable::prepare_insert() {
  std::string sql = "INSERT INTO rows VALUES(?";
  for (std::size_t i = 1; i < columns_.size(); ++i) sql += ",?";
  insert_ = std::make_unique<Statement>(connection_.handle(), sql + ")");
}

// As an integer or a real when SQL can hold it exactly, else as its text.
void QueryTable::bind_number(int index, const Value& number) {
  if (const auto integer = number.as_int64()) {
    insert_->bind(index, *integer);
    return;
  }
  const auto text = *number.number_text();
  const double near = number.as_double().value_or(NAN);
  bool same = false;
  if (std::isfinite(near)) {
    const std::string shortest = json::number_text(near);
    same = shortest == text;
    if (!same) {
      const auto exact = json::Decimal::parse(text);
      same = exact && json::Decimal::parse(shortest) == exact;
    }
  }
  if (same) {
    insert_->bind_double(index, near);
  } else {
    insert_->bind_text(index, text);
  }
}

void QueryTable::bind(int index, const Value& value) {
  if (const auto text = value.as_string()) {
    if (texts_may_be_numbers_ && reads_as_number(*text)) {
      bind_number(index, Value::number(*text));
    } else {
      insert_->bind_text(index, *text);
    }
  } else if (value.is_number()) {
    bind_number(index, value);
  } else if (const auto flag = value.as_bool()) {
    insert_->bind(index, std::int64_t{*flag ? 1 : 0});
  } else if (value.is_null()) {
    insert_->bind_null(index);
  } else {
    insert_->bind_text(index, json::dump(value));
  }
}

// The columns of a row's members into `places_`; false when one is not there yet. Rows mostly name
// their columns in one order: the expected place is looked at first.
bool QueryTable::places_of(const Value& row) {
  places_.clear();
  for (const json::Member& member : row.members()) {
    const std::size_t expected = places_.size();
    if (expected < names_.size() && names_[expected] == member.key()) {
      places_.push_back(static_cast<int>(expected) + 1);
      continue;
    }
    const auto found = columns_.find(std::string(member.key()));
    if (found == columns_.end()) return false;
    places_.push_back(found->second);
  }
  return true;
}

void QueryTable::add(const Value& row) {
  if (!places_of(row)) {
    add_columns(row);
    (void)places_of(row);
  }
  if (columns_.empty()) {
    ++bare_rows_;
    return;
  }
  insert_bare_rows();
  if (insert_ == nullptr) prepare_insert();
  insert_->fresh();
  std::size_t at = 0;
  for (const json::Member& member : row.members()) bind(places_[at++], member.value);
  insert_->run();
}

// Rows without a member that came before there was a column.
void QueryTable::insert_bare_rows() {
  if (bare_rows_ == 0) return;
  Statement row(connection_.handle(), "INSERT INTO rows DEFAULT VALUES");
  for (; bare_rows_ > 0; --bare_rows_) row.fresh().run();
}

void QueryTable::seal() {
  if (columns_.empty()) connection_.execute("CREATE TABLE rows(value)");
  insert_bare_rows();
  insert_.reset();
  connection_.execute("COMMIT");
  connection_.execute("PRAGMA query_only = ON");
  // Declared by their first use, which the authorizer would take for a change of the schema.
  connection_.execute("SELECT 1 FROM json_each('[]'), json_tree('[]')");
  sqlite3* db = connection_.handle();
  // A misspelt "column" is an error, not a text.
  sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  limit_connection(db);
  sqlite3_set_authorizer(db, authorize, nullptr);
}

namespace {

using Prepared = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

// Nothing but white space, comments and semicolons.
bool is_empty_statement(sqlite3* db, const char* sql) {
  while (sql != nullptr && *sql != '\0') {
    sqlite3_stmt* raw = nullptr;
    const char* tail = nullptr;
    const int code = sqlite3_prepare_v2(db, sql, -1, &raw, &tail);
    const Prepared statement(raw, &sqlite3_finalize);
    if (code != SQLITE_OK || raw != nullptr) return false;
    if (tail == sql) break;
    sql = tail;
  }
  return true;
}

Prepared prepare_select(sqlite3* db, const std::string& sql) {
  if (sql.size() > (64U << 10)) refuse("the statement is longer than 64 KiB");
  if (sql.find('\0') != std::string::npos) refuse("the statement holds a NUL, where SQL ends");
  sqlite3_stmt* raw = nullptr;
  const char* tail = nullptr;
  const int code = sqlite3_prepare_v2(db, sql.c_str(), static_cast<int>(sql.size()), &raw, &tail);
  Prepared statement(raw, &sqlite3_finalize);
  if (code == SQLITE_AUTH) refuse("only one SELECT over the table rows is allowed");
  if (code != SQLITE_OK) refuse(utf8::printable(sqlite3_errmsg(db)));
  if (raw == nullptr) refuse("there is no statement");
  if (!is_empty_statement(db, tail)) refuse("give one statement, without a second behind it");
  if (sqlite3_stmt_readonly(raw) == 0 || sqlite3_stmt_isexplain(raw) != 0 ||
      sqlite3_column_count(raw) == 0) {
    refuse("only one SELECT over the table rows is allowed");
  }
  return statement;
}

// The names of the result, each once.
std::vector<std::string> result_columns(sqlite3_stmt* statement) {
  std::vector<std::string> columns;
  std::set<std::string> taken;
  for (int c = 0; c < sqlite3_column_count(statement); ++c) {
    const std::string plain = sqlite3_column_name(statement, c);
    std::string name = plain;
    for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", plain, n);
    columns.push_back(std::move(name));
  }
  return columns;
}

}  // namespace

QueryRows QueryTable::run(const std::string& sql, const QueryOptions& options) {
  sqlite3* db = connection_.handle();
  std::int64_t deadline = SystemClock::instance().steady_ns() + options.time_ms * 1'000'000;
  sqlite3_progress_handler(db, kCheckEvery, out_of_time, &deadline);
  const Prepared statement = prepare_select(db, sql);
  QueryRows out;
  out.columns = result_columns(statement.get());
  json::ArrayBuilder rows;
  std::uint64_t bytes = 0;
  for (;;) {
    const int step = sqlite3_step(statement.get());
    if (step == SQLITE_DONE) break;
    if (step == SQLITE_INTERRUPT) {
      refuse(fmt::format("it took longer than {} ms: filter or aggregate more", options.time_ms));
    }
    if (step != SQLITE_ROW) refuse(utf8::printable(sqlite3_errmsg(db)));
    if (rows.size() >= options.max_rows) {
      refuse(fmt::format("the result has more than {} rows: aggregate or add LIMIT",
                         options.max_rows));
    }
    std::vector<json::Member> members;
    for (std::size_t c = 0; c < out.columns.size(); ++c) {
      Value value = column_value(statement.get(), static_cast<int>(c));
      bytes += value_bytes(value) + out.columns[c].size() + 4;
      members.emplace_back(std::string_view(out.columns[c]), std::move(value));
    }
    if (bytes > options.max_bytes) {
      refuse(fmt::format("the result is larger than {} bytes: select fewer columns or rows",
                         options.max_bytes));
    }
    rows.add(json::object(std::move(members)));
  }
  sqlite3_progress_handler(db, 0, nullptr, nullptr);
  out.rows = rows.build();
  return out;
}

}  // namespace agentfootprint::artifacts_internal
