// Random charts with decisions, loops, forks and mounts, run by the engine and by a deliberately
// naive interpreter: rows, reads with their writers, governors, the state behind every row, and
// slices must agree.
//
// The interpreter keeps, per state, the plain list of all writes in order, and answers every
// question by scanning it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "agentfootprint/base/random.hpp"
#include "agentfootprint/flow/run.hpp"
#include "agentfootprint/flow/slice.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::flow {
namespace {

using Tokens = std::vector<std::string>;

enum class Do { read, element, set_number, set_object, set_array, append, erase };
struct Op {
  Do what;
  Tokens path;
  int number = 0;
};
struct Block;
using Blocks = std::vector<Block>;
struct Block {
  enum class Kind { stage, decide, loop, fork, mount } kind = Kind::stage;
  std::string id;
  std::vector<Op> ops;           // stage; mount: input mapping
  std::vector<Op> out;           // mount
  std::vector<Blocks> branches;  // decide, fork; loop and mount: one
  std::string key;               // what a decision looks at; the counter of a loop
  bool merge = false;
};

// ---- making charts ----

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed) {}

  Blocks blocks(int depth, const std::string& prefix) {
    Blocks out;
    const std::size_t count = 1 + random_.below(3);
    for (std::size_t i = 0; i < count; ++i) out.push_back(block(depth, prefix));
    return out;
  }

 private:
  std::string fresh() { return "s" + std::to_string(next_++); }
  bool chance(std::uint64_t percent) { return random_.below(100) < percent; }

  Tokens path(const std::string& prefix) {
    static const std::vector<Tokens> kPaths = {{"x"}, {"y"}, {"o"}, {"o", "a"}, {"o", "b"}, {"l"}};
    Tokens out = kPaths[random_.below(kPaths.size())];
    out[0] = prefix + out[0];
    return out;
  }

  std::vector<Op> ops(const std::string& prefix) {
    std::vector<Op> out;
    std::set<std::string> written;
    const std::size_t count = 1 + random_.below(5);
    for (std::size_t i = 0; i < count; ++i) {
      if (chance(45)) {
        // Reads may look at other prefixes and into the branches of earlier forks.
        Tokens at = path(chance(70) ? prefix : "");
        if (at[0].ends_with("l") && chance(50)) {
          out.push_back({Do::element, at, static_cast<int>(random_.below(2))});
        } else {
          out.push_back({Do::read, at, 0});
        }
        continue;
      }
      const Tokens at = path(prefix);
      if (!written.insert(at[0]).second) continue;  // one write a root key and step
      const int number = static_cast<int>(random_.below(3));
      const bool is_list = at[0].ends_with("l");
      if (chance(10)) {
        out.push_back({Do::erase, at, 0});
      } else if (is_list) {
        out.push_back({chance(70) ? Do::append : Do::set_array, at, number});
      } else if (at.size() == 1 && at[0].ends_with("o")) {
        out.push_back({Do::set_object, at, number});
      } else {
        out.push_back({Do::set_number, at, number});
      }
    }
    return out;
  }

  Block block(int depth, const std::string& prefix) {
    Block out;
    out.id = fresh();
    const std::uint64_t pick = depth > 0 ? random_.below(100) : 0;
    if (pick < 40) {
      out.ops = ops(prefix);
    } else if (pick < 58) {
      out.kind = Block::Kind::decide;
      out.key = prefix + (chance(50) ? "x" : "y");
      for (int i = 0; i < 2; ++i) out.branches.push_back(blocks(depth - 1, prefix));
    } else if (pick < 72) {
      out.kind = Block::Kind::loop;
      out.key = prefix + "n" + out.id;
      out.branches.push_back(blocks(depth - 1, prefix));
    } else if (pick < 88) {
      out.kind = Block::Kind::fork;
      out.merge = chance(50);
      const std::size_t count = 1 + random_.below(3);
      for (std::size_t i = 0; i < count; ++i) {
        const std::string own = out.merge ? prefix + "m" + std::to_string(i) : prefix;
        out.branches.push_back(blocks(depth - 1, own));
      }
    } else {
      out.kind = Block::Kind::mount;
      out.ops = ops("");
      out.out = ops(prefix);
      out.branches.push_back(blocks(depth - 1, ""));
    }
    return out;
  }

  SeededRandom random_;
  int next_ = 0;
};

Path path_of(const Tokens& tokens) {
  Path path(tokens[0]);
  for (std::size_t i = 1; i < tokens.size(); ++i) path = path / tokens[i];
  return path;
}

