foreach(name transform model metrics model_table)
  totrain_test(test_${name} SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_${name}.c USES base scoring LABEL unit)
endforeach()
