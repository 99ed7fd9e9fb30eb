foreach(name alike cell_list list_counts items input_members sequence cell_text text_words weighted_terms word_shapes cell_counts written_number dates number_origin transform cross model metrics model_table trees_model layer_sums elementary silhouette judging)
  totrain_test(test_${name} SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_${name}.c USES base scoring kinds LIBS PkgConfig::CJSON LABEL unit)
endforeach()
totrain_test(test_png SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_png.c USES base inputs LIBS PkgConfig::CJSON PkgConfig::SPNG LABEL unit)

# The clones of WIDE_VECTORS as functions that a test can call.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(baseline_options "")
  set(avx2_options -mavx2)
  set(avx512f_options -mavx512f)
  foreach(vectors baseline avx2 avx512f)
    add_library(activation_${vectors} OBJECT ${CMAKE_SOURCE_DIR}/scoring/numbers/activation.c)
    target_compile_definitions(activation_${vectors} PRIVATE
      WIDE_VECTORS= activation_forward=activation_forward_${vectors})
    target_compile_options(activation_${vectors} PRIVATE -O3 -fno-trapping-math ${${vectors}_options})
    target_link_libraries(activation_${vectors} PRIVATE totrain_scoring)
    target_link_libraries(test_layer_sums PRIVATE activation_${vectors})
  endforeach()
endif()
totrain_test(test_model_seeds
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_model_seeds.c ${CMAKE_SOURCE_DIR}/tests/fuzz/made_model.c
  USES base scoring kinds LIBS PkgConfig::XXHASH LABEL unit)
target_compile_definitions(test_model_seeds PRIVATE SEEDS="${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/model_table"
  SCORES="${CMAKE_SOURCE_DIR}/tests/unit/model_seed_scores.txt")
totrain_test(test_formulas
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_formulas.c ${CMAKE_SOURCE_DIR}/tests/fuzz/made_model.c
  USES base scoring kinds LIBS PkgConfig::XXHASH LABEL unit)
target_compile_definitions(test_formulas PRIVATE SEEDS="${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/model_table")
totrain_test(test_formula_onnx
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_formula_onnx.c ${CMAKE_SOURCE_DIR}/tests/fuzz/made_model.c
  USES base scoring kinds interop LIBS PkgConfig::XXHASH LABEL unit)
target_compile_definitions(test_formula_onnx PRIVATE SEEDS="${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/model_table")
foreach(name forecast_model forecast_one holidays model_damage)
  totrain_test(test_${name} SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_${name}.c USES base scoring forecast kinds LIBS PkgConfig::CJSON LABEL unit)
endforeach()
totrain_test(test_outputs SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_outputs.c USES scoring kinds LABEL unit)
foreach(name bootstrap row_counts drift other_unit input_statistics names number_metrics survival metric_notices importance shap cell_counts_merge report model_meta tails final_step)
  totrain_test(test_${name} SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_${name}.c USES base scoring kinds LIBS PkgConfig::CJSON LABEL unit)
endforeach()