json::Value object_with(int number) {
  return json::object({{"a", number}, {"c", 1}});
}

// ---- the engine's side ----

std::int64_t number_in(const std::optional<json::Value>& value) {
  return value ? value->as_int64().value_or(static_cast<std::int64_t>(value->size())) : 0;
}

void perform(Scope& scope, const std::vector<Op>& ops) {
  std::int64_t sum = 0;
  for (const Op& op : ops) {
    const Path path = path_of(op.path);
    switch (op.what) {
      case Do::read:
        sum += number_in(scope.get(path));
        break;
      case Do::element:
        sum += number_in(scope.element(path, static_cast<std::size_t>(op.number)));
        break;
      case Do::set_number:
        scope.set(path, (sum + op.number) % 3);
        break;
      case Do::set_object:
        scope.set(path, object_with(op.number));
        break;
      case Do::set_array:
        scope.set(path, json::array({op.number, 7}));
        break;
      case Do::append:
        scope.append(path, sum % 3);
        break;
      case Do::erase:
        scope.erase(path);
        break;
    }
  }
}

ChartBuilder build(const Blocks& blocks);

void add(ChartBuilder& builder, const Block& block) {
  switch (block.kind) {
    case Block::Kind::stage:
      builder.stage(block.id, [ops = block.ops](Scope& s) { perform(s, ops); });
      break;
    case Block::Kind::decide:
      builder.decide(
          block.id,
          Rules().when(eq(Key<int>(block.key), 1), block.id + "yes").otherwise(block.id + "no"));
      builder.branch(block.id + "yes", build(block.branches[0]));
      builder.branch(block.id + "no", build(block.branches[1]));
      break;
    case Block::Kind::loop: {
      const Key<int> counter(block.key);
      builder.stage(block.id + "in",
                    [counter](Scope& s) { s.set(counter, s.get_or(counter, 0) + 1); });
      const ChartBuilder body = build(block.branches[0]);
      // The body stands between the counter and the decision, as a decision with one way.
      builder.decide(block.id + "go", [](Scope&) { return std::string("on"); });
      builder.branch("on", body);
      builder.decide(block.id, Rules().when(lt(counter, 3), "again").otherwise("end"));
      builder.branch("again", steps().loop_to(block.id + "in"));
      builder.branch("end", steps());
      break;
    }
    case Block::Kind::fork: {
      ForkOptions options;
      options.join = block.merge ? Join::merge_disjoint : Join::isolated;
      builder.fork(block.id, options);
      for (std::size_t i = 0; i < block.branches.size(); ++i) {
        builder.branch("b" + std::to_string(i), build(block.branches[i]));
      }
      break;
    }
    case Block::Kind::mount: {
      MountOptions options;
      options.input = [ops = block.ops](Scope& s) { perform(s, ops); };
      options.output = [ops = block.out](Scope& s) { perform(s, ops); };
      builder.mount(block.id, build(block.branches[0]).build(), options);
      break;
    }
  }
}

ChartBuilder build(const Blocks& blocks) {
  ChartBuilder builder;
  for (const Block& block : blocks) add(builder, block);
  return builder;
}

// ---- the naive side ----

struct NaiveWrite {
  Tokens path;  // in the state it is in
  Verb verb = Verb::set;
  json::Value value;  // append: the element
  int row = -1;
  int id = -1;  // number of the write in the run
  std::size_t reads_before = 0;
  std::vector<int> before;  // append: the write that governed the array
};
struct NaiveRead {
  Tokens path;
  bool whole = true;
  std::vector<std::pair<Tokens, int>> seen;  // path as recorded, write
};
struct NaiveRow {
  std::string id;
  std::vector<NaiveRead> reads;
  std::vector<NaiveWrite> writes;
  json::Value state;
  int governor = -1;
  bool mount_in = false;  // its writes and its state are those of the mounted chart
};

bool is_above(const Tokens& a, const Tokens& b) {  // or equal
  return a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin());
}

json::Value set_at(const json::Value& root, const Tokens& path, std::size_t at,
                   const std::optional<json::Value>& value) {
  if (at == path.size()) return *value;
  const json::Value object = root.is_object() ? root : json::object(std::vector<json::Member>{});
  const json::Value* below = object.find(path[at]);
  if (at + 1 == path.size()) {
    return value ? json::with_member(object, path[at], *value)
                 : json::without_member(object, path[at]);
  }
  if (below == nullptr && !value) return object;
  return json::with_member(
      object, path[at],
      set_at(below != nullptr ? *below : json::object(std::vector<json::Member>{}), path, at + 1,
             value));
}

