totrain_test(test_jobspec SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_jobspec.c USES jobspec LIBS PkgConfig::CJSON LABEL unit)
