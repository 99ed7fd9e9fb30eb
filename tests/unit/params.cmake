totrain_test(test_notice_list SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_notice_list.c USES params LIBS PkgConfig::CJSON LABEL unit)