std::optional<json::Value> get_at(const json::Value& root, const Tokens& path) {
  const json::Value* at = &root;
  for (const std::string& token : path) {
    at = at->is_object() ? at->find(token) : nullptr;
    if (at == nullptr) return std::nullopt;
  }
  return *at;
}

// The writes of a state in order; the first `inherited` are from before the nearest isolated fork.
struct History : std::vector<NaiveWrite> {
  std::size_t inherited = 0;
};

// An object that nobody wrote, only members of it, is gone with its last member.
json::Value replay(const History& history) {
  json::Value state = json::object(std::vector<json::Member>{});
  std::set<Tokens> written_whole;
  for (const NaiveWrite& write : history) {
    if (write.verb == Verb::erase) {
      written_whole.erase(write.path);
    } else {
      written_whole.insert(write.path);
    }
    if (write.verb == Verb::append) {
      const auto old = get_at(state, write.path);
      json::ArrayBuilder all;
      if (old) {
        for (const json::Value& one : old->elements()) all.add(one);
      }
      all.add(write.value);
      state = set_at(state, write.path, 0, all.build());
    } else if (write.verb == Verb::erase) {
      state = set_at(state, write.path, 0, std::nullopt);
      for (Tokens above = write.path; above.size() > 1;) {
        above.pop_back();
        const auto left = get_at(state, above);
        if (!left || !left->empty() || written_whole.contains(above)) break;
        state = set_at(state, above, 0, std::nullopt);
      }
    } else {
      state = set_at(state, write.path, 0, write.value);
    }
  }
  return state;
}

// Every write a read of `path` sees, the governing one first.
std::vector<std::pair<Tokens, int>> seen_by(const History& history, const Tokens& path) {
  std::vector<std::pair<Tokens, int>> below;
  std::vector<Tokens> newer;
  for (std::size_t i = history.size(); i-- > 0;) {
    const NaiveWrite& write = history[i];
    if (is_above(write.path, path)) {
      below.insert(below.begin(), {path, write.id});
      return below;
    }
    if (!is_above(path, write.path)) continue;
    const bool hidden = std::any_of(newer.begin(), newer.end(),
                                    [&](const Tokens& one) { return is_above(one, write.path); });
    newer.push_back(write.path);
    if (!hidden) below.emplace_back(write.path, write.id);
  }
  return below;
}

class Interpreter {
 public:
  std::vector<NaiveRow> rows;
  std::vector<const NaiveWrite*> writes;  // by id; valid once the run has ended

  void run(const Blocks& blocks) {
    History history;
    sequence(blocks, history, "", {}, -1);
    for (NaiveRow& row : rows) {
      for (NaiveWrite& write : row.writes) {
        by_id_.resize(std::max(by_id_.size(), static_cast<std::size_t>(write.id) + 1));
        by_id_[static_cast<std::size_t>(write.id)] = &write;
      }
    }
    writes.assign(by_id_.begin(), by_id_.end());
  }

 private:
  void sequence(const Blocks& blocks, History& history, const std::string& mount,
                const Tokens& prefix, int governor) {
    for (const Block& block : blocks) one(block, history, mount, prefix, governor);
  }

  // Performs operations as one step; reads come from `from`, writes go to `to`.
  int step(const std::string& id, const std::vector<Op>& ops, const History& from, History& to,
           const Tokens& prefix, int governor) {
    const int number = static_cast<int>(rows.size());
    NaiveRow row;
    row.id = fmt::format("{}#{}", id, number);
    row.governor = governor;
    const json::Value state = replay(from);
    const json::Value target = replay(to);
    std::int64_t sum = 0;
    json::Value local = target;  // what the step itself sees of its writes
    History staged;
    for (const Op& op : ops) read_or_stage(op, from, to, state, local, staged, row, sum);
    for (NaiveWrite& write : staged) {
      const auto old = get_at(target, write.path);
      if (write.verb == Verb::erase && !old) continue;
      if (write.verb == Verb::set && old && *old == write.value) continue;
      write.row = number;
      write.id = next_write_++;
      to.push_back(write);
      NaiveWrite shown = write;
      shown.path.insert(shown.path.begin(), prefix.begin(), prefix.end());
      row.writes.push_back(shown);
    }
    row.state = replay(to);
    rows.push_back(std::move(row));
    return number;
  }

