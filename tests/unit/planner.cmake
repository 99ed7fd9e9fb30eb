totrain_test(test_attributes
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_attributes.c ${CMAKE_SOURCE_DIR}/tests/documents/jobspec_schema.c
    ${CMAKE_SOURCE_DIR}/tests/documents/advice_document.c ${CMAKE_SOURCE_DIR}/tests/documents/attribute_document.c
    ${CMAKE_SOURCE_DIR}/tests/documents/column_document.c ${CMAKE_SOURCE_DIR}/tests/documents/metric_document.c
    ${CMAKE_SOURCE_DIR}/tests/documents/model_document.c
  USES cli jobspec planner LIBS PkgConfig::CJSON LABEL unit)
# TOTRAIN_WRITE=1 build/.../tests/test_attributes prints docs/attributes.md, docs/columns.md,
# docs/models.md, docs/metrics.md, docs/other-tools.md and jobspec/*.schema.json anew.
target_compile_definitions(test_attributes
  PRIVATE ATTRIBUTES_DOCUMENT="${CMAKE_SOURCE_DIR}/docs/attributes.md" COLUMNS_DOCUMENT="${CMAKE_SOURCE_DIR}/docs/columns.md" MODELS_DOCUMENT="${CMAKE_SOURCE_DIR}/docs/models.md"
  METRICS_DOCUMENT="${CMAKE_SOURCE_DIR}/docs/metrics.md" OTHER_TOOLS_DOCUMENT="${CMAKE_SOURCE_DIR}/docs/other-tools.md" SCHEMA_FOLDER="${CMAKE_SOURCE_DIR}/jobspec")
totrain_test(test_planner
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_planner.c ${CMAKE_CURRENT_LIST_DIR}/described_catalog.c
  USES parser planner LABEL unit)
totrain_test(test_constraints
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_constraints.c ${CMAKE_CURRENT_LIST_DIR}/described_catalog.c
  USES parser planner codegen LABEL unit)
totrain_test(test_advice
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_advice.c ${CMAKE_CURRENT_LIST_DIR}/described_catalog.c
  USES kinds parser planner LABEL unit)
# Each parameter of each estimator: minutes where branches are counted, beside other tests.
set_tests_properties(test_advice PROPERTIES TIMEOUT 900)
totrain_test(test_vectors SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_vectors.c USES planner LABEL unit)
totrain_test(test_column_rounds SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_column_rounds.c USES planner scoring LABEL unit)
totrain_test(test_column_kind SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_column_kind.c USES planner LABEL unit)
totrain_test(test_dialect SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_dialect.c USES planner LABEL unit)
totrain_test(test_spelling_notices SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_spelling_notices.c USES planner LABEL unit)
totrain_test(test_shape_notices SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_shape_notices.c USES planner LABEL unit)
totrain_test(test_value_hints SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_value_hints.c USES planner LABEL unit)
totrain_test(test_trees_statements SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_trees_statements.c USES kinds planner LABEL unit)
totrain_test(test_search
  SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_search.c ${CMAKE_CURRENT_LIST_DIR}/described_catalog.c
  USES parser planner LABEL unit)
