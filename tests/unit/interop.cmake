foreach(name exchange document)
  totrain_test(test_${name} SOURCES ${CMAKE_CURRENT_LIST_DIR}/test_${name}.c USES base scoring kinds interop LIBS PkgConfig::CJSON LABEL unit)
endforeach()
target_compile_definitions(test_exchange PRIVATE EXCHANGE_FOLDER="${CMAKE_SOURCE_DIR}/tests/exchange")
