totrain_test(test_scan_ranges
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_scan_ranges.c USES base sqlite_host LABEL unit)
