totrain_add_test(NAME tidy COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/tidy/tidy.py)
set_tests_properties(tidy PROPERTIES TIMEOUT 300 LABELS unit)
totrain_add_test(NAME tidy_rooms COMMAND /usr/bin/python3 -B ${CMAKE_SOURCE_DIR}/tests/tidy/rooms.py)
set_tests_properties(tidy_rooms PROPERTIES TIMEOUT 300 LABELS unit)
