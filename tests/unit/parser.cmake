totrain_test(test_splitter SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_splitter.c USES parser LABEL unit)
totrain_test(test_parser SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_parser.c USES parser LABEL unit)
totrain_test(test_placeholders SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_placeholders.c USES parser LABEL unit)
