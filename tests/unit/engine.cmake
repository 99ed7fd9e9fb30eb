totrain_test(test_progress SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_progress.c USES engine LABEL unit)
