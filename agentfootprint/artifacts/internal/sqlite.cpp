// A thin owner of an SQLite connection and its statements.
#include "agentfootprint/artifacts/internal/sqlite.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "agentfootprint/artifacts/errors.hpp"
#include "agentfootprint/artifacts/internal/batch.hpp"
#include "agentfootprint/base/clock.hpp"

namespace agentfootprint::artifacts_internal {
namespace {

std::int64_t steady_ns() {
  return SystemClock::instance().steady_ns();
}

int bounded(std::size_t size) {
  if (size > 2'000'000'000) {
    throw ArtifactStoreError("artifact-store-io", "SQLite holds no value above 2 GB");
  }
  return static_cast<int>(size);
}

}  // namespace

void throw_sqlite(int code, std::string_view what) {
  const int primary = code & 0xFF;
  if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED) {
    throw ArtifactStoreError(
        "artifact-store-busy",
        fmt::format("{}: other writers held the store until the deadline; try again", what));
  }
  throw ArtifactStoreError("artifact-store-io", fmt::format("{}: SQLite says {} ({})", what,
                                                            sqlite3_errstr(code), code));
}

Statement::Statement(sqlite3* connection, std::string_view sql) {
  const char* const text = sql.data();  // its length goes with it
  const int code = sqlite3_prepare_v3(connection, text, bounded(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &handle_, nullptr);
  if (code != SQLITE_OK) throw_sqlite(code, "preparing a statement");
}

Statement::~Statement() {
  sqlite3_finalize(handle_);
}

Statement& Statement::fresh() {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  return *this;
}

Statement& Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(handle_, index, value);
  return *this;
}

Statement& Statement::bind_double(int index, double value) {
  sqlite3_bind_double(handle_, index, value);
  return *this;
}

Statement& Statement::bind(int index, const std::optional<std::int64_t>& value) {
  return value ? bind(index, *value) : bind_null(index);
}

Statement& Statement::bind_text(int index, std::string_view value) {
  sqlite3_bind_text(handle_, index, value.data() == nullptr ? "" : value.data(),
                    bounded(value.size()), SQLITE_TRANSIENT);
  return *this;
}

Statement& Statement::bind_optional_text(int index, const std::optional<std::string>& value) {
  return value ? bind_text(index, std::string_view(*value)) : bind_null(index);
}

// The bytes must live until the statement is stepped: payloads are not copied.
Statement& Statement::bind_blob(int index, std::string_view value) {
  if (value.empty()) {
    sqlite3_bind_zeroblob(handle_, index, 0);
  } else {
    sqlite3_bind_blob(handle_, index, value.data(), bounded(value.size()), SQLITE_STATIC);
  }
  return *this;
}

Statement& Statement::bind_null(int index) {
  sqlite3_bind_null(handle_, index);
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  sqlite3_reset(handle_);
  throw_sqlite(code, "a statement of the store");
}

void Statement::run() {
  while (step()) {
  }
  sqlite3_reset(handle_);
}

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(handle_, column);
  const int size = sqlite3_column_bytes(handle_, column);
  if (data == nullptr) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

Connection::Connection(const std::string& file, int flags, std::int64_t busy_ms)
    : busy_ms_(busy_ms) {
  const int code = sqlite3_open_v2(file.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    sqlite3_close(handle_);
    throw_sqlite(code, "opening the store");
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_handler(handle_, &Connection::on_busy, this);
  start_waiting();
}

Connection::~Connection() {
  statements_.clear();
  sqlite3_close(handle_);
}

void Connection::start_waiting() noexcept {
  deadline_ns_ = busy_deadline_ns(busy_ms_);
}

// Short waits first, then a few milliseconds, until the deadline: SQLite's own table of waits gives
// up by the number of tries, not by time.
int Connection::on_busy(void* self, int calls) noexcept {
  const auto* connection = static_cast<const Connection*>(self);
  if (steady_ns() >= connection->deadline_ns_) return 0;
  const auto spread = static_cast<std::int64_t>(steady_ns() & 0xFF);
  std::this_thread::sleep_for(
      std::chrono::microseconds(std::min<std::int64_t>(100 + calls * 100, 4'000) + spread));
  return 1;
}

void Connection::execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw_sqlite(code, "a statement of the store");
}

Statement& Connection::prepared(const char* sql) {
  auto& slot = statements_[sql];
  if (slot == nullptr) slot = std::make_unique<Statement>(handle_, sql);
  return slot->fresh();
}

std::string Connection::text_of(const char* sql) {
  Statement statement(handle_, sql);
  if (!statement.step()) return {};
  return std::string(statement.bytes(0));
}

WriteTransaction::WriteTransaction(Connection& connection) : connection_(connection) {
  connection_.start_waiting();
  connection_.prepared("BEGIN IMMEDIATE").run();
}

WriteTransaction::~WriteTransaction() {
  if (open_) sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void WriteTransaction::commit() {
  connection_.prepared("COMMIT").run();
  open_ = false;
}

ReadTransaction::ReadTransaction(Connection& connection) : connection_(connection) {
  connection_.start_waiting();
  connection_.prepared("BEGIN").run();
}

ReadTransaction::~ReadTransaction() {
  sqlite3_exec(connection_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace agentfootprint::artifacts_internal
