# Refusals by the system, and the state of the disk when a machine loses its power: libraries for LD_PRELOAD, and the
# tests that start jobs with them. A sanitizer has allocations of its own.
if(NOT TOTRAIN_SANITIZE AND NOT TOTRAIN_COVERAGE AND NOT TOTRAIN_FUZZ)
  foreach(name failing_calls recording_disk slow_disk)
    add_library(${name} MODULE ${CMAKE_CURRENT_LIST_DIR}/${name}.c)
    totrain_show_tests(${name})
    target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
    target_compile_options(${name} PRIVATE -fno-builtin -fvisibility=default)
    set_target_properties(${name} PROPERTIES PREFIX "")
  endforeach()
  foreach(name failing_calls power_cut)
    totrain_add_test(NAME faults_${name} COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py)
    set_tests_properties(faults_${name} PROPERTIES TIMEOUT 900 LABELS faults
      ENVIRONMENT "TOTRAIN_BUILD=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")
  endforeach()
endif()
