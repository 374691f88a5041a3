# Compile options shared by every target of the project.
add_library(agentfootprint_options INTERFACE)
target_compile_options(agentfootprint_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow
  # GCC 12 sees overlaps in std::string that are not there; clang reports libstdc++ 12's own use of a
  # deprecated buffer in std::stable_sort.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
if(AGENTFOOTPRINT_WERROR)
  target_compile_options(agentfootprint_options INTERFACE -Werror)
endif()
if(AGENTFOOTPRINT_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined)
elseif(AGENTFOOTPRINT_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -g1)
  add_link_options(-fsanitize=thread)
endif()
