totrain_test(test_kubeconfig SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_kubeconfig.c USES k8s LABEL unit)
totrain_test(test_exec_plugin SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_exec_plugin.c USES k8s
  LABEL unit)
