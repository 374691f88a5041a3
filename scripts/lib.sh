# Shared by ./run, ./test and .ci/run. Sourced with `top` set to the project's folder.

say() { printf '\n== %s\n' "$*" >&2; }

# ensure_packages GROUP...: installs what is missing; when that is not allowed, prints the one line to copy.
ensure_packages() {
  local group wanted="" missing="" package
  for group in "$@"; do
    wanted="$wanted $(sed -n "s/^$group //p" "$top/scripts/packages.txt" | tr '\n' ' ')"
  done
  for package in $wanted; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing="$missing $package"
  done
  [ -z "$missing" ] && return 0
  local sudo=""
  if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      sudo="sudo"
    else
      printf 'These Debian packages are missing. Install them, then run this again:\n\n  sudo apt-get update && sudo apt-get install -y --no-install-recommends%s\n\n' "$missing" >&2
      exit 2
    fi
  fi
  say "installing$missing"
  if ! { $sudo apt-get update -qq && DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null; }; then
    printf 'The packages could not be installed. Try:\n\n  sudo apt-get update && sudo apt-get install -y --no-install-recommends%s\n\n' "$missing" >&2
    exit 2
  fi
}

# configure PRESET: quiet unless it fails.
configure() {
  local log
  log=$(cd "$top" && cmake --preset "$1" 2>&1) || { printf '%s\n' "$log" >&2; exit 2; }
}

# build PRESET TARGET...: prints what is built, not every step, unless it fails.
build() {
  local preset=$1
  shift
  (cd "$top" && cmake --build --preset "$preset" --target "$@" -- --quiet) >&2
}
