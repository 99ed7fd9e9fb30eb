# The client against a scripted API server; no cluster is needed.
add_executable(k8s_probe ${CMAKE_CURRENT_LIST_DIR}/probe.c)
target_link_libraries(k8s_probe PRIVATE totrain_k8s_loop)
add_test(NAME kube_client COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_client.py
  $<TARGET_FILE:k8s_probe>)
set_tests_properties(kube_client PROPERTIES TIMEOUT 300 LABELS unit)
