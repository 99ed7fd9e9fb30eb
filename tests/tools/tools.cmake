# The computations of the developers' tools, as far as they need no build.
totrain_test_of_files(tools_mutants LABEL unit TIMEOUT 300
  COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_mutants.py)
totrain_test_of_files(tools_covering LABEL unit TIMEOUT 300
  COMMAND /usr/bin/python3 -B ${CMAKE_CURRENT_LIST_DIR}/test_covering.py)
