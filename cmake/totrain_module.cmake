# totrain_module(NAME SOURCES file... [USES module...] [LIBS library...])
#
# One folder, one static library. Headers are included as "NAME/file.h", and
# that path exists only for who links the module: an include against the data
# flow does not compile.
function(totrain_module name)
  cmake_parse_arguments(MODULE "" "" "SOURCES;USES;LIBS" ${ARGN})
  set(shown ${CMAKE_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${shown})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${shown}/${name} SYMBOLIC)
  add_library(totrain_${name} STATIC ${MODULE_SOURCES})
  target_include_directories(totrain_${name} PUBLIC ${shown})
  list(TRANSFORM MODULE_USES PREPEND totrain_)
  target_link_libraries(totrain_${name} PUBLIC ${MODULE_USES} PRIVATE ${MODULE_LIBS})
endfunction()

# totrain_test(NAME SOURCES file... USES module... [LIBS library...])
#
# A cmocka program that ctest runs; every test has a deadline.
function(totrain_test name)
  cmake_parse_arguments(TEST "" "LABEL" "SOURCES;USES;LIBS" ${ARGN})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/tests)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/tests ${CMAKE_BINARY_DIR}/include/tests/tests SYMBOLIC)
  add_executable(${name} ${TEST_SOURCES})
  list(TRANSFORM TEST_USES PREPEND totrain_)
  target_link_libraries(${name} PRIVATE ${TEST_USES} ${TEST_LIBS} PkgConfig::CMOCKA)
  target_include_directories(${name} PRIVATE ${CMAKE_BINARY_DIR}/include/tests)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS "${TEST_LABEL}")
endfunction()
