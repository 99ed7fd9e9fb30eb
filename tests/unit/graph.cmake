totrain_test(test_graph SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_graph.c USES base graph LIBS PkgConfig::CJSON LABEL unit)
