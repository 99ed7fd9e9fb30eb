# The doors as users meet them: the stock sqlite3 shell, Debian's python3 and
# our own program, each on files of its own.
set(sqlite_environment "TOTRAIN_BUILD=${CMAKE_BINARY_DIR}" "PYTHONDONTWRITEBYTECODE=1")
if(TOTRAIN_SANITIZE MATCHES "address|thread")
  # The programs that load the extension were built without the sanitizer.
  set(sanitizer asan)
  if(TOTRAIN_SANITIZE STREQUAL "thread")
    set(sanitizer tsan)
  endif()
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=lib${sanitizer}.so
                  OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND sqlite_environment "LD_PRELOAD=${library}" "ASAN_OPTIONS=detect_leaks=0")
endif()
foreach(name auto bad_rows best_epoch boosters class_weights cli clicks column_digests column_kinds columns
             constraints dates definitions dependence detached digests documents drift edge_cases errors exchange expected_time explained_notices
             exposure far_numbers final_step folds forecast_anomalies forecast_goes_on forecast_hierarchy
             forecast_page forecast_parts forecast_regressors forecast_series forecast_statement forecast_transforms
             forecasts formulas frames graph_figures graph_losses graph_zoo graphs heads hostile_words import
             interactive
             interrupt interrupts intervals isolation job_history judging kmeans linear linked_losses lists memory
             metrics mistakes model_cache model_examples model_memory model_pieces models naive_bayes named_scoring
             network_settings notices offsets one_class onnx onnx_graphs onnx_import outliers pages parallel_spool pca
             prediction python python_signals quantiles quarantine regressions replacing report rows_table scorecard scoring
             search second_day sequences servers shap shards shell silence spellings tables targets tensorboard texts
             transactions tree_draws tree_quality tree_references trees unseen_nulls using weighted_texts weighted_trees word_shapes
             words written_formulas)
  totrain_add_test(NAME sqlite_${name} COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py)
  set_tests_properties(sqlite_${name} PROPERTIES
    TIMEOUT 900 LABELS sqlite ENVIRONMENT "${sqlite_environment}")
endforeach()

# Random statements with oracles; `make test-full` has thousands.
totrain_add_test(NAME sqlite_oracles COMMAND /usr/bin/python3 ${CMAKE_SOURCE_DIR}/tests/oracles/test_oracles.py)
set_tests_properties(sqlite_oracles PROPERTIES TIMEOUT 900 LABELS sqlite ENVIRONMENT "${sqlite_environment}")

# The pages' output is looked at with the other documents, as changes of defaults and notices change it.
totrain_add_test(NAME docs_tutorial COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/test_tutorial.py)
set_tests_properties(docs_tutorial PROPERTIES TIMEOUT 900 LABELS docs ENVIRONMENT "${sqlite_environment}")

# The same through C, in a program that binds its calls when they are first made.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/tests)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/tests ${CMAKE_BINARY_DIR}/include/tests/tests SYMBOLIC)
add_executable(test_prepare ${CMAKE_CURRENT_LIST_DIR}/test_prepare.c)
totrain_show_tests(test_prepare)
target_link_libraries(test_prepare PRIVATE totrain_base PkgConfig::SQLITE PkgConfig::CMOCKA)
target_link_options(test_prepare PRIVATE -Wl,-z,lazy)
# Its file is named as Python's module is.
add_library(keeps_sqlite3 SHARED ${CMAKE_CURRENT_LIST_DIR}/keeps_sqlite3.c)
target_include_directories(keeps_sqlite3 PRIVATE ${PROJECT_SOURCE_DIR})
set_target_properties(keeps_sqlite3 PROPERTIES C_VISIBILITY_PRESET default)
target_link_libraries(keeps_sqlite3 PRIVATE PkgConfig::SQLITE)
target_link_libraries(test_prepare PRIVATE keeps_sqlite3)
add_dependencies(test_prepare totrain_so)
totrain_add_test(NAME sqlite_prepare COMMAND test_prepare $<TARGET_FILE:totrain_so>)
set_tests_properties(sqlite_prepare PROPERTIES TIMEOUT 120 LABELS sqlite)

# A job that scores, its processes killed: through the door, with the program itself.
if(TOTRAIN_FAULTS)
  totrain_add_test(NAME cluster_score COMMAND /usr/bin/python3 -B
    ${CMAKE_SOURCE_DIR}/tests/cluster/test_score.py)
  set_tests_properties(cluster_score PROPERTIES
    TIMEOUT 900 LABELS cluster ENVIRONMENT "${sqlite_environment}")
endif()
