# On a real cluster on this machine (lab/). Not among the tests that ctest runs
# by default, since each needs root rights, minutes, and a Go build the first
# time: `make test-k8s`, or ctest -C k8s -L k8s once `make lab` has been run.
# 77: this machine does not let a lab run, and the test said why.
set(k8s_environment "TOTRAIN_BUILD=${CMAKE_BINARY_DIR}" "PYTHONDONTWRITEBYTECODE=1")
set(k8s_tests api cluster lifecycle)
# A build with sanitizers makes no image.
if(NOT TOTRAIN_SANITIZE AND NOT TOTRAIN_COVERAGE)
  list(APPEND k8s_tests image)
  if(TARGET totrain_postgres)
    list(APPEND k8s_tests jobs train data capacity)
  endif()
  # Needs no cluster.
  add_test(NAME image_file COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/test_image_file.py)
  set_tests_properties(image_file PROPERTIES TIMEOUT 120 LABELS unit ENVIRONMENT "${k8s_environment}")
endif()
foreach(name ${k8s_tests})
  add_test(NAME k8s_${name} CONFIGURATIONS k8s COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py)
  # All of them use the one lab, and some take a node of it away.
  set_tests_properties(k8s_${name} PROPERTIES
    TIMEOUT 1800 LABELS k8s ENVIRONMENT "${k8s_environment}" RESOURCE_LOCK k8s_lab SKIP_RETURN_CODE 77)
endforeach()
