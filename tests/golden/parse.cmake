# Each case of tests/golden/parse through the command that users run.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/parse_driver)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/cli ${CMAKE_BINARY_DIR}/include/parse_driver/cli SYMBOLIC)
add_executable(totrain_parse_driver
  ${CMAKE_CURRENT_LIST_DIR}/parse/driver.c ${CMAKE_SOURCE_DIR}/cli/parse_command.c)
target_include_directories(totrain_parse_driver PRIVATE ${CMAKE_BINARY_DIR}/include/parse_driver)
target_link_libraries(totrain_parse_driver PRIVATE totrain_parser)
find_program(PYTHON3 python3 REQUIRED)
add_test(NAME golden_parse
  COMMAND ${PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/run.py
          $<TARGET_FILE:totrain_parse_driver> ${CMAKE_CURRENT_LIST_DIR}/parse)
set_tests_properties(golden_parse PROPERTIES TIMEOUT 120 LABELS golden)
