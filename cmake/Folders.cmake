# A folder of agentfootprint/ is a concept. Its sources are found by name: `x.cpp` belongs to the library,
# `x_test.cpp`, `x_bench.cpp` and `x_fuzz.cpp` beside it are its test, benchmark and fuzz target.

# Sets OUT to the library sources of FOLDER (those of `internal/` included).
function(agentfootprint_sources folder out)
  file(GLOB found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/agentfootprint/${folder}/*.cpp
                                    ${CMAKE_SOURCE_DIR}/agentfootprint/${folder}/internal/*.cpp)
  list(FILTER found EXCLUDE REGEX "_(test|bench|fuzz|oracle)\\.cpp$")
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# agentfootprint_library(NAME FOLDERS ... PUBLIC ...): one static library over several folders. A library
# none of whose folders has a source yet is not made.
function(agentfootprint_library name)
  cmake_parse_arguments(arg "" "" "FOLDERS;PUBLIC" ${ARGN})
  set(sources)
  foreach(folder ${arg_FOLDERS})
    agentfootprint_sources(${folder} found)
    list(APPEND sources ${found})
  endforeach()
  if(NOT sources)
    return()
  endif()
  add_library(agentfootprint_${name} STATIC ${sources})
  add_library(agentfootprint::${name} ALIAS agentfootprint_${name})
  set_target_properties(agentfootprint_${name} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(agentfootprint_${name} PUBLIC cxx_std_20)
  target_include_directories(agentfootprint_${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
  set(libraries)
  foreach(library ${arg_PUBLIC})
    if(library MATCHES "^agentfootprint_" AND NOT TARGET ${library})
      continue()
    endif()
    list(APPEND libraries ${library})
  endforeach()
  target_link_libraries(agentfootprint_${name} PUBLIC ${libraries}
                        PRIVATE $<BUILD_INTERFACE:agentfootprint_options>)
  if(AGENTFOOTPRINT_PCH)
    target_precompile_headers(agentfootprint_${name} PRIVATE
      ${CMAKE_SOURCE_DIR}/cmake/precompiled.hpp)
  endif()
endfunction()

# The command line program, from cli/: everything but main.cpp is a library, so that tests reach it.
function(agentfootprint_command)
  agentfootprint_sources(cli sources)
  if(NOT sources)
    return()
  endif()
  set(main ${CMAKE_SOURCE_DIR}/agentfootprint/cli/main.cpp)
  list(REMOVE_ITEM sources ${main})
  add_library(agentfootprint_cli STATIC EXCLUDE_FROM_ALL ${sources})
  target_include_directories(agentfootprint_cli PUBLIC ${CMAKE_SOURCE_DIR})
  target_compile_definitions(agentfootprint_cli PUBLIC AGENTFOOTPRINT_VERSION="${PROJECT_VERSION}")
  # No command runs an agent, so that the first ./run need not build one.
  target_link_libraries(agentfootprint_cli PUBLIC agentfootprint_core agentfootprint_stores CLI11::CLI11
                        PRIVATE agentfootprint_options)
  add_executable(agentfootprint ${main})
  target_link_libraries(agentfootprint PRIVATE agentfootprint_cli agentfootprint_options)
  if(AGENTFOOTPRINT_PCH)
    target_precompile_headers(agentfootprint_cli PRIVATE ${CMAKE_SOURCE_DIR}/cmake/precompiled.hpp)
  endif()
endfunction()
