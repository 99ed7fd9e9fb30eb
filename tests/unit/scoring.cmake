foreach(name transform model metrics model_table model_damage)
  totrain_test(test_${name} SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_${name}.c USES base scoring LIBS PkgConfig::CJSON LABEL unit)
endforeach()
