# The PostgreSQL door on servers that the tests make for themselves (server.py).
set(postgres_environment "TOTRAIN_BUILD=${CMAKE_BINARY_DIR}" "PYTHONDONTWRITEBYTECODE=1")
if(TOTRAIN_SANITIZE MATCHES "address|thread")
  # postgres was built without the sanitizer.
  set(sanitizer asan)
  if(TOTRAIN_SANITIZE STREQUAL "thread")
    set(sanitizer tsan)
  endif()
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=lib${sanitizer}.so
                  OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND postgres_environment "TOTRAIN_PRELOAD=${library}" "ASAN_OPTIONS=detect_leaks=0")
endif()
foreach(name server)
  add_test(NAME postgres_${name} COMMAND /usr/bin/python3 ${CMAKE_CURRENT_LIST_DIR}/test_${name}.py)
  set_tests_properties(postgres_${name} PROPERTIES
    TIMEOUT 300 LABELS postgres ENVIRONMENT "${postgres_environment}")
endforeach()
