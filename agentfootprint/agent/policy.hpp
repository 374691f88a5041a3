// Ports by which an application governs a run: permission, middleware, credentials.
//
// What: `PermissionPolicy` decides about every attempted call, before anything else sees it.
// `Middleware` sees the input, calls, results and the answer; it may pass, change, refuse or ask a
// person, and each of its decisions becomes a row of the record. `CredentialProvider` issues
// secrets for services.
//
// When to use: permission for rules, middleware for transformations and review, credentials so that
// tools never hold secrets.
//
// Not guaranteed: that a tool runs because permission allowed it: later gates may still stop the
// call. A policy or middleware that throws is a refusal, never an allowance.
//
// Example (file scope):
//   namespace example {
//   using namespace agentfootprint;
//   struct ReadOnly : PermissionPolicy {
//     Permission check(const PermissionQuestion& question) override {
//       if (question.tool.starts_with("get_")) return Permission::allow();
//       return Permission::deny("only tools that read are allowed here");
//     }
//   };
//   }  // namespace example
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agentfootprint/agent/tool.hpp"
#include "agentfootprint/agent/tool_result.hpp"
#include "agentfootprint/conversation/conversation.hpp"

namespace agentfootprint {

// ---- permission

struct PermissionQuestion {
  std::string_view capability;  // "tool_call", or a capability the tool declares
  std::string_view tool;
  const json::Value& arguments;  // as the model wrote them
  const Conversation& conversation;
  std::uint32_t iteration;
  const std::optional<Identity>& identity;
};

class Permission {
 public:
  enum class Kind : std::uint8_t { allow, deny, halt };
  [[nodiscard]] static Permission allow(std::string rule = {});
  // The model reads the rationale unless `tell_model` says something else.
  [[nodiscard]] static Permission deny(std::string rationale, std::string tell_model = {});
  // Ends the run as Stopped; the rationale reaches the application, the model at most `tell_model`.
  [[nodiscard]] static Permission halt(std::string rationale, std::string tell_model = {});

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] const std::string& rule() const noexcept { return rule_; }
  [[nodiscard]] const std::string& rationale() const noexcept { return rationale_; }
  [[nodiscard]] const std::string& tell_model() const noexcept { return tell_model_; }

 private:
  Kind kind_ = Kind::allow;
  std::string rule_;
  std::string rationale_;
  std::string tell_model_;
};

class PermissionPolicy {
 public:
  virtual ~PermissionPolicy() = default;
  virtual Permission check(const PermissionQuestion& question) = 0;
  // Capabilities beside "tool_call" that this policy wants to be asked about.
  [[nodiscard]] virtual bool governs(std::string_view) const { return false; }
};

// ---- middleware

// Moments in the order a turn meets them. before_tool runs in declaration order, after_tool in
// reverse.
enum class Moment : std::uint8_t { input, before_tool, after_tool, output };
[[nodiscard]] std::string_view name_of(Moment moment) noexcept;

struct MiddlewareView {
  Moment moment;
  std::string_view tool;  // "" at input and output
  CallKey call;
  std::uint32_t iteration;  // 0 at input
  const Conversation& conversation;
  const json::Value& value;  // arguments, result (JSON or string), input or answer text as a string
};

class Decision {
 public:
  enum class Kind : std::uint8_t { allow, change, deny, ask };
  [[nodiscard]] static Decision allow();
  // `why` must not be blank: a change without a reason is refused as a deny.
  [[nodiscard]] static Decision change(json::Value value, std::string why);
  [[nodiscard]] static Decision deny(std::string why);
  // before_tool only; anywhere else it is a deny.
  [[nodiscard]] static Decision ask(Question question);

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  [[nodiscard]] const json::Value& value() const noexcept { return value_; }
  [[nodiscard]] const std::string& why() const noexcept { return why_; }
  [[nodiscard]] const std::optional<Question>& question() const noexcept { return question_; }

 private:
  Kind kind_ = Kind::allow;
  json::Value value_;
  std::string why_;
  std::optional<Question> question_;
};

class Middleware {
 public:
  using Hook = std::function<Decision(const MiddlewareView& view)>;
  // Refused: a blank name ("middleware-name"), no hook at all ("middleware-hooks", at build).
  explicit Middleware(std::string name);
  Middleware& on(Moment moment, Hook hook);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const Hook& hook(Moment moment) const noexcept {
    return hooks_[static_cast<std::size_t>(moment)];
  }
  [[nodiscard]] bool has_hook() const noexcept;

 private:
  std::string name_;
  Hook hooks_[4];
};

// ---- credentials

struct CredentialAnswer {
  explicit CredentialAnswer(std::shared_ptr<const Credential> issued)
      : credential(std::move(issued)) {}
  // A person must first visit `url`.
  CredentialAnswer(std::string url, std::string session)
      : authorization_url(std::move(url)), session_id(std::move(session)) {}
  std::shared_ptr<const Credential> credential;  // null: authorization required
  std::string authorization_url;  // told to the caller only, never to events or the record
  std::string session_id;
};

// A credential that needs a person's consent first: ask the person, or tell the model that the call
// cannot be made. A run told that way whose consent is still missing at its answer is stopped
// (`consent_required`), unless the service issued a credential later in it.
enum class ConsentPosture : std::uint8_t { pause, tell_model };

class CredentialProvider {
 public:
  virtual ~CredentialProvider() = default;
  [[nodiscard]] virtual Task<CredentialAnswer> get(const CredentialNeed& need,
                                                   const std::optional<Identity>& identity,
                                                   CancelToken cancel) = 0;
};

}  // namespace agentfootprint
