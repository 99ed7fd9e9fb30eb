totrain_test(test_job_folder SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_job_folder.c USES launch
  LABEL unit)
totrain_test(test_job_process SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_job_process.c USES launch
  LABEL unit)
