add_executable(job_roles ${CMAKE_CURRENT_LIST_DIR}/job_roles.c
  ${CMAKE_CURRENT_LIST_DIR}/csv_job.c ${CMAKE_SOURCE_DIR}/cli/role_commands.c)
target_link_libraries(job_roles PRIVATE totrain_runtime)
target_include_directories(job_roles PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/tests)
if(TOTRAIN_FAULTS)
  add_test(NAME cluster COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/test_cluster.py
    $<TARGET_FILE:job_roles> ${CMAKE_SOURCE_DIR}/examples/data/iris.csv)
  add_test(NAME cluster_scale COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/test_scale.py
    $<TARGET_FILE:job_roles> ${CMAKE_SOURCE_DIR}/examples/data/iris.csv)
  add_test(NAME cluster_network COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/test_network.py
    $<TARGET_FILE:job_roles> ${CMAKE_SOURCE_DIR}/examples/data/iris.csv)
  # A worker that is told to end while its rows are still being encoded ends at
  # once, with the thread that encodes them: that is no leak.
  set_tests_properties(cluster cluster_scale cluster_network PROPERTIES TIMEOUT 300 LABELS cluster
    ENVIRONMENT "TSAN_OPTIONS=report_thread_leaks=0")
endif()
