# On a real cluster on this machine (lab/). Not among the tests that ctest runs
# by default, since each needs root rights, minutes, and a Go build the first
# time: `make test-k8s`, or ctest -C k8s -L k8s once `make lab` has been run.
# 77: this machine does not let a lab run, and the test said why.
set(k8s_environment "TOTRAIN_BUILD=${CMAKE_BINARY_DIR}" "PYTHONDONTWRITEBYTECODE=1")

# k8s_tests(FILE [LAB] [ALONE | OTHER_LAB] CLASS...): each of these classes of test_FILE.py is a test k8s_FILE_CLASS. They
# share a lab: each test has a namespace, and asks for a resource of its own where it needs slots (harness.make_room).
# OTHER_LAB: it takes a node or the API server away. One such test at a time, on a lab of theirs.
# ALONE: it measures; nothing runs beside it.
# LAB: it tests what our tests ask of Kubernetes and of the lab, and runs when the lab has changed (tools/test-k8s).
function(k8s_tests file)
  cmake_parse_arguments(TEST "LAB;ALONE;OTHER_LAB" "" "" ${ARGN})
  foreach(class ${TEST_UNPARSED_ARGUMENTS})
    string(TOLOWER k8s_${file}_${class} name)
    totrain_add_test(NAME ${name} CONFIGURATIONS k8s COMMAND /usr/bin/python3
      ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/test_${file}.py ${class})
    set_tests_properties(${name} PROPERTIES TIMEOUT 1800 LABELS k8s ENVIRONMENT "${k8s_environment}"
      SKIP_RETURN_CODE 77)
    if(TEST_LAB)
      set_property(TEST ${name} APPEND PROPERTY LABELS lab)
    endif()
    if(TEST_ALONE)
      set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    elseif(TEST_OTHER_LAB)
      set_tests_properties(${name} PROPERTIES RESOURCE_LOCK other_lab
        ENVIRONMENT "${k8s_environment};TOTRAIN_LAB=${CMAKE_SOURCE_DIR}/build/lab-2")
    endif()
  endforeach()
endfunction()

k8s_tests(lifecycle LAB Lifecycle Refusals)
k8s_tests(cluster LAB Cluster Command)
k8s_tests(cluster LAB OTHER_LAB Failures)
k8s_tests(api OTHER_LAB Api)
# A build with sanitizers makes no image.
if(NOT TOTRAIN_SANITIZE AND NOT TOTRAIN_COVERAGE)
  k8s_tests(image Image)
  if(TARGET totrain_postgres)
    k8s_tests(train Trains Kept Cancelled Refused Checks Guide)
    k8s_tests(score Scores Deaths Kept)
    k8s_tests(servers Deaths Memory Scaled)
    k8s_tests(schedule Runs Killed Deleted)
    k8s_tests(data Staged Direct Late)
    k8s_tests(large Large)
    k8s_tests(jobs Whole Changed Deleted Preempted Deaths Told Drained Masters CutOff Trees TreesMaster TreesRows)
    k8s_tests(jobs OTHER_LAB Cluster)
    k8s_tests(share Shared Bands Others)
    k8s_tests(holders Holders)
    k8s_tests(restarts OTHER_LAB Restarts)
    k8s_tests(cuts OTHER_LAB Cuts)
    k8s_tests(kueue OTHER_LAB Queued)
    k8s_tests(sizes ALONE Sizes)
    k8s_tests(capacity ALONE Capacity)
  endif()
  # Needs no cluster.
  totrain_add_test(NAME image_file COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/test_image_file.py)
  set_tests_properties(image_file PROPERTIES TIMEOUT 120 LABELS unit ENVIRONMENT "${k8s_environment}")
endif()
