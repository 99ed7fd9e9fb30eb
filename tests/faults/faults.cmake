# What the system refuses, and what the disk has when a machine loses its power: libraries for
# LD_PRELOAD, and the tests that start jobs with them. A sanitizer has allocations of its own.
if(NOT TOTRAIN_SANITIZE AND NOT TOTRAIN_COVERAGE AND NOT TOTRAIN_FUZZ)
  add_library(failing_calls MODULE ${CMAKE_CURRENT_LIST_DIR}/failing_calls.c)
  target_link_libraries(failing_calls PRIVATE ${CMAKE_DL_LIBS})
  # Its own declarations of the C library's functions know nothing of attributes like nonnull.
  target_compile_options(failing_calls PRIVATE -fno-builtin -fvisibility=default)
  set_target_properties(failing_calls PROPERTIES PREFIX "")
  foreach(name failing_calls)
    add_test(NAME faults_${name} COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py)
    set_tests_properties(faults_${name} PROPERTIES TIMEOUT 900 LABELS faults
      ENVIRONMENT "TOTRAIN_BUILD=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")
  endforeach()
endif()
