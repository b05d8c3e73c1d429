# A room is a folder with its own static library, named after its path:
# common/base -> meanfield_common_base. Sources are the folder's *.cc files but
# *_main.cc, which are programs.
function(meanfield_room)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  file(RELATIVE_PATH room ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  string(REPLACE "/" "_" name meanfield_${room})
  file(GLOB sources CONFIGURE_DEPENDS *.cc)
  list(FILTER sources EXCLUDE REGEX "_main\\.cc$")
  if(sources)
    add_library(${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(${name} ${scope} ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} ${scope} ${ARG_DEPS})
endfunction()

# A program with one main file in the calling room, installed to bin/.
function(meanfield_program program main)
  add_executable(${program} ${main})
  target_link_libraries(${program} PRIVATE ${ARGN})
  install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# One test program per room: tests/<room>/*_test.cc. A folder whose library is
# not built in this configuration is left out.
function(meanfield_tests folder)
  cmake_parse_arguments(ARG "" "LABEL" "DEPS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS
       ${CMAKE_SOURCE_DIR}/tests/${folder}/*_test.cc)
  if(NOT sources)
    return()
  endif()
  string(REPLACE "/" "_" name ${folder}_test)
  add_executable(${name} ${sources})
  target_compile_definitions(${name} PRIVATE
    MEANFIELD_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    MEANFIELD_BINARY_DIR="${CMAKE_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} meanfield_tests_support
    GTest::gmock GTest::gtest_main)
  set(properties TIMEOUT 600)
  if(ARG_LABEL STREQUAL "long")
    set(properties TIMEOUT 3600)
  endif()
  if(ARG_LABEL)
    list(APPEND properties LABELS ${ARG_LABEL})
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST
                       PROPERTIES ${properties})
endfunction()
