foreach(name spool column_moments row_order dataset dataset_ranges jobstore journal checkpoint)
  totrain_test(test_${name} SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_${name}.c
    USES base jobspec scoring data LIBS PkgConfig::SQLITE LABEL unit)
endforeach()
# TOTRAIN_WRITE=1 build/.../tests/test_journal prints docs/journal.md anew.
target_compile_definitions(test_journal PRIVATE JOURNAL_DOCUMENT="${CMAKE_SOURCE_DIR}/docs/journal.md")
totrain_test(test_model_file SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_model_file.c USES base data scoring kinds LIBS PkgConfig::CJSON LABEL unit)
totrain_test(test_shardstore SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_shardstore.c USES data LABEL unit)
