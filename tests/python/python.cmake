# The package for Python, as users have it: the wheel is made once, and installed with what its tests need into one
# environment; packages come from PyPI. Sanitizers need programs that were built with them.
if(NOT TOTRAIN_SANITIZE AND NOT TOTRAIN_COVERAGE AND NOT TOTRAIN_FUZZ)
  set(python_folder ${CMAKE_BINARY_DIR}/python)
  totrain_add_test(NAME python_environment COMMAND ${CMAKE_CURRENT_LIST_DIR}/make_environment ${CMAKE_BINARY_DIR})
  set_tests_properties(python_environment PROPERTIES TIMEOUT 900 LABELS python FIXTURES_SETUP python_environment)
  file(GLOB python_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
  foreach(path ${python_tests})
    string(REGEX REPLACE ".*/test_(.*)\\.py" "python_\\1" name ${path})
    if(name STREQUAL python_on_postgres AND NOT TARGET totrain_postgres)
      continue()
      totrain_add_test(NAME python_datasette_with_pysqlite COMMAND ${python_folder}/venv/bin/python -B ${CMAKE_CURRENT_LIST_DIR}/test_datasette.py)
  set_tests_properties(python_datasette_with_pysqlite PROPERTIES TIMEOUT 900 LABELS python FIXTURES_REQUIRED python_environment
    ENVIRONMENT "TOTRAIN_BUILD=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1;TOTRAIN_WITH_PYSQLITE=1")
endif()
    totrain_add_test(NAME ${name} COMMAND ${python_folder}/venv/bin/python -B ${path})
    set_tests_properties(${name} PROPERTIES TIMEOUT 900 LABELS python FIXTURES_REQUIRED python_environment
      ENVIRONMENT "TOTRAIN_BUILD=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1;PG_CONFIG=${PG_CONFIG}")
  endforeach()
  totrain_add_test(NAME python_frames_without_arrow COMMAND ${python_folder}/venv/bin/python -B ${CMAKE_CURRENT_LIST_DIR}/test_frames.py)
  set_tests_properties(python_frames_without_arrow PROPERTIES TIMEOUT 900 LABELS python FIXTURES_REQUIRED python_environment
    ENVIRONMENT "TOTRAIN_BUILD=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1;TOTRAIN_WITHOUT_ARROW=1")
  totrain_add_test(NAME python_datasette_with_pysqlite COMMAND ${python_folder}/venv/bin/python -B ${CMAKE_CURRENT_LIST_DIR}/test_datasette.py)
  set_tests_properties(python_datasette_with_pysqlite PROPERTIES TIMEOUT 900 LABELS python FIXTURES_REQUIRED python_environment
    ENVIRONMENT "TOTRAIN_BUILD=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1;TOTRAIN_WITH_PYSQLITE=1")
endif()
