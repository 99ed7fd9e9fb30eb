totrain_test(test_sums SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_sums.c USES train LABEL unit)
totrain_test(test_sums_rows SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_sums_rows.c USES train LABEL unit)
totrain_test(test_master SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_master.c USES train LABEL unit)
totrain_test(test_master_lanes SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_master_lanes.c USES train LABEL unit)
totrain_test(test_master_pairs SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_master_pairs.c USES train LABEL unit)
totrain_test(test_stall SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_stall.c USES process LABEL unit)
totrain_test(test_worker SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_worker.c
  ${CMAKE_SOURCE_DIR}/tests/sim/toy.c ${CMAKE_SOURCE_DIR}/tests/sim/toy_rows.c USES train LABEL unit)
totrain_show_tests(test_worker)
totrain_test(test_loop SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_loop.c USES loop LABEL unit)
totrain_test(test_exposition SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_exposition.c USES record LABEL unit)
totrain_test(test_store_call SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_store_call.c USES loop LABEL unit)
totrain_test(test_job_memory SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_job_memory.c USES role LABEL unit)
totrain_test(test_unable SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_unable.c USES role LABEL unit)
totrain_test(test_usage SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_usage.c USES role LABEL unit)
totrain_test(test_worker_pool SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_worker_pool.c USES process LABEL unit)
totrain_test(test_control SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_control.c USES launch LABEL unit)
totrain_test(test_lanes SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_lanes.c USES train base LABEL unit)
totrain_test(test_lanes_move SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_lanes_move.c USES train base LABEL unit)
totrain_test(test_master_crowd SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_master_crowd.c
  ${CMAKE_SOURCE_DIR}/tests/sim/crowd.c USES train LABEL unit)
totrain_show_tests(test_master_crowd)
totrain_test(test_worker_crowd SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_worker_crowd.c
  ${CMAKE_SOURCE_DIR}/tests/sim/oracle.c ${CMAKE_SOURCE_DIR}/tests/sim/store.c
  ${CMAKE_SOURCE_DIR}/tests/sim/timeline.c ${CMAKE_SOURCE_DIR}/tests/sim/toy.c
  ${CMAKE_SOURCE_DIR}/tests/sim/toy_rows.c
  ${CMAKE_SOURCE_DIR}/tests/sim/world.c USES process LABEL unit)
totrain_show_tests(test_worker_crowd)
totrain_test(test_ledger SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_ledger.c USES score LABEL unit)
totrain_test(test_outbox_executor SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_outbox_executor.c USES record data LABEL unit)
totrain_test(test_event_log SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_event_log.c USES record data LABEL unit)
totrain_test(test_dispatch SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_dispatch.c USES score LABEL unit)
totrain_test(test_scorer_role SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_scorer_role.c USES score LABEL unit)
totrain_test(test_row_table SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_row_table.c USES ps LABEL unit)
