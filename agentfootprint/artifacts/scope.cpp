// The encodings of scopes.
#include "agentfootprint/artifacts/scope.hpp"

#include <fmt/format.h>

#include "agentfootprint/artifacts/internal/text.hpp"
#include "agentfootprint/base/hash.hpp"

namespace agentfootprint {
namespace {

constexpr std::size_t kLongestSegment = 200;  // of the 255 bytes a file name may have
constexpr std::size_t kKeptOfLong = 120;

void append_namespace_field(std::string& out, std::string_view field) {
  if (field.empty()) {
    out += '_';
  } else if (field == "_") {
    out += "%5F";
  } else {
    for (const char c : field) {
      if (c == '%') {
        out += "%25";
      } else if (c == '/') {
        out += "%2F";
      } else {
        out += c;
      }
    }
  }
}

std::string namespace_field(std::string_view encoded) {
  if (encoded == "_") return {};
  std::string out;
  for (std::size_t i = 0; i < encoded.size(); ++i) {
    const std::string_view three = encoded.substr(i, 3);
    const bool slash = three == "%2F" || three == "%2f";  // people write the small letter too
    const bool low_line = three == "%5F" || three == "%5f";
    if (three == "%25" || slash || low_line) {
      out += slash ? '/' : low_line ? '_' : '%';
      i += 2;
    } else {
      out += encoded[i];
    }
  }
  return out;
}

// Letters that stand for themselves in a segment. `.` and `~` have their own rules.
bool is_plain(char c) noexcept {
  if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) return true;
  return std::string_view("-_!*'()").find(c) != std::string_view::npos;
}

}  // namespace

std::string identity_namespace(const ArtifactScope& scope) {
  std::string out;
  out.reserve(scope.tenant.size() + scope.principal.size() + scope.conversation_id.size() + 8);
  append_namespace_field(out, scope.tenant);
  out += '/';
  append_namespace_field(out, scope.principal);
  out += '/';
  append_namespace_field(out, scope.conversation_id);
  return out;
}

ArtifactScope scope_of_namespace(std::string_view identity) {
  ArtifactScope scope;
  const std::size_t first = identity.find('/');
  const std::size_t second =
      first == std::string_view::npos ? first : identity.find('/', first + 1);
  if (second == std::string_view::npos) return scope;
  scope.tenant = namespace_field(identity.substr(0, first));
  scope.principal = namespace_field(identity.substr(first + 1, second - first - 1));
  scope.conversation_id = namespace_field(identity.substr(second + 1));
  return scope;
}

std::string scope_segment(std::string_view field) {
  if (field.empty()) return "_";
  if (field == "_") return "%5F";
  std::string out;
  std::size_t kept = 0;  // the end of the last whole piece within kKeptOfLong
  for (const char c : field) {
    if (c == '~') {
      out += "~~";
    } else if (c >= 'A' && c <= 'Z') {
      out += '~';
      out += static_cast<char>(c - 'A' + 'a');
    } else if (is_plain(c)) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    if (out.size() <= kKeptOfLong) kept = out.size();
  }
  if (out.size() <= kLongestSegment) return out;
  // `~0` is written by no rule above, so a shortened segment equals no whole one.
  return out.substr(0, kept) + "~0" + sha256_hex(field);
}

std::array<std::string, 3> scope_segments(const ArtifactScope& scope) {
  return {scope_segment(scope.tenant), scope_segment(scope.principal),
          scope_segment(scope.conversation_id)};
}

std::string scope_key_prefix(const ArtifactScope& scope, std::string_view root) {
  const auto [tenant, principal, conversation] = scope_segments(scope);
  std::string out(root);
  if (!out.empty()) out += '/';
  return out + tenant + '/' + principal + '/' + conversation + '/';
}

std::string normalize_key_root(std::string_view store, std::string_view root) {
  const auto refuse = [&](std::string_view why) {
    throw Refusal("artifact-key-root", "prefix", fmt::format("{}: prefix {}", store, why));
  };
  if (artifacts_internal::is_blank(root)) refuse("is blank: leave it out or name a folder");
  while (root.starts_with('/')) root.remove_prefix(1);
  while (root.ends_with('/')) root.remove_suffix(1);
  if (root.empty()) refuse("is only slashes: leave it out or name a folder");
  for (std::string_view rest = root;;) {
    const std::size_t slash = rest.find('/');
    if (rest.substr(0, slash) == "..") refuse("has a `..` component: keys must stay below it");
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  return std::string(root);
}

}  // namespace agentfootprint
