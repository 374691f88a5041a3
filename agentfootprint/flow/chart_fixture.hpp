// Random charts for the tests of the engine, as plain blocks that a naive interpreter can walk too.
//
// Example:
//   flow::Blocks blocks = flow::Maker(7).blocks(3, "");
//   flow::Chart chart = flow::build(blocks).build();
//   (void)chart;
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agentfootprint/base/random.hpp"
#include "agentfootprint/flow/chart.hpp"
#include "agentfootprint/flow/scope.hpp"

namespace agentfootprint::flow {

using Tokens = std::vector<std::string>;

enum class Do { read, element, set_number, set_object, set_array, set_value, append, erase };
struct Op {
  Do what;
  Tokens path;
  int number = 0;
  json::Value value = {};  // set_value
  bool keep = false;       // set_value: written also when the path stands so already
};
struct Block;
using Blocks = std::vector<Block>;
struct Block {
  enum class Kind { stage, decide, loop, fork, mount, each } kind = Kind::stage;
  std::string id;
  std::vector<Op> ops;           // stage; mount: input mapping
  std::vector<Op> out;           // mount
  std::vector<Blocks> branches;  // decide, fork; loop, mount and each: one
  std::string key;               // what a decision looks at; the counter of a loop
  bool merge = false;
  bool asks = false;             // a stage that pauses first
  Tokens items, into;            // each
  std::optional<Tokens> result;  // each
};
inline constexpr int kAnswer = 2;  // to every question

class Maker {
 public:
  explicit Maker(std::uint64_t seed, bool asks = false) : random_(seed), asks_(asks) {}

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

  // Also what only a for_each writes: its results, and what it gives each mount.
  Tokens read_path(const std::string& prefix) {
    static const std::vector<Tokens> kMade = {{"r"}, {"r", "0"}, {"r", "1"}, {"item"}, {"index"}};
    if (chance(70)) return path(prefix);
    Tokens out = kMade[random_.below(kMade.size())];
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
        const Tokens at = read_path(chance(70) ? prefix : "");
        const bool is_list = at.size() == 1 && (at[0].ends_with("l") || at[0].ends_with("r"));
        if (is_list && chance(50)) {
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
      // A checkpoint holds values: an object that only its members made is a written one after it.
      const bool may_erase = !asks_ || at.size() == 1;
      if (may_erase && chance(10)) {
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
    if (pick < 36) {
      out.ops = ops(prefix);
      out.asks = asks_ && chance(40);
    } else if (pick < 52) {
      out.kind = Block::Kind::decide;
      out.key = prefix + (chance(50) ? "x" : "y");
      for (int i = 0; i < 2; ++i) out.branches.push_back(blocks(depth - 1, prefix));
    } else if (pick < 64) {
      out.kind = Block::Kind::loop;
      out.key = prefix + "n" + out.id;
      out.branches.push_back(blocks(depth - 1, prefix));
    } else if (pick < 78) {
      out.kind = Block::Kind::fork;
      out.merge = chance(50);
      const std::size_t count = 1 + random_.below(3);
      for (std::size_t i = 0; i < count; ++i) {
        const std::string own = out.merge ? prefix + "m" + std::to_string(i) : prefix;
        out.branches.push_back(blocks(depth - 1, own));
      }
    } else if (pick < 90) {
      static const std::vector<Tokens> kResults = {{"x"}, {"o"}, {"o", "a"}, {"l"}, {"r"}};
      out.kind = Block::Kind::each;
      out.items = {prefix + "l"};
      out.into = {prefix + "r"};
      if (chance(60)) out.result = kResults[random_.below(kResults.size())];
      out.branches.push_back(blocks(depth - 1, ""));
    } else {
      out.kind = Block::Kind::mount;
      out.ops = ops("");
      out.out = ops(prefix);
      out.branches.push_back(blocks(depth - 1, ""));
    }
    return out;
  }

  SeededRandom random_;
  bool asks_;
  int next_ = 0;
};

inline Path path_of(const Tokens& tokens) {
  Path path(tokens[0]);
  for (std::size_t i = 1; i < tokens.size(); ++i) path = path / tokens[i];
  return path;
}

inline json::Value object_with(int number) {
  return json::object({{"a", number}, {"c", 1}});
}

inline std::int64_t number_in(const std::optional<json::Value>& value) {
  return value ? value->as_int64().value_or(static_cast<std::int64_t>(value->size())) : 0;
}

inline void perform(Scope& scope, const std::vector<Op>& ops, bool asks = false) {
  std::int64_t sum = asks ? number_in(scope.interrupt(json::Value("?"))) : 0;
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
      case Do::set_value:
        scope.set(path, op.value);
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

inline ChartBuilder build(const Blocks& blocks);

inline void add(ChartBuilder& builder, const Block& block) {
  switch (block.kind) {
    case Block::Kind::stage:
      builder.stage(block.id,
                    [ops = block.ops, asks = block.asks](Scope& s) { perform(s, ops, asks); });
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
    case Block::Kind::each: {
      ForEach over{path_of(block.items), path_of(block.into), std::nullopt,
                   OnBranchError::wait_all};
      if (block.result) over.result = path_of(*block.result);
      builder.for_each(block.id, over, build(block.branches[0]).build());
      break;
    }
  }
}

inline ChartBuilder build(const Blocks& blocks) {
  ChartBuilder builder;
  for (const Block& block : blocks) add(builder, block);
  return builder;
}

}  // namespace agentfootprint::flow
