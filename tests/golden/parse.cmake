# Each statement of tests/golden/parse through the command that users run.
find_program(PYTHON3 python3 REQUIRED)
totrain_add_test(NAME golden_parse
  COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_LIST_DIR}/run_parse.py
          $<TARGET_FILE:totrain> ${CMAKE_CURRENT_LIST_DIR}/parse)
set_tests_properties(golden_parse PROPERTIES TIMEOUT 120 LABELS golden)
