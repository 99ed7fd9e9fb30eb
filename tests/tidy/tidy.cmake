add_test(NAME tidy COMMAND /usr/bin/python3 ${CMAKE_SOURCE_DIR}/tests/tidy/tidy.py)
set_tests_properties(tidy PROPERTIES TIMEOUT 120 LABELS unit)
