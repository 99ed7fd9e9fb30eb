totrain_test(test_console
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_console.c USES console_parts LABEL unit)
