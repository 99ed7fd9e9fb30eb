totrain_test(test_definition_syntax SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_definition_syntax.c USES definition LABEL unit)
totrain_test(test_definition SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_definition.c USES definition LABEL unit)
