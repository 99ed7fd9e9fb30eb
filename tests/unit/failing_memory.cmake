# Programs in which every allocation can be made to fail (failing_memory.h).
set(FAILING_MEMORY_LINK "")
foreach(name malloc calloc realloc strdup strndup arena_alloc arena_alloc_array arena_copy arena_printf)
  list(APPEND FAILING_MEMORY_LINK "-Wl,--wrap=${name}")
endforeach()

totrain_test(test_memory_of_statements
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_memory_of_statements.c
          ${CMAKE_CURRENT_LIST_DIR}/failing_memory.c ${CMAKE_CURRENT_LIST_DIR}/described_catalog.c
          ${CMAKE_CURRENT_LIST_DIR}/golden_topic.c
  USES parser planner codegen LIBS PkgConfig::CJSON LABEL unit)
target_compile_definitions(test_memory_of_statements
  PRIVATE GOLDEN_FOLDER="${CMAKE_SOURCE_DIR}/tests/golden")
totrain_test(test_memory_of_models
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_memory_of_models.c ${CMAKE_CURRENT_LIST_DIR}/failing_memory.c
  USES kinds scoring LIBS PkgConfig::CJSON LABEL unit)
totrain_test(test_memory_of_columns
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_memory_of_columns.c ${CMAKE_CURRENT_LIST_DIR}/failing_memory.c
  USES jobspec scoring data LIBS PkgConfig::CJSON LABEL unit)
totrain_test(test_memory_of_servers
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_memory_of_servers.c ${CMAKE_CURRENT_LIST_DIR}/failing_memory.c
  USES ps LIBS PkgConfig::CJSON LABEL unit)
totrain_test(test_memory_of_trees
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_memory_of_trees.c ${CMAKE_CURRENT_LIST_DIR}/failing_memory.c
          ${CMAKE_CURRENT_LIST_DIR}/trees_job.c ${CMAKE_CURRENT_LIST_DIR}/learn_rows.c ${CMAKE_CURRENT_LIST_DIR}/learner_group.c
  USES learners learn data scoring jobspec base LIBS PkgConfig::CJSON LABEL unit)
foreach(name statements models columns servers trees)
  target_link_options(test_memory_of_${name} PRIVATE ${FAILING_MEMORY_LINK})
endforeach()
totrain_test(test_memory_of_measures
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_memory_of_measures.c ${CMAKE_CURRENT_LIST_DIR}/failing_memory.c
  USES kinds scoring LIBS PkgConfig::CJSON LABEL unit)
target_link_options(test_memory_of_measures PRIVATE ${FAILING_MEMORY_LINK})
totrain_test(test_heads
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_heads.c ${CMAKE_CURRENT_LIST_DIR}/failing_memory.c
          ${CMAKE_SOURCE_DIR}/tests/fuzz/made_model.c
  USES base scoring kinds LIBS PkgConfig::CJSON PkgConfig::XXHASH LABEL unit)
target_compile_definitions(test_heads PRIVATE SEED="${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/model_table/heads")
target_link_options(test_heads PRIVATE ${FAILING_MEMORY_LINK})
totrain_test(test_memory_of_kept_models
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_memory_of_kept_models.c ${CMAKE_CURRENT_LIST_DIR}/failing_memory.c
  USES sqlite_host kinds scoring LIBS PkgConfig::CJSON LABEL unit)
target_link_options(test_memory_of_kept_models PRIVATE ${FAILING_MEMORY_LINK})
# Allocations of some 940 statements fail in turn, with sanitizers for a minute or two.
set_tests_properties(test_memory_of_statements PROPERTIES TIMEOUT 1800)
