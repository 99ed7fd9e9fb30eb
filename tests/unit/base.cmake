totrain_test(test_base SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_base.c USES base LABEL unit)
totrain_test(test_hash SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_hash.c USES base LABEL unit)
totrain_test(test_team SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_team.c USES base LABEL unit)
totrain_test(test_lazy SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_lazy.c USES lazy lazy_pq lazy_curl LABEL unit)
