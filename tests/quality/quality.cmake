# The judgements of `make bench` on its numbers; the numbers themselves are too long for a test.
foreach(name verdicts tree_verdicts)
  totrain_test_of_files(quality_${name} LABEL unit TIMEOUT 60
    COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py)
endforeach()
