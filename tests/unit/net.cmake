totrain_test(test_message SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_message.c USES net LABEL unit)
totrain_test(test_connection SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_connection.c USES net
  LIBS PkgConfig::LIBEVENT LABEL unit)
