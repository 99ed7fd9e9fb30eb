set(learn_rows ${CMAKE_CURRENT_LIST_DIR}/learn_rows.c)
set(learner_group ${CMAKE_CURRENT_LIST_DIR}/learner_group.c)
foreach(test row_lanes row_store step_shares fixed_point kernels batch_norm losses products optimizer descent_clip network learner learner_best learner_guard learner_table touched_rows leaf_quantiles tree_risks tree_drops tree_paths tree_bins tree_constraints tree_growth tree_split trees_constrained)
  totrain_test(test_${test}
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_${test}.c ${learn_rows}
    USES learners learn data scoring jobspec base LABEL unit)
endforeach()
totrain_test(test_kmeans
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_kmeans.c ${learn_rows} ${learner_group}
  USES learners learn data scoring jobspec base LABEL unit)
totrain_test(test_trees
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_trees.c ${CMAKE_CURRENT_LIST_DIR}/trees_job.c ${learn_rows} ${learner_group}
  USES learners learn data scoring jobspec base LABEL unit)
totrain_test(test_embedding_network
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_embedding_network.c ${CMAKE_CURRENT_LIST_DIR}/embedding_case.c ${learn_rows}
  USES learners learn data scoring jobspec base LABEL unit)
totrain_test(test_embedding_batches
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_embedding_batches.c ${CMAKE_CURRENT_LIST_DIR}/embedding_case.c ${learn_rows}
  USES ps learners learn data scoring jobspec base LABEL unit)
foreach(test bayes isolation newton one_class pca regression scorecard)
  totrain_test(test_${test}
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_${test}.c ${CMAKE_CURRENT_LIST_DIR}/row_sums_group.c ${learn_rows} ${learner_group}
    USES learners learn data scoring jobspec base LABEL unit)
  target_link_libraries(test_${test} PRIVATE PkgConfig::CJSON)
endforeach()
foreach(test symmetric_eigen symmetric_inverse wide_sums)
  totrain_test(test_${test} SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_${test}.c USES learn base LABEL unit)
endforeach()
target_compile_definitions(test_learner PRIVATE TOTRAIN_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_compile_definitions(test_kmeans PRIVATE IRIS="${CMAKE_SOURCE_DIR}/examples/data/iris.csv")
foreach(test leaks baseline final_fit tree_objective tree_rankings)
  totrain_test(test_${test} SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_${test}.c
    USES learn data scoring kinds jobspec base LIBS PkgConfig::CJSON LABEL unit)
endforeach()
totrain_test(test_series_fit SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_series_fit.c
  USES learn data scoring kinds forecast jobspec base LABEL unit)
totrain_test(test_series_kept SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_series_kept.c
  USES learn data scoring kinds forecast jobspec base LABEL unit)
totrain_test(test_series_reach SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_series_reach.c
  USES learn data scoring kinds forecast jobspec base LABEL unit)
totrain_test(test_series SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_series.c ${learner_group}
  USES learners learn data scoring kinds jobspec base LABEL unit)
totrain_test(test_graph_network
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_graph_network.c ${CMAKE_CURRENT_LIST_DIR}/made_graph.c ${learn_rows}
  USES learners learn data graph scoring jobspec base LABEL unit)