  void read_or_stage(const Op& op, const History& from, const History& to, const json::Value& state,
                     json::Value& local, History& staged, NaiveRow& row, std::int64_t& sum) {
    const bool same = &from == &to;
    const auto own = std::find_if(staged.begin(), staged.end(), [&](const NaiveWrite& write) {
      return same && (is_above(write.path, op.path) || is_above(op.path, write.path));
    });
    const json::Value& visible = same ? local : state;
    NaiveWrite write;
    write.path = op.path;
    write.reads_before = row.reads.size();
    switch (op.what) {
      case Do::read: {
        NaiveRead read{op.path, true, {}};
        if (own == staged.end()) {
          read.seen = seen_by(from, op.path);
        } else {
          // What the step wrote itself hides what lay there; the rest is still seen.
          History with = from;
          for (const NaiveWrite& one : staged) with.push_back(one);
          for (auto& one : seen_by(with, op.path)) {
            if (one.second >= 0) read.seen.push_back(one);
          }
        }
        row.reads.push_back(read);
        sum += number_in(get_at(visible, op.path));
        return;
      }
      case Do::element: {
        const auto array = get_at(visible, op.path);
        NaiveRead read{op.path, false, {}};
        if (own == staged.end()) read.seen = element_seen(from, op, array);
        row.reads.push_back(read);
        const auto index = static_cast<std::size_t>(op.number);
        if (array && array->is_array() && index < array->size()) {
          sum += number_in(array->elements()[index]);
        }
        return;
      }
      case Do::set_number:
        write.value = json::Value((sum + op.number) % 3);
        break;
      case Do::set_object:
        write.value = object_with(op.number);
        break;
      case Do::set_array:
        write.value = json::array({op.number, 7});
        break;
      case Do::append: {
        const auto old = get_at(replay(to), op.path);
        write.value = json::Value(sum % 3);
        const bool here = old && !is_inherited(to, op.path);
        if (here) {
          write.verb = Verb::append;
          write.before.push_back(seen_by(to, op.path).front().second);
        } else {
          // Written whole, and so a read of what was there, or was not.
          row.reads.push_back(NaiveRead{op.path, true, seen_by(to, op.path)});
          ++write.reads_before;
          json::ArrayBuilder all;
          if (old) {
            for (const json::Value& one : old->elements()) all.add(one);
          }
          all.add(write.value);
          write.value = all.build();
        }
        break;
      }
      case Do::erase:
        write.verb = Verb::erase;
        break;
    }
    staged.push_back(write);
    History with = to;
    for (const NaiveWrite& one : staged) with.push_back(one);
    local = replay(with);
  }

  static bool is_inherited(const History& history, const Tokens& path) {
    for (std::size_t i = history.size(); i-- > 0;) {
      if (is_above(history[i].path, path)) return i < history.inherited;
    }
    return false;
  }

  static std::vector<std::pair<Tokens, int>> element_seen(const History& history, const Op& op,
                                                          const std::optional<json::Value>& array) {
    Tokens shown = op.path;
    shown.push_back(std::to_string(op.number));
    std::vector<int> births;
    int last = -1;
    for (const NaiveWrite& write : history) {
      if (write.path != op.path) continue;
      last = write.id;
      if (write.verb == Verb::append) {
        births.push_back(write.id);
      } else {
        births.assign(write.verb == Verb::erase ? 0 : write.value.size(), write.id);
      }
    }
    const auto index = static_cast<std::size_t>(op.number);
    if (last < 0) return {};
    if (!array || index >= births.size()) return {{shown, last}};
    return {{shown, births[index]}};
  }

  void one(const Block& block, History& history, const std::string& mount, const Tokens& prefix,
           int governor) {
    switch (block.kind) {
      case Block::Kind::stage:
        step(mount + block.id, block.ops, history, history, prefix, governor);
        break;
      case Block::Kind::decide: {
        const int row = step(mount + block.id, {{Do::read, {block.key}, 0}}, history, history,
                             prefix, governor);
        const auto value = get_at(replay(history), {block.key});
        const bool yes = value && *value == json::Value(1);
        sequence(block.branches[yes ? 0 : 1], history, mount, prefix, row);
        break;
      }
      case Block::Kind::loop:
        loop(block, history, mount, prefix, governor);
        break;
      case Block::Kind::fork:
        fork(block, history, mount, prefix, governor);
        break;
      case Block::Kind::mount: {
        History inner;
        rows[static_cast<std::size_t>(
                 step(mount + block.id, block.ops, history, inner, {}, governor))]
            .mount_in = true;
        sequence(block.branches[0], inner, mount + block.id + "/", {}, governor);
        step(mount + block.id, block.out, inner, history, prefix, governor);
        break;
      }
    }
  }

