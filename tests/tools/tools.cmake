# What the tools of developers compute, where it can be said without a build.
if(NOT TOTRAIN_SANITIZE AND NOT TOTRAIN_COVERAGE AND NOT TOTRAIN_FUZZ)
  add_test(NAME tools_mutants COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_mutants.py)
  set_tests_properties(tools_mutants PROPERTIES TIMEOUT 60 LABELS unit)
endif()
