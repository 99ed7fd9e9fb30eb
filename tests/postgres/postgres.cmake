# The PostgreSQL door on servers that the tests make for themselves (server.py): each
# test_NAME.py is postgres_NAME. What runs inside of Debian's postgres has no sanitizer
# in it: with AddressSanitizer loaded first, that server hangs before its main() has set
# the locale. So only the fixture itself is tested in a sanitizer's build.
file(GLOB postgres_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/test_*.py)
set(postgres_tests_everywhere server)
set(postgres_staged_apart Deaths Cuts)
set(postgres_model_pieces_apart Publishers Traps)
set(postgres_cluster_pieces_apart Program)
set(postgres_pods_apart Deaths Masters)
set(postgres_pods_servers_apart Runs Scaled)
set(postgres_pods_told_apart Deleted)
set(postgres_pods_refused_apart Cuts)
foreach(path ${postgres_tests})
  string(REGEX REPLACE ".*/test_(.*)\\.py" "\\1" name ${path})
  if(NOT name IN_LIST postgres_tests_everywhere)
    if(NOT TARGET totrain_postgres OR TOTRAIN_SANITIZE MATCHES "address|thread")
      continue()
    endif()
  endif()
  totrain_test_classes(postgres_${name} tests COMMAND /usr/bin/python3 ${path} APART ${postgres_${name}_apart})
  set_tests_properties(${tests} PROPERTIES TIMEOUT 900 LABELS postgres
    ENVIRONMENT "TOTRAIN_BUILD=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1;PG_CONFIG=${PG_CONFIG}")
endforeach()
