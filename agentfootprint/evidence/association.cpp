// Entity and value in one clause: does a record carry both?
#include "agentfootprint/evidence/association.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "agentfootprint/evidence/blocks.hpp"
#include "agentfootprint/evidence/internal/facts.hpp"
#include "agentfootprint/evidence/reading.hpp"

namespace agentfootprint::evidence {
namespace {

constexpr std::size_t kMaxRecords = 8;

struct RecordAt {
  std::size_t result;
  std::uint32_t record;
};

// A value as it stands in one place of the answer.
struct Mention {
  std::size_t value = 0;  // position in the verdict
  Span span;
};

// Which entity each value of an answer is said of.
class Clauses {
 public:
  Clauses(std::string_view answer, const Verdict& verdict)
      : text_(answer), verdict_(verdict), blocks_(Blocks::of(answer)) {
    for (std::size_t i = 0; i < verdict_.values.size(); ++i) {
      for (const Span& span : verdict_.values[i].spans) mentions_.push_back({i, span});
    }
    std::sort(mentions_.begin(), mentions_.end(),
              [](const Mention& a, const Mention& b) { return a.span.begin < b.span.begin; });
  }

  std::vector<SaidOf> run() {
    if (blocks_.size() == 0) return {};
    for (std::size_t begin = 0; begin < mentions_.size();) {
      std::size_t end = begin + 1;
      const BlockPlace place = blocks_.place(mentions_[begin].span.begin);
      const std::size_t lead = lead_of(place, mentions_[begin].span.begin);
      const auto inside = [&](const Mention& mention) {
        const BlockPlace at = blocks_.place(mention.span.begin);
        return at.block == place.block && at.item == place.item &&
               lead_of(at, mention.span.begin) == lead;
      };
      while (end < mentions_.size() && inside(mentions_[end])) ++end;
      clause(place, std::span(mentions_).subspan(begin, end - begin));
      begin = end;
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool is_entity(const Mention& mention) const {
    return verdict_.values[mention.value].value.kind == ValueKind::identifier;
  }

  void say(const Mention& entity, const Mention& value) {
    out_.push_back({entity.value, value.value, value.span});
  }

  void clause(const BlockPlace& place, std::span<const Mention> mentions) {
    const Mention* entity = nullptr;
    bool several = false;
    for (const Mention& mention : mentions) {
      if (!is_entity(mention)) continue;
      several = several || (entity != nullptr && entity->value != mention.value);
      if (entity == nullptr) entity = &mention;
    }
    const BlockKind kind = blocks_[place.block].kind;
    if (several) {
      if (kind != BlockKind::table) in_turn(mentions);
      return;
    }
    std::optional<Mention> above;
    if (entity == nullptr && kind == BlockKind::list) {
      above = entity_above(blocks_[place.block].span, mentions.front().span.begin);
      if (above) entity = &*above;
    }
    if (entity == nullptr) return;
    for (const Mention& mention : mentions) {
      if (!is_entity(mention)) say(*entity, mention);
    }
  }

  // Several entities: `A 1, 2 and B 3`, each with what follows it, or `1 on A and 3 on B`, each
  // with the one value before it. Any other order leaves open what is meant.
  void in_turn(std::span<const Mention> mentions) {
    const std::size_t begin = mentions.front().span.begin;
    const std::string_view words = text_.substr(begin, mentions.back().span.end + 80 - begin);
    if (fold_text(words).find("respectively") != std::string::npos) return;
    bool leads = is_entity(mentions.front());           // every entity is followed by a value
    bool follows = !leads && mentions.size() % 2 == 0;  // value and entity alternate
    for (std::size_t i = 0; i < mentions.size(); ++i) {
      const bool entity = is_entity(mentions[i]);
      if (entity && (i + 1 == mentions.size() || is_entity(mentions[i + 1]))) leads = false;
      if (entity != (i % 2 == 1)) follows = false;
    }
    const Mention* entity = nullptr;
    for (std::size_t i = 0; i < mentions.size(); ++i) {
      if (is_entity(mentions[i])) {
        entity = &mentions[i];
      } else if (leads) {
        say(*entity, mentions[i]);
      } else if (follows) {
        say(mentions[i + 1], mentions[i]);
      }
    }
  }

  // In a list, where the clause of a byte begins: a line without a marker goes on with the item
  // above when it is indented more, and is a clause of its own otherwise.
  [[nodiscard]] std::size_t lead_of(const BlockPlace& place, std::size_t byte) const {
    const Block& block = blocks_[place.block];
    if (block.kind != BlockKind::list) return 0;
    const std::size_t line = line_begin(byte);
    const std::size_t indent = indent_of(line);
    for (std::size_t begin = line;; begin = line_begin(begin - 1)) {
      const std::size_t here = indent_of(begin);
      if (is_item(begin + here)) return begin == line || indent > here ? begin : line;
      if (begin <= block.span.begin) return line;
    }
  }

  // The one entity of the nearest line above that leads this one and names any.
  [[nodiscard]] std::optional<Mention> entity_above(const Span& block, std::size_t byte) const {
    std::size_t begin = line_begin(byte);
    std::size_t indent = indent_of(begin);
    bool item = is_item(begin + indent);
    while (begin > block.begin) {
      const std::size_t end = begin - 1;
      begin = line_begin(end);
      const std::size_t here = indent_of(begin);
      if (begin < block.begin || begin + here >= end || here > indent) continue;
      // A line of the same indent leads the items below it when it is none itself.
      if (here == indent && (!item || is_item(begin + here))) continue;
      indent = here;
      item = is_item(begin + here);
      std::optional<Mention> found;
      for (const Mention& mention : mentions_) {
        if (mention.span.begin < begin || mention.span.end > end || !is_entity(mention)) continue;
        if (found && found->value != mention.value) return std::nullopt;
        found = mention;
      }
      if (found) return found;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::size_t line_begin(std::size_t byte) const {
    const std::size_t feed = byte == 0 ? std::string_view::npos : text_.rfind('\n', byte - 1);
    return feed == std::string_view::npos ? 0 : feed + 1;
  }
  [[nodiscard]] bool is_item(std::size_t at) const {
    std::size_t end = at;
    while (end < text_.size() && text_[end] >= '0' && text_[end] <= '9') ++end;
    const std::string_view marks = end == at ? "-*+" : ".)";
    return end + 1 < text_.size() && marks.find(text_[end]) != std::string_view::npos &&
           text_[end + 1] == ' ';
  }
  [[nodiscard]] std::size_t indent_of(std::size_t begin) const {
    std::size_t at = begin;
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    return at - begin;
  }

  std::string_view text_;
  const Verdict& verdict_;
  Blocks blocks_;
  std::vector<Mention> mentions_;
  std::vector<SaidOf> out_;
};

class Associator {
 public:
  Associator(const Judge& judge, const Verdict& verdict) : judge_(judge), verdict_(verdict) {}

  std::vector<AssociationNote> run(const std::vector<SaidOf>& pairs) {
    std::vector<AssociationNote> notes;
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (const SaidOf& pair : pairs) {
      if (seen.emplace(pair.entity, pair.value).second) look_at(pair, notes);
    }
    return notes;
  }

 private:
  using Records = std::optional<std::vector<RecordAt>>;

  static bool read_from_results(const JudgedValue& value) {
    return value.level >= Level::exact && value.level <= Level::converted;
  }

  void look_at(const SaidOf& pair, std::vector<AssociationNote>& notes) {
    const JudgedValue& entity = verdict_.values[pair.entity];
    const JudgedValue& value = verdict_.values[pair.value];
    if (!read_from_results(value)) return;
    const Records& entities = records(pair.entity);
    if (!entities || entities->empty()) return;
    const Records& values = records(pair.value);
    if (!values || values->empty()) return;
    if (together(entity, *entities, value, *values)) return;
    notes.push_back({pair.entity, pair.value, told(*values)});
  }

  const Records& records(std::size_t value) {
    const auto [known, added] = records_.try_emplace(value);
    if (added) known->second = records_of(verdict_.values[value]);
    return known->second;
  }

  // Empty when a place is in no record, or when there may be more places than the judge gives.
  std::optional<std::vector<RecordAt>> records_of(const JudgedValue& value) const {
    std::vector<RecordAt> records;
    const auto& entries = judge_.index().results();
    for (const Carrier& carrier : value.grounding.carriers) {
      if (carrier.places.size() >= judge_.options().max_places) return std::nullopt;
      const ResultIndex& index = *entries[carrier.result].index;
      const internal::Tables& tables = *index.derivations().read(index.text()).tables;
      for (const Place& place : carrier.places) {
        const auto record = tables.record_at(index.span(place.item).begin);
        if (!record) return std::nullopt;
        records.push_back({carrier.result, *record});
      }
    }
    return records;
  }

  const internal::Tables& tables_of(std::size_t result) const {
    const ResultIndex& index = *judge_.index().results()[result].index;
    return *index.derivations().read(index.text()).tables;
  }

  // Is `outer` the record or one around it?
  bool inside(const RecordAt& record, const RecordAt& outer) const {
    return record.result == outer.result &&
           tables_of(record.result).within(record.record, outer.record);
  }

  bool together(const JudgedValue& entity, const std::vector<RecordAt>& entities,
                const JudgedValue& value, const std::vector<RecordAt>& values) const {
    for (const RecordAt& at : entities) {
      if (asked_for(at.result, value)) return true;
    }
    for (const RecordAt& record : values) {
      if (asked_for(record.result, entity)) return true;
      for (const RecordAt& at : entities) {
        if (inside(record, at) || inside(at, record)) return true;
      }
    }
    return false;
  }

  bool asked_for(std::size_t result, const JudgedValue& value) const {
    return named_in_call(judge_.index().results()[result], value.value);
  }

  std::vector<AssociatedRecord> told(const std::vector<RecordAt>& records) const {
    std::vector<AssociatedRecord> out;
    for (const RecordAt& record : records) {
      if (out.size() == kMaxRecords) break;
      out.push_back({record.result, tables_of(record.result).record_pointer(record.record)});
    }
    return out;
  }

  const Judge& judge_;
  const Verdict& verdict_;
  std::map<std::size_t, Records> records_;
};

}  // namespace

bool named_in_call(const ResultEntry& result, const Value& value) {
  if (!result.argument_leaves) return false;
  const std::string written = fold_text(value.raw);
  return std::any_of(result.argument_leaves->begin(), result.argument_leaves->end(),
                     [&](const std::string& leaf) {
                       const std::string folded = fold_text(leaf);
                       return folded.find(written) != std::string::npos ||
                              folded.find(value.value) != std::string::npos;
                     });
}

std::vector<AssociationNote> associations(const Judge& judge, std::string_view answer,
                                          const Verdict& verdict) {
  return Associator(judge, verdict).run(said_of(answer, verdict));
}

std::vector<SaidOf> said_of(std::string_view answer, const Verdict& verdict) {
  return Clauses(answer, verdict).run();
}

void note_associations(Verdict& verdict, const std::vector<AssociationNote>& notes) {
  for (const AssociationNote& note : notes) {
    verdict.values[note.value].grounding.notes.push_back("not-associated: " +
                                                         verdict.values[note.entity].value.raw);
  }
}

}  // namespace agentfootprint::evidence
