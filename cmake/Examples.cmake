# The programs of examples/, and the quick starts of the pages: the first block of C++ of each, as a program.
# None is built unless it is asked for.
set(agentfootprint_examples)
function(agentfootprint_example name source)
  add_executable(${name} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(${name} PRIVATE agentfootprint_all agentfootprint_options)
  list(APPEND agentfootprint_examples ${name})
  set(agentfootprint_examples ${agentfootprint_examples} PARENT_SCOPE)
endfunction()

file(GLOB examples CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*.cpp)
foreach(source ${examples})
  get_filename_component(name ${source} NAME_WE)
  agentfootprint_example(${name} ${source})
endforeach()

set(first_program ${CMAKE_SOURCE_DIR}/tests/tools/first_program.awk)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/quick_starts)
foreach(page README docs/agent)
  get_filename_component(name ${page} NAME)
  string(TOLOWER quick_start_${name} name)
  set(source ${CMAKE_BINARY_DIR}/quick_starts/${name}.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND awk -f ${first_program} ${CMAKE_SOURCE_DIR}/${page}.md > ${source}
    DEPENDS ${CMAKE_SOURCE_DIR}/${page}.md ${first_program} VERBATIM)
  agentfootprint_example(${name} ${source})
endforeach()
