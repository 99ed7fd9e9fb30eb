totrain_test(test_codegen
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_codegen.c ${CMAKE_CURRENT_LIST_DIR}/described_catalog.c
  USES parser planner codegen LABEL unit)