  void loop(const Block& block, History& history, const std::string& mount, const Tokens& prefix,
            int governor) {
    for (;;) {
      const auto count = get_at(replay(history), {block.key});
      const int turn = count ? static_cast<int>(*count->as_int64()) + 1 : 1;
      counter(mount + block.id + "in", block.key, turn, history, prefix, governor);
      const int go = step(mount + block.id + "go", {}, history, history, prefix, governor);
      sequence(block.branches[0], history, mount, prefix, go);
      const int row =
          step(mount + block.id, {{Do::read, {block.key}, 0}}, history, history, prefix, governor);
      if (turn >= 3) return;
      governor = row;
    }
  }

  void counter(const std::string& id, const std::string& key, int turn, History& history,
               const Tokens& prefix, int governor) {
    const std::size_t at = rows.size();
    step(id, {{Do::read, {key}, 0}, {Do::set_number, {key}, 0}}, history, history, prefix,
         governor);
    // The counter is not taken modulo: mend the value.
    const json::Value value(turn);
    NaiveRow& row = rows[at];
    if (row.writes.empty()) {
      NaiveWrite write;
      write.path = {key};
      write.row = static_cast<int>(at);
      write.id = next_write_++;
      write.reads_before = 1;
      history.push_back(write);
      write.path.insert(write.path.begin(), prefix.begin(), prefix.end());
      row.writes.push_back(write);
    }
    history.back().value = value;
    row.writes.back().value = value;
    row.state = replay(history);
  }

  void fork(const Block& block, History& history, const std::string& mount, const Tokens& prefix,
            int governor) {
    step(mount + block.id, {}, history, history, prefix, governor);
    const std::size_t common = history.size();
    const History before = history;
    for (std::size_t i = 0; i < block.branches.size(); ++i) {
      History own = before;
      Tokens inner = prefix;
      Tokens under;
      if (!block.merge) {
        under = {"runs", "b" + std::to_string(i)};
        own.inherited = common;
      }
      inner.insert(inner.end(), under.begin(), under.end());
      const std::size_t first = rows.size();
      sequence(block.branches[i], own, mount, inner, governor);
      // Lay the branch's writes into the state behind the fork, row by row.
      std::size_t next = common;
      for (std::size_t r = first; r < rows.size(); ++r) {
        bool mine = false;
        for (; next < own.size() && own[next].row == static_cast<int>(r); ++next) {
          NaiveWrite moved = own[next];
          moved.path.insert(moved.path.begin(), under.begin(), under.end());
          history.push_back(moved);
          mine = true;
        }
        if (mine || belongs_here(rows[r], mount)) rows[r].state = replay(history);
      }
    }
  }

  // Is the row of this chart, and not of a mount inside?
  static bool belongs_here(const NaiveRow& row, const std::string& mount) {
    return !row.mount_in && row.id.starts_with(mount) &&
           row.id.find('/', mount.size()) == std::string::npos;
  }

  int next_write_ = 0;
  std::vector<const NaiveWrite*> by_id_;
};

std::string pointer_of(const Tokens& tokens) {
  std::string out;
  for (const std::string& token : tokens) out += "/" + token;
  return out;
}

// The slice from a row, by definition.
class NaiveSlice {
 public:
  explicit NaiveSlice(const Interpreter& run) : run_(run) {}
  std::set<std::string> edges;
  std::set<int> nodes;

  void start(int row) {
    nodes.insert(row);
    const NaiveRow& at = run_.rows[static_cast<std::size_t>(row)];
    reads_of(row, at.reads.size());
    for (const NaiveWrite& write : at.writes) chain(write);
    control(row);
  }

