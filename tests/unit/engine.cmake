totrain_test(test_job_life SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_job_life.c USES engine LABEL unit)
totrain_test(test_text_spool SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_text_spool.c USES engine LABEL unit)
totrain_test(test_job_sync SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_job_sync.c USES engine LABEL unit)
totrain_test(test_progress SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_progress.c USES engine LABEL unit)
totrain_test(test_score_choice SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_score_choice.c USES engine LABEL unit)
totrain_test(test_bucket_words SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_bucket_words.c USES engine LABEL unit)
totrain_test(test_direct_order SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_direct_order.c USES engine LABEL unit)
totrain_test(test_score_results SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_score_results.c USES engine LABEL unit)
totrain_test(test_spooling_close SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_spooling_close.c USES engine LABEL unit)
totrain_test(test_small_job
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_small_job.c ${CMAKE_CURRENT_LIST_DIR}/described_catalog.c
  USES parser planner engine LABEL unit)
