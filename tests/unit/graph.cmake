totrain_test(test_graph SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_graph.c ${CMAKE_CURRENT_LIST_DIR}/made_graph.c
  USES base graph LIBS PkgConfig::CJSON LABEL unit)
foreach(name graph_layers graph_operations)
  totrain_test(test_${name} SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_${name}.c ${CMAKE_CURRENT_LIST_DIR}/graph_trial.c ${CMAKE_CURRENT_LIST_DIR}/made_graph.c
    USES base graph LIBS PkgConfig::CJSON LABEL unit)
endforeach()
