totrain_test(test_job_sync SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_job_sync.c USES engine LABEL unit)
totrain_test(test_progress SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_progress.c USES engine LABEL unit)
totrain_test(test_score_choice SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_score_choice.c USES engine LABEL unit)
totrain_test(test_direct_order SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_direct_order.c USES engine LABEL unit)
