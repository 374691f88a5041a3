// A thin owner of an SQLite connection and its statements.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace agentfootprint::artifacts_internal {

// Throws ArtifactStoreError: artifact-store-busy for a lock held until the deadline, else
// artifact-store-io. The text has SQLite's name of the code, never a statement or a value.
[[noreturn]] void throw_sqlite(int code, std::string_view what);

class Statement {
 public:
  Statement(sqlite3* connection, std::string_view sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  // Ready to be bound and stepped again.
  Statement& fresh();
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, std::uint64_t value) {
    return bind(index, static_cast<std::int64_t>(value));
  }
  Statement& bind_double(int index, double value);
  Statement& bind(int index, const std::optional<std::int64_t>& value);
  Statement& bind_text(int index, std::string_view value);
  Statement& bind_optional_text(int index, const std::optional<std::string>& value);
  Statement& bind_blob(int index, std::string_view value);
  Statement& bind_null(int index);
  // True while there is a row.
  bool step();
  // Steps to the end and resets, for statements whose rows are of no interest.
  void run();
  void reset() noexcept { sqlite3_reset(handle_); }

  [[nodiscard]] bool is_null(int column) const {
    return sqlite3_column_type(handle_, column) == SQLITE_NULL;
  }
  [[nodiscard]] std::int64_t int64(int column) const {
    return sqlite3_column_int64(handle_, column);
  }
  [[nodiscard]] std::uint64_t size(int column) const {
    return static_cast<std::uint64_t>(int64(column));
  }
  [[nodiscard]] std::optional<std::int64_t> optional_int64(int column) const {
    if (is_null(column)) return std::nullopt;
    return int64(column);
  }
  // Bytes of a text or a blob; valid until the next step.
  [[nodiscard]] std::string_view bytes(int column) const;
  [[nodiscard]] sqlite3_stmt* handle() const noexcept { return handle_; }

 private:
  sqlite3_stmt* handle_ = nullptr;
};

// Resets a statement at the end of a block: one that is left on a row keeps its snapshot open.
class ResetAtEnd {
 public:
  explicit ResetAtEnd(Statement& statement) noexcept : statement_(statement) {}
  ResetAtEnd(const ResetAtEnd&) = delete;
  ResetAtEnd& operator=(const ResetAtEnd&) = delete;
  ~ResetAtEnd() { statement_.reset(); }

 private:
  Statement& statement_;
};

class Connection {
 public:
  // `flags` of sqlite3_open_v2. Waits for locks until `busy_ms` have passed, whatever holds them.
  Connection(const std::string& file, int flags, std::int64_t busy_ms);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  void execute(const char* sql);
  // A statement kept for this connection; `sql` must be a literal. Fresh.
  Statement& prepared(const char* sql);
  void forget_statements() noexcept { statements_.clear(); }
  [[nodiscard]] std::string text_of(const char* sql);  // the first column of the first row
  [[nodiscard]] std::int64_t last_row() const noexcept {
    return sqlite3_last_insert_rowid(handle_);
  }
  [[nodiscard]] sqlite3* handle() const noexcept { return handle_; }
  // The deadline of waiting starts anew.
  void start_waiting() noexcept;

 private:
  static int on_busy(void* self, int calls) noexcept;
  sqlite3* handle_ = nullptr;
  std::int64_t busy_ms_;
  std::int64_t deadline_ns_ = 0;
  std::unordered_map<const char*, std::unique_ptr<Statement>> statements_;
};

// BEGIN IMMEDIATE until `commit`; rolls back otherwise.
class WriteTransaction {
 public:
  explicit WriteTransaction(Connection& connection);
  WriteTransaction(const WriteTransaction&) = delete;
  WriteTransaction& operator=(const WriteTransaction&) = delete;
  ~WriteTransaction();
  void commit();

 private:
  Connection& connection_;
  bool open_ = true;
};

// A snapshot for several reads.
class ReadTransaction {
 public:
  explicit ReadTransaction(Connection& connection);
  ReadTransaction(const ReadTransaction&) = delete;
  ReadTransaction& operator=(const ReadTransaction&) = delete;
  ~ReadTransaction();

 private:
  Connection& connection_;
};

}  // namespace agentfootprint::artifacts_internal
