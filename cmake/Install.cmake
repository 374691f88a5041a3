# `cmake --install`: headers, static libraries, the command, and a package that find_package can use.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(exported agentfootprint_all agentfootprint_core)
foreach(part net stores agent)
  if(TARGET agentfootprint_${part})
    list(APPEND exported agentfootprint_${part})
  endif()
endforeach()
install(TARGETS ${exported} EXPORT agentfootprint ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET agentfootprint)
  install(TARGETS agentfootprint RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY agentfootprint DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp")
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/agentfootprint)
install(EXPORT agentfootprint NAMESPACE agentfootprint:: DESTINATION ${package_dir})
configure_package_config_file(cmake/agentfootprintConfig.cmake.in
  ${CMAKE_BINARY_DIR}/agentfootprintConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/agentfootprintConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/agentfootprintConfig.cmake
              ${CMAKE_BINARY_DIR}/agentfootprintConfigVersion.cmake
              cmake/Dependencies.cmake
        DESTINATION ${package_dir})
