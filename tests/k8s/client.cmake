# The client against a scripted API server; no cluster is needed.
add_executable(k8s_probe ${CMAKE_CURRENT_LIST_DIR}/probe.c)
target_link_libraries(k8s_probe PRIVATE totrain_k8s_loop)
totrain_add_test(NAME kube_client COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_client.py
  $<TARGET_FILE:k8s_probe>)
set_tests_properties(kube_client PROPERTIES TIMEOUT 900 LABELS kube)
totrain_test_classes(kube_supervisor supervisor_tests
  COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_supervisor.py APART Followed Outage)
set_tests_properties(${supervisor_tests} PROPERTIES TIMEOUT 900 LABELS kube
  ENVIRONMENT "TOTRAIN_BUILD=${CMAKE_BINARY_DIR}")
totrain_add_test(NAME kube_charts COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_charts.py)
set_tests_properties(kube_charts PROPERTIES TIMEOUT 60 LABELS kube
  ENVIRONMENT "TOTRAIN_BUILD=${CMAKE_BINARY_DIR}")
totrain_add_test(NAME kube_manifests COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_manifests.py)
set_tests_properties(kube_manifests PROPERTIES TIMEOUT 120 LABELS kube
  ENVIRONMENT "TOTRAIN_BUILD=${CMAKE_BINARY_DIR}")
