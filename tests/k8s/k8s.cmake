# On a real cluster on this machine (lab/). Not among the tests that ctest runs
# by default, since each needs root rights, minutes, and a Go build the first
# time: `make test-k8s`, or ctest -C k8s -L k8s once `make lab` has been run.
# 77: this machine does not let a lab run, and the test said why.
set(k8s_environment "TOTRAIN_BUILD=${CMAKE_BINARY_DIR}" "PYTHONDONTWRITEBYTECODE=1")

# k8s_test(NAME FILE [LAB] [ALONE | OTHER_LAB] [CLASS...]): these classes of test_FILE.py, or all of them. They share a lab:
# each test has a namespace, and asks for a resource of its own where it needs slots (harness.make_room).
# OTHER_LAB: it takes a node or the API server away. One such test at a time, on a lab of theirs.
# ALONE: it measures; nothing runs beside it.
# LAB: it tests what our tests ask of Kubernetes and of the lab, and runs when the lab has changed (tools/test-k8s).
function(k8s_test name file)
  cmake_parse_arguments(TEST "LAB;ALONE;OTHER_LAB" "" "" ${ARGN})
  totrain_add_test(NAME k8s_${name} CONFIGURATIONS k8s COMMAND /usr/bin/python3
    ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/test_${file}.py ${TEST_UNPARSED_ARGUMENTS})
  set_tests_properties(k8s_${name} PROPERTIES TIMEOUT 1800 LABELS k8s ENVIRONMENT "${k8s_environment}"
    SKIP_RETURN_CODE 77)
  if(TEST_LAB)
    set_property(TEST k8s_${name} APPEND PROPERTY LABELS lab)
  endif()
  if(TEST_ALONE)
    set_tests_properties(k8s_${name} PROPERTIES RUN_SERIAL ON)
  elseif(TEST_OTHER_LAB)
    set_tests_properties(k8s_${name} PROPERTIES RESOURCE_LOCK other_lab
      ENVIRONMENT "${k8s_environment};TOTRAIN_LAB=${CMAKE_SOURCE_DIR}/build/lab-2")
  endif()
endfunction()

k8s_test(lifecycle lifecycle LAB)
k8s_test(cluster cluster LAB Cluster Command)
k8s_test(failures cluster LAB OTHER_LAB Failures)
k8s_test(api api OTHER_LAB)
# A build with sanitizers makes no image.
if(NOT TOTRAIN_SANITIZE AND NOT TOTRAIN_COVERAGE)
  k8s_test(image image)
  if(TARGET totrain_postgres)
    k8s_test(train train)
    k8s_test(score score)
    k8s_test(servers servers Deaths Memory)
    k8s_test(servers_scale servers Scaled)
    k8s_test(schedule schedule)
    k8s_test(data data)
    k8s_test(large large)
    k8s_test(jobs jobs Whole Preempted)
    k8s_test(jobs_deaths jobs Deaths Told)
    k8s_test(jobs_masters jobs Masters)
    k8s_test(jobs_trees jobs Trees)
    k8s_test(jobs_cluster jobs OTHER_LAB Cluster)
    k8s_test(cuts cuts OTHER_LAB)
    k8s_test(capacity capacity ALONE)
  endif()
  # Needs no cluster.
  totrain_add_test(NAME image_file COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/test_image_file.py)
  set_tests_properties(image_file PROPERTIES TIMEOUT 120 LABELS unit ENVIRONMENT "${k8s_environment}")
endif()
