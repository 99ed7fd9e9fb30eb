totrain_test(test_binary_cells SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_binary_cells.c USES postgres_libpq LABEL unit)
totrain_test(test_table_scan SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_table_scan.c USES postgres_sql LABEL unit)
