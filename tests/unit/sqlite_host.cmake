totrain_test(test_scan_ranges
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_scan_ranges.c USES base sqlite_host LABEL unit)
totrain_test(test_frame
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_frame.c ${CMAKE_SOURCE_DIR}/extension/sqlite/frames/frame_copy.c
  USES base sqlite_host LABEL unit)
