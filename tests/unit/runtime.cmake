totrain_test(test_sums SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_sums.c USES runtime LABEL unit)
totrain_test(test_master SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_master.c USES runtime LABEL unit)
totrain_test(test_worker SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_worker.c
  ${CMAKE_SOURCE_DIR}/tests/sim/toy.c USES runtime LABEL unit)
target_include_directories(test_worker PRIVATE ${CMAKE_SOURCE_DIR}/tests)
totrain_test(test_loop SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_loop.c USES runtime LABEL unit)
totrain_test(test_usage SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_usage.c USES runtime LABEL unit)
totrain_test(test_staffing SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_staffing.c USES runtime LABEL unit)
totrain_test(test_control SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_control.c USES launch LABEL unit)
totrain_test(test_lanes SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_lanes.c USES runtime base LABEL unit)
totrain_test(test_master_crowd SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_master_crowd.c
  ${CMAKE_SOURCE_DIR}/tests/sim/crowd.c USES runtime LABEL unit)
target_include_directories(test_master_crowd PRIVATE ${CMAKE_SOURCE_DIR}/tests)
totrain_test(test_ledger SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_ledger.c USES runtime LABEL unit)
