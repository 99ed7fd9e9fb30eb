totrain_test(test_share SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_share.c USES share LABEL unit)
totrain_test(test_share_measure SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_share_measure.c USES share LABEL unit)
totrain_test(test_share_report SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_share_report.c USES share LABEL unit)
