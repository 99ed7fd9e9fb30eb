# Each statement of tests/golden/plan: with described tables -> plan, job spec or error.
add_executable(totrain_plan_driver
  ${CMAKE_CURRENT_LIST_DIR}/plan_driver.c
  ${CMAKE_CURRENT_LIST_DIR}/../unit/golden_topic.c
  ${CMAKE_CURRENT_LIST_DIR}/../unit/described_catalog.c)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/tests)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/tests ${CMAKE_BINARY_DIR}/include/tests/tests SYMBOLIC)
totrain_show_tests(totrain_plan_driver)
target_link_libraries(totrain_plan_driver PRIVATE totrain_codegen totrain_planner totrain_parser)
find_program(PYTHON3 python3 REQUIRED)
totrain_add_test(NAME golden_plan
  COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_LIST_DIR}/run_plan.py
          $<TARGET_FILE:totrain_plan_driver> ${CMAKE_CURRENT_LIST_DIR}/plan)
set_tests_properties(golden_plan PROPERTIES TIMEOUT 900 LABELS golden)
totrain_test_of_files(golden_topics LABEL golden TIMEOUT 120
  COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_LIST_DIR}/test_topics.py)
totrain_test_of_files(golden_schemas LABEL golden TIMEOUT 120
  COMMAND ${PYTHON3} -B ${CMAKE_CURRENT_LIST_DIR}/run_schemas.py
          ${CMAKE_CURRENT_LIST_DIR}/plan ${CMAKE_SOURCE_DIR}/jobspec)
