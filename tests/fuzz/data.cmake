if(TOTRAIN_FUZZ)
  add_executable(fuzz_spool ${CMAKE_CURRENT_LIST_DIR}/fuzz_spool.c)
  target_link_libraries(fuzz_spool PRIVATE totrain_data totrain_scoring totrain_jobspec totrain_base
                                           PkgConfig::XXHASH)
  target_link_options(fuzz_spool PRIVATE -fsanitize=fuzzer)
endif()
if(TOTRAIN_FUZZ)
  add_executable(fuzz_checkpoint ${CMAKE_CURRENT_LIST_DIR}/fuzz_checkpoint.c
    ${CMAKE_SOURCE_DIR}/tests/unit/learn_rows.c)
  target_link_libraries(fuzz_checkpoint PRIVATE totrain_learners totrain_learn totrain_data totrain_scoring
    totrain_jobspec totrain_base PkgConfig::XXHASH PkgConfig::SQLITE)
  totrain_show_tests(fuzz_checkpoint)
  target_link_options(fuzz_checkpoint PRIVATE -fsanitize=fuzzer)
  add_executable(fuzz_journal ${CMAKE_CURRENT_LIST_DIR}/fuzz_journal.c)
  target_link_libraries(fuzz_journal PRIVATE totrain_data totrain_launch totrain_scoring totrain_jobspec totrain_base
                                             PkgConfig::SQLITE)
  target_link_options(fuzz_journal PRIVATE -fsanitize=fuzzer)
endif()
if(TOTRAIN_FUZZ)
  add_executable(fuzz_column_statistics ${CMAKE_CURRENT_LIST_DIR}/fuzz_column_statistics.c)
  target_link_libraries(fuzz_column_statistics PRIVATE totrain_data totrain_scoring totrain_jobspec totrain_base)
  target_link_options(fuzz_column_statistics PRIVATE -fsanitize=fuzzer)
endif()
