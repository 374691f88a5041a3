// The command line over CLI11.
#include "agentfootprint/cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "agentfootprint/base/utf8.hpp"

namespace agentfootprint {
namespace {

// The library reads "-1" as a large count.
std::string not_negative(const std::string& text) {
  return text.starts_with('-') ? "a count cannot be negative: " + text : "";
}

std::string above_zero_text(const std::string& text) {
  const bool some_digit = text.find_first_of("123456789") != std::string::npos;
  return some_digit && !text.starts_with('-') ? "" : "it must be a number above zero: " + text;
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::repeatable() {
  option_->allow_extra_args(false);
  return *this;
}

Option& Option::comma_list() {
  option_->delimiter(',')->allow_extra_args(false);
  return *this;
}

Option& Option::above_zero() {
  option_->check(CLI::Validator(above_zero_text, ""));
  return *this;
}

Option& Option::shows_default() {
  option_->capture_default_str();
  return *this;
}

Option Command::option(const char* name, std::string& into, const char* help) {
  return Option(app_->add_option(name, into, help));
}

Option Command::option(const char* name, std::optional<std::string>& into, const char* help) {
  return Option(app_->add_option(name, into, help));
}

Option Command::option(const char* name, std::vector<std::string>& into, const char* help) {
  return Option(app_->add_option(name, into, help));
}

Option Command::option(const char* name, int& into, const char* help) {
  return Option(app_->add_option(name, into, help));
}

Option Command::option(const char* name, std::int64_t& into, const char* help) {
  return Option(app_->add_option(name, into, help));
}

Option Command::option(const char* name, std::uint64_t& into, const char* help) {
  return Option(app_->add_option(name, into, help)->check(CLI::Validator(not_negative, "")));
}

Option Command::option(const char* name, std::optional<std::uint32_t>& into, const char* help) {
  return Option(app_->add_option(name, into, help)->check(CLI::Validator(not_negative, "")));
}

void Command::flag(const char* name, bool& into, const char* help) {
  app_->add_flag(name, into, help);
}

Command Command::command(const char* name, const char* help) {
  app_->require_subcommand(1);
  return Command(app_->add_subcommand(name, help), choice_);
}

void Command::footer(const char* text) {
  app_->footer(text);
}

void Command::runs(std::function<int()> run) {
  app_->callback([run = std::move(run), choice = choice_] { *choice = run; });
}

CommandLine::CommandLine(const char* description, const char* name, const char* version)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->set_version_flag("--version", version);
  app_->require_subcommand(1);
}

CommandLine::~CommandLine() = default;

Command CommandLine::command(const char* name, const char* help) {
  return Command(app_->add_subcommand(name, help), &choice_);
}

void CommandLine::footer(const char* text) {
  app_->footer(text);
}

int CommandLine::run(int count, const char* const* arguments) {
  try {
    app_->parse(count, arguments);
  } catch (const CLI::Success& done) {  // --help and --version
    return app_->exit(done);
  } catch (const CLI::ParseError& error) {
    const bool names_no_command =
        count > 1 && arguments[1][0] != '-' && app_->get_subcommands().empty();
    const std::string what =
        names_no_command ? fmt::format("there is no command \"{}\"", arguments[1]) : error.what();
    fmt::print(stderr, "agentfootprint: {}\nTry `agentfootprint --help`.\n", utf8::printable(what));
    return kExitUsage;
  }
  return choice_();
}

}  // namespace agentfootprint
