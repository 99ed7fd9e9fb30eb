totrain_test(test_jobspec SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_jobspec.c USES jobspec LIBS PkgConfig::CJSON LABEL unit)
totrain_test(test_jobspec_differences
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_jobspec_differences.c USES jobspec LIBS PkgConfig::CJSON LABEL unit)
