totrain_test(test_message SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_message.c USES net LABEL unit)
# TOTRAIN_WRITE=1 build/.../tests/test_message prints docs/messages.md anew.
target_compile_definitions(test_message
  PRIVATE MESSAGES_DOCUMENT="${CMAKE_SOURCE_DIR}/docs/messages.md"
          RECORDED_FRAMES="${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/frame")
totrain_test(test_connection SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_connection.c USES net
  LIBS PkgConfig::LIBEVENT LABEL unit)
totrain_test(test_dial SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_dial.c USES net
  LIBS PkgConfig::LIBEVENT LABEL unit)
totrain_test(test_address SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_address.c USES net LABEL unit)
totrain_test(test_tls SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_tls.c USES net
  LIBS PkgConfig::LIBEVENT LABEL unit)
