# totrain_show_headers(NAME folder...)
#
# An include names a header by its path from the root of the project. That path exists only for who
# links the module whose folder it is in: each header of the folders (not of those inside of them) is
# linked into build/include/NAME, so that an include against the data flow does not compile.
function(totrain_show_headers name)
  set(shown ${CMAKE_BINARY_DIR}/include/${name})
  file(REMOVE_RECURSE ${shown})
  foreach(folder ${ARGN})
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${folder})
    file(MAKE_DIRECTORY ${shown}/${path})
    file(GLOB headers CONFIGURE_DEPENDS ${folder}/*.h)
    foreach(header ${headers})
      get_filename_component(file ${header} NAME)
      file(CREATE_LINK ${header} ${shown}/${path}/${file} SYMBOLIC)
    endforeach()
  endforeach()
endfunction()

# totrain_module(NAME SOURCES file... [USES module...] [LIBS library...])
#
# One static library, of one folder or of its rooms: who uses it can include the headers of the
# folders that its sources lie in.
function(totrain_module name)
  cmake_parse_arguments(MODULE "" "" "SOURCES;USES;LIBS" ${ARGN})
  set(folders "")
  foreach(source ${MODULE_SOURCES})
    get_filename_component(folder ${source} DIRECTORY BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
    if(NOT IS_ABSOLUTE ${source})
      list(APPEND folders ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  totrain_show_headers(${name} ${folders})
  add_library(totrain_${name} STATIC ${MODULE_SOURCES})
  target_include_directories(totrain_${name} PUBLIC ${CMAKE_BINARY_DIR}/include/${name})
  list(TRANSFORM MODULE_USES PREPEND totrain_)
  target_link_libraries(totrain_${name} PUBLIC ${MODULE_USES} PRIVATE ${MODULE_LIBS})
endfunction()

# totrain_add_test(NAME name [CONFIGURATIONS name...] COMMAND word...)
#
# A test of ctest whose time by the clock and by processors lands in costs/NAME of the build (tests/measured.c);
# tools/costs reads them. A build that counts branches runs it as it is.
function(totrain_add_test)
  cmake_parse_arguments(TEST "" "NAME" "CONFIGURATIONS;COMMAND" ${ARGN})
  set(configurations "")
  if(TEST_CONFIGURATIONS)
    set(configurations CONFIGURATIONS ${TEST_CONFIGURATIONS})
  endif()
  list(POP_FRONT TEST_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  set(measured measured ${CMAKE_BINARY_DIR}/costs/${TEST_NAME})
  if(TOTRAIN_COVERAGE)
    set(measured "")
  endif()
  add_test(NAME ${TEST_NAME} ${configurations} COMMAND ${measured} ${program} ${TEST_COMMAND})
endfunction()

# totrain_test(NAME SOURCES file... USES module... [LIBS library...])
#
# A cmocka program that ctest runs; every test has a deadline.
function(totrain_test name)
  cmake_parse_arguments(TEST "" "LABEL" "SOURCES;USES;LIBS" ${ARGN})
  add_executable(${name} ${TEST_SOURCES})
  list(TRANSFORM TEST_USES PREPEND totrain_)
  target_link_libraries(${name} PRIVATE ${TEST_USES} ${TEST_LIBS} PkgConfig::CMOCKA)
  totrain_show_tests(${name})
  totrain_add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS "${TEST_LABEL}")
endfunction()

# totrain_test_of_files(NAME LABEL label TIMEOUT seconds COMMAND word...)
#
# A test that looks at files and runs nothing that is compiled: the same in all builds, and of no use to a sanitizer.
function(totrain_test_of_files name)
  cmake_parse_arguments(TEST "" "LABEL;TIMEOUT" "COMMAND" ${ARGN})
  if(NOT TOTRAIN_SANITIZE)
    totrain_add_test(NAME ${name} COMMAND ${TEST_COMMAND})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${TEST_TIMEOUT} LABELS ${TEST_LABEL})
  endif()
endfunction()

# totrain_test_classes(NAME VARIABLE COMMAND word... [APART class...])
#
# A file of Python tests that ctest runs as NAME; each class that stands apart, since it takes long, is a test
# NAME_CLASS beside it (tests/classes.py). The variable has all their names.
function(totrain_test_classes name variable)
  cmake_parse_arguments(TEST "" "" "COMMAND;APART" ${ARGN})
  set(names ${name})
  set(without "")
  foreach(class ${TEST_APART})
    string(TOLOWER ${name}_${class} apart)
    totrain_add_test(NAME ${apart} COMMAND ${TEST_COMMAND} ${class})
    list(APPEND names ${apart})
    set(without --without ${TEST_APART})
  endforeach()
  totrain_add_test(NAME ${name} COMMAND ${TEST_COMMAND} ${without})
  set(${variable} ${names} PARENT_SCOPE)
endfunction()

# totrain_show_tests(TARGET): it may include the headers of the tests.
function(totrain_show_tests target)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/tests)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/tests ${CMAKE_BINARY_DIR}/include/tests/tests SYMBOLIC)
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/include/tests)
endfunction()
