totrain_test(test_kubeconfig SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_kubeconfig.c USES k8s_controller LABEL unit)
totrain_test(test_exec_plugin SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_exec_plugin.c USES k8s_controller
  LABEL unit)
totrain_test(test_kube_api SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_kube_api.c USES k8s_controller LABEL unit)
totrain_test(test_watcher SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_watcher.c USES k8s_controller LABEL unit)
totrain_test(test_limits SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_limits.c USES k8s_controller LABEL unit)
totrain_test(test_manifest SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_manifest.c USES k8s_controller LABEL unit)
totrain_test(test_successor SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_successor.c USES k8s_controller LABEL unit)
totrain_test(test_watcher_random SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_watcher_random.c USES k8s_controller
  LABEL sim)
totrain_test(test_notices SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_notices.c USES k8s_controller LABEL unit)
totrain_test(test_kube_events SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_kube_events.c USES k8s_controller LABEL unit)
totrain_test(test_pod_view SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_pod_view.c USES k8s_controller LABEL unit)
totrain_test(test_pod_pool SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_pod_pool.c USES k8s_controller LABEL unit)
totrain_test(test_pod_pool_random SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_pod_pool_random.c USES k8s_controller
  LABEL sim)
totrain_test(test_http_collect SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_http_collect.c USES k8s_controller
  LABEL unit)
totrain_test(test_outage SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_outage.c USES k8s_submit LABEL unit)
totrain_test(test_share_board SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_share_board.c USES k8s_share LABEL unit)
totrain_test(test_share_lease SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_share_lease.c USES k8s_share LABEL unit)
