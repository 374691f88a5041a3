// Random charts with decisions, loops, forks, mounts and charts mounted for each element of a list,
// run by the engine and by a deliberately naive interpreter: rows, reads with their writers,
// governors, the state behind every row, and slices must agree. Charts that pause, and go on in
// place or from their checkpoints, must end in the state of one that never did.
//
// The interpreter keeps, per state, the plain list of all writes in order, and answers every
// question by scanning it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "agentfootprint/base/random.hpp"
#include "agentfootprint/flow/chart_fixture.hpp"
#include "agentfootprint/flow/run.hpp"
#include "agentfootprint/flow/slice.hpp"
#include "agentfootprint/json/parse.hpp"
#include "agentfootprint/json/write.hpp"

namespace agentfootprint::flow {
namespace {

struct NaiveWrite {
  Tokens path;  // in the state it is in
  Verb verb = Verb::set;
  json::Value value;  // append: the element
  int row = -1;
  int id = -1;  // number of the write in the run
  std::size_t reads_before = 0;
  std::vector<int> before;  // append: the write that governed the array
  bool keep = false;
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

// The place of an element; empty when the token names none of the array.
std::optional<std::size_t> place_in(const json::Value& array, const std::string& token) {
  if (!array.is_array() || token.find_first_not_of("0123456789") != std::string::npos) {
    return std::nullopt;
  }
  const std::size_t place = std::stoul(token);
  return place < array.size() ? std::optional(place) : std::nullopt;
}

json::Value set_at(const json::Value& root, const Tokens& path, std::size_t at,
                   const std::optional<json::Value>& value) {
  if (at == path.size()) return *value;
  if (const auto place = place_in(root, path[at])) {
    std::vector<json::Value> all(root.elements().begin(), root.elements().end());
    all[*place] = set_at(all[*place], path, at + 1, value);
    return json::array(std::move(all));
  }
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
    if (const auto place = place_in(*at, token)) {
      at = &at->elements()[*place];
      continue;
    }
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
  json::Value end;                        // the state when it has

  void run(const Blocks& blocks) {
    History history;
    sequence(blocks, history, "", {}, -1);
    end = replay(history);
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
           const Tokens& prefix, int governor, std::int64_t sum = 0) {
    const int number = static_cast<int>(rows.size());
    NaiveRow row;
    row.id = fmt::format("{}#{}", id, number);
    row.governor = governor;
    const json::Value state = replay(from);
    const json::Value target = replay(to);
    json::Value local = target;  // what the step itself sees of its writes
    History staged;
    for (const Op& op : ops) read_or_stage(op, from, to, state, local, staged, row, sum);
    for (NaiveWrite& write : staged) {
      const auto old = get_at(target, write.path);
      if (write.verb == Verb::erase && !old) continue;
      if (write.verb == Verb::set && old && *old == write.value && !write.keep) continue;
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
      case Do::set_value:
        write.value = op.value;
        write.keep = op.keep;
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
      if (write.path.size() == shown.size() && is_above(op.path, write.path)) {
        births[std::stoul(write.path.back())] = write.id;
        continue;
      }
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
        step(mount + block.id, block.ops, history, history, prefix, governor,
             block.asks ? kAnswer : 0);
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
      case Block::Kind::each:
        each(block, history, mount, prefix, governor);
        break;
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
    const History before = history;
    for (std::size_t i = 0; i < block.branches.size(); ++i) {
      History own = before;
      Tokens inner = prefix;
      Tokens under;
      if (!block.merge) {
        under = {"runs", "b" + std::to_string(i)};
        own.inherited = before.size();
      }
      inner.insert(inner.end(), under.begin(), under.end());
      const std::size_t first = rows.size();
      sequence(block.branches[i], own, mount, inner, governor);
      lay_over(history, own, before.size(), under, first, mount);
    }
  }

  // Lays a branch's writes into the state behind the fork, row by row.
  void lay_over(History& history, const History& own, std::size_t next, const Tokens& under,
                std::size_t first_row, const std::string& mount) {
    for (std::size_t r = first_row; r < rows.size(); ++r) {
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

  // A fork with a mount for each element: the fork's row makes room, each mount fills its place.
  void each(const Block& block, History& history, const std::string& mount, const Tokens& prefix,
            int governor) {
    const auto list = get_at(replay(history), block.items);
    const std::size_t count = list ? list->size() : 0;
    const json::Value room = json::array(std::vector<json::Value>(count));
    step(mount + block.id,
         {{Do::read, block.items, 0}, {Do::set_value, block.into, 0, room, !prefix.empty()}},
         history, history, prefix, governor);
    const History before = history;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string id = fmt::format("{}{}~{}", mount, block.id, i);
      History own = before;
      History inner;
      const std::size_t first = rows.size();
      const int at = static_cast<int>(i);
      step(id,
           {{Do::element, block.items, at},
            {Do::set_value, {"item"}, 0, list->elements()[i]},
            {Do::set_value, {"index"}, 0, json::Value(at)}},
           own, inner, {}, governor);
      rows.back().mount_in = true;
      sequence(block.branches[0], inner, id + "/", {}, governor);
      give_result(block, id, at, inner, own, prefix, governor);
      lay_over(history, own, before.size(), {}, first, mount);
    }
  }

  void give_result(const Block& block, const std::string& id, int at, const History& inner,
                   History& own, const Tokens& prefix, int governor) {
    const json::Value state = replay(inner);
    std::vector<Op> out;
    json::Value result = state;
    if (block.result) {
      out.push_back({Do::read, *block.result, 0});
      result = get_at(state, *block.result).value_or(json::Value());
    } else {
      for (const json::Member& member : state.members()) {
        out.push_back({Do::read, {std::string(member.key())}, 0});
      }
    }
    Tokens place = block.into;
    place.push_back(std::to_string(at));
    out.push_back({Do::set_value, place, 0, result});
    step(id, out, inner, own, prefix, governor);
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

// Answers some of the questions at a time and goes on in place or from the text of a checkpoint,
// until the run has ended.
RunResult answered(const Chart& chart, SeededRandom& random, std::size_t& resumed) {
  RunResult result = run(chart);
  while (result.outcome == Outcome::paused) {
    std::vector<PauseAnswer> answers;
    for (const PendingPause& pause : result.pauses) {
      const bool last = answers.empty() && &pause == &result.pauses.back();
      if (last || random.below(2) == 0) answers.push_back({pause.id, json::Value(kAnswer)});
    }
    ++resumed;
    if (random.below(2) == 0) {
      result = resume(std::move(result), answers);
    } else {
      const std::string text = json::dump(result.checkpoint());
      result = resume(chart, json::parse_or_throw(text), answers);
    }
  }
  return result;
}

TEST(Oracle, ChartsThatPauseEndInTheSameState) {
  constexpr std::uint64_t kSeeds = 200;
  std::size_t resumed = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Blocks blocks = Maker(seed, true).blocks(3, "");
    Interpreter naive;
    naive.run(blocks);
    SeededRandom random(seed);
    const RunResult result = answered(build(blocks).build(), random, resumed);
    ASSERT_EQ(result.outcome, Outcome::completed) << result.reason;
    const json::Value state = result.state().to_json();
    ASSERT_EQ(state, naive.end) << json::dump(state) << "\n" << json::dump(naive.end);
  }
  EXPECT_GT(resumed, 500u);
}

}  // namespace
}  // namespace agentfootprint::flow
