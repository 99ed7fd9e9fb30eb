add_executable(job_roles ${CMAKE_CURRENT_LIST_DIR}/job_roles.c
  ${CMAKE_CURRENT_LIST_DIR}/csv_job.c ${CMAKE_SOURCE_DIR}/cli/cluster/role_commands.c ${CMAKE_SOURCE_DIR}/cli/cluster/cluster_master.c
  ${CMAKE_SOURCE_DIR}/cli/cluster/table_reading.c)
target_link_libraries(job_roles PRIVATE totrain_cli totrain_postgres_libpq totrain_process totrain_k8s_loop totrain_k8s_submit)
totrain_show_tests(job_roles)
if(TOTRAIN_FAULTS)
  set(cluster_checkpoint_apart Damaged)
  set(cluster_trees_apart Dart Weights Quantiles Percentages Groups)
  set(cluster_server_kills_apart RandomKills Ends)
  set(cluster_server_steps_apart RandomKills)
  set(cluster_tests cluster_shipped)
  foreach(name cluster clicks clusters series linear simple_models trees scale sharing network checkpoint random end trouble servers server_kills server_steps)
    totrain_test_classes(cluster_${name} tests COMMAND python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py
      $<TARGET_FILE:job_roles> ${CMAKE_SOURCE_DIR}/examples/data/iris.csv APART ${cluster_${name}_apart})
    list(APPEND cluster_tests ${tests})
  endforeach()
  totrain_add_test(NAME cluster_shipped COMMAND python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_shipped.py
    $<TARGET_FILE:job_roles> ${CMAKE_SOURCE_DIR}/examples/data/iris.csv ${CMAKE_BINARY_DIR})
  set_tests_properties(${cluster_tests} PROPERTIES TIMEOUT 900 LABELS cluster)
endif()