 private:
  void reach(int from, const std::string& key, int write, bool whole) {
    const NaiveWrite& to = *run_.writes[static_cast<std::size_t>(write)];
    edges.insert(fmt::format("{} -{}-> {}", from, key, to.row));
    nodes.insert(to.row);
    control(to.row);
    reads_of(to.row, to.reads_before);
    if (whole) chain(to);
  }
  void reads_of(int row, std::size_t count) {
    std::size_t& done = read_[row];
    while (done < count) {
      const NaiveRead& read = run_.rows[static_cast<std::size_t>(row)].reads[done++];
      for (const auto& [path, write] : read.seen) {
        const std::size_t written = run_.writes[static_cast<std::size_t>(write)]->path.size();
        reach(row, pointer_of(path), write, read.whole && path.size() <= written);
      }
    }
  }
  void chain(const NaiveWrite& write) {
    if (write.before.empty() || !chained_.insert(write.id).second) return;
    Tokens own = write.path;
    while (own.size() > 1 && own[0] == "runs") own.erase(own.begin(), own.begin() + 2);
    reach(write.row, pointer_of(own), write.before.front(), true);
  }
  void control(int row) {
    const int governor = run_.rows[static_cast<std::size_t>(row)].governor;
    if (governor < 0 || !governed_.insert(row).second) return;
    edges.insert(fmt::format("{} => {}", row, governor));
    nodes.insert(governor);
    control(governor);
    reads_of(governor, run_.rows[static_cast<std::size_t>(governor)].reads.size());
  }

  const Interpreter& run_;
  std::map<int, std::size_t> read_;
  std::set<int> chained_;
  std::set<int> governed_;
};

void compare_row(const RowView& row, const NaiveRow& want, const Interpreter& naive) {
  EXPECT_EQ(row.id(), want.id);
  EXPECT_EQ(row.governor() ? static_cast<int>(*row.governor()) : -1, want.governor);
  std::set<std::string> reads;
  std::set<std::string> want_reads;
  for (const ReadRecord& read : row.reads()) {
    if (read.writer) reads.insert(fmt::format("{} {}", read.pointer, *read.writer));
  }
  for (const NaiveRead& read : want.reads) {
    for (const auto& [path, write] : read.seen) {
      const int writer = naive.writes[static_cast<std::size_t>(write)]->row;
      want_reads.insert(fmt::format("{} {}", pointer_of(path), writer));
    }
  }
  EXPECT_EQ(reads, want_reads);
  std::vector<std::string> writes;
  std::vector<std::string> want_writes;
  for (const WriteRecord& write : row.writes()) {
    writes.push_back(fmt::format("{}:{}", write.pointer, name_of(write.verb)));
  }
  for (const NaiveWrite& write : want.writes) {
    want_writes.push_back(fmt::format("{}:{}", pointer_of(write.path), name_of(write.verb)));
  }
  EXPECT_EQ(writes, want_writes);
}

void compare_slices(const Log& log, const Interpreter& naive) {
  for (std::size_t row = 0; row < log.size(); ++row) {
    const Slice slice = backward_slice(log, row, SliceOptions::unlimited());
    NaiveSlice want(naive);
    want.start(static_cast<int>(row));
    std::set<std::string> edges;
    for (const SliceEdge& edge : slice.edges) {
      const std::size_t from = slice.nodes[edge.from].row;
      const std::size_t to = slice.nodes[edge.to].row;
      edges.insert(edge.kind == EdgeKind::data
                       ? fmt::format("{} -{}-> {}", from, slice.key_of(edge), to)
                       : fmt::format("{} => {}", from, to));
    }
    std::set<int> nodes;
    for (const SliceNode& node : slice.nodes) nodes.insert(static_cast<int>(node.row));
    ASSERT_EQ(edges, want.edges) << "slice of row " << row;
    ASSERT_EQ(nodes, want.nodes) << "slice of row " << row;
    ASSERT_EQ(edges.size(), slice.edges.size()) << "an edge stands twice";
  }
}

TEST(Oracle, RandomChartsAgreeWithTheNaiveInterpreter) {
  constexpr std::uint64_t kSeeds = 120;
  std::size_t total_rows = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Blocks blocks = Maker(seed).blocks(3, "");
    const RunResult result = run(build(blocks).build());
    ASSERT_EQ(result.outcome, Outcome::completed) << result.reason;
    Interpreter naive;
    naive.run(blocks);
    const Log& log = result.log();
    ASSERT_EQ(log.size(), naive.rows.size());
    total_rows += log.size();
    for (std::size_t i = 0; i < log.size(); ++i) {
      SCOPED_TRACE(fmt::format("row {} {}", i, log.row(i).id()));
      compare_row(log.row(i), naive.rows[i], naive);
      const json::Value state = log.state_at(i).to_json();
      ASSERT_EQ(state, naive.rows[i].state) << json::dump(state) << "\n"
                                            << json::dump(naive.rows[i].state);
      if (testing::Test::HasFailure()) return;
    }
    if (log.size() < 400) compare_slices(log, naive);
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(total_rows, 2000u);
}

}  // namespace
}  // namespace agentfootprint::flow
