if(TOTRAIN_FUZZ)
  add_executable(fuzz_spool ${CMAKE_CURRENT_LIST_DIR}/fuzz_spool.c)
  target_link_libraries(fuzz_spool PRIVATE totrain_data totrain_scoring totrain_jobspec totrain_base
                                           PkgConfig::XXHASH)
  target_link_options(fuzz_spool PRIVATE -fsanitize=fuzzer)
endif()
