# The PostgreSQL door on servers that the tests make for themselves (server.py).
function(postgres_test name)
  add_test(NAME postgres_${name} COMMAND /usr/bin/python3 ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${ARGN})
  set_tests_properties(postgres_${name} PROPERTIES TIMEOUT 300 LABELS postgres
    ENVIRONMENT "TOTRAIN_BUILD=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1;PG_CONFIG=${PG_CONFIG}")
endfunction()

postgres_test(server test_server.py)

# What runs inside of Debian's postgres has no sanitizer in it: with AddressSanitizer
# loaded first, that server hangs before its main() has set the locale.
if(TARGET totrain_postgres AND NOT TOTRAIN_SANITIZE MATCHES "address|thread")
  foreach(name
      bare
      cli
      functions
      install
      kept
      ordinary_sql
      reading
      run)
    postgres_test(${name} test_${name}.py)
  endforeach()
endif()
