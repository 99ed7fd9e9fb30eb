# totrain_sim(NAME PROGRAM COUNT argument...)
#
# A simulation of seeds 1 to COUNT. With sanitizers, where each takes much longer, a quarter as many, and the ones after
# those: together the builds see more histories.
function(totrain_sim name program count)
  set(first 1)
  set(last ${count})
  if(TOTRAIN_SANITIZE)
    math(EXPR first "${count} + 1")
    math(EXPR last "${count} + ${count} / 4")
  endif()
  totrain_add_test(NAME ${name} COMMAND ${program} ${ARGN} --seeds ${first}..${last})
  set_tests_properties(${name} PROPERTIES TIMEOUT 300 LABELS sim)
endfunction()

add_executable(sim ${CMAKE_CURRENT_LIST_DIR}/sim.c ${CMAKE_CURRENT_LIST_DIR}/store.c ${CMAKE_CURRENT_LIST_DIR}/timeline.c
  ${CMAKE_CURRENT_LIST_DIR}/world.c
  ${CMAKE_CURRENT_LIST_DIR}/oracle.c ${CMAKE_CURRENT_LIST_DIR}/toy.c
  ${CMAKE_CURRENT_LIST_DIR}/toy_rows.c
  ${CMAKE_CURRENT_LIST_DIR}/real.c ${CMAKE_CURRENT_LIST_DIR}/search.c
  ${CMAKE_CURRENT_LIST_DIR}/seeds.c
  ${CMAKE_SOURCE_DIR}/tests/cluster/csv_job.c)
target_link_libraries(sim PRIVATE totrain_process)
totrain_show_tests(sim)
# Two in three of these have rows that come bucket by bucket.
totrain_sim(sim_seeds sim 2000)
totrain_sim(sim_rows sim 20 --rows 100000000 --batch 20000)
totrain_sim(sim_iris sim 20 --learner ${CMAKE_SOURCE_DIR}/examples/data/iris.csv)
totrain_sim(sim_card sim 100 --card ${CMAKE_SOURCE_DIR}/examples/data/breast_cancer.csv)
totrain_sim(sim_series sim 200 --series ${CMAKE_SOURCE_DIR}/examples/data/iris.csv)
totrain_sim(sim_series_trees sim 100 --series-trees ${CMAKE_SOURCE_DIR}/examples/data/iris.csv)
totrain_sim(sim_totals sim 100 --totals ${CMAKE_SOURCE_DIR}/examples/data/iris.csv)
totrain_sim(sim_norms sim 60 --norms ${CMAKE_SOURCE_DIR}/examples/data/iris.csv)
totrain_sim(sim_best sim 60 --best ${CMAKE_SOURCE_DIR}/examples/data/breast_cancer.csv)
totrain_sim(sim_click_norms sim 60 --click-norms ${CMAKE_SOURCE_DIR}/examples/data/iris.csv)
# A seed is ten jobs.
totrain_sim(sim_search sim 60 --search ${CMAKE_SOURCE_DIR}/examples/data/iris.csv)
# Some jobs are ended by the clock: they test that.
totrain_sim(sim_timed sim 200 --timed ${CMAKE_SOURCE_DIR}/examples/data/iris.csv)
set_tests_properties(sim_timed PROPERTIES PASS_REGULAR_EXPRESSION
  " 0 failures.*[1-9][0-9] jobs ended by the clock")
foreach(learner clicks machine clusters trees dart)
  totrain_sim(sim_${learner} sim 20 --${learner} ${CMAKE_SOURCE_DIR}/examples/data/iris.csv)
endforeach()
foreach(learner medians quantiles percentages hazards rankings)
  totrain_sim(sim_${learner} sim 400 --${learner} ${CMAKE_SOURCE_DIR}/examples/data/iris.csv)
endforeach()

add_executable(sim_shards ${CMAKE_CURRENT_LIST_DIR}/sim_shards.c
  ${CMAKE_CURRENT_LIST_DIR}/shard_world.c ${CMAKE_CURRENT_LIST_DIR}/scored_table.c ${CMAKE_CURRENT_LIST_DIR}/seeds.c
  ${CMAKE_CURRENT_LIST_DIR}/timeline.c)
target_link_libraries(sim_shards PRIVATE totrain_process)
totrain_show_tests(sim_shards)
totrain_sim(sim_shards sim_shards 1000)

add_executable(sim_score ${CMAKE_CURRENT_LIST_DIR}/sim_score.c
  ${CMAKE_CURRENT_LIST_DIR}/score_world.c ${CMAKE_CURRENT_LIST_DIR}/links.c ${CMAKE_CURRENT_LIST_DIR}/scored_table.c ${CMAKE_CURRENT_LIST_DIR}/seeds.c
  ${CMAKE_CURRENT_LIST_DIR}/timeline.c)
target_link_libraries(sim_score PRIVATE totrain_process)
totrain_show_tests(sim_score)
totrain_sim(sim_score sim_score 1000)

add_executable(sim_lanes ${CMAKE_CURRENT_LIST_DIR}/sim_lanes.c ${CMAKE_CURRENT_LIST_DIR}/store.c
  ${CMAKE_CURRENT_LIST_DIR}/timeline.c ${CMAKE_CURRENT_LIST_DIR}/world.c ${CMAKE_CURRENT_LIST_DIR}/oracle.c
  ${CMAKE_CURRENT_LIST_DIR}/toy.c ${CMAKE_CURRENT_LIST_DIR}/toy_rows.c ${CMAKE_CURRENT_LIST_DIR}/seeds.c)
target_link_libraries(sim_lanes PRIVATE totrain_process)
totrain_show_tests(sim_lanes)
totrain_sim(sim_lanes sim_lanes 90)

add_executable(sim_servers ${CMAKE_CURRENT_LIST_DIR}/sim_servers.c
  ${CMAKE_CURRENT_LIST_DIR}/server_world.c ${CMAKE_CURRENT_LIST_DIR}/links.c ${CMAKE_CURRENT_LIST_DIR}/seeds.c ${CMAKE_CURRENT_LIST_DIR}/timeline.c)
target_link_libraries(sim_servers PRIVATE totrain_ps)
totrain_show_tests(sim_servers)
totrain_sim(sim_servers sim_servers 1000)

add_executable(sim_share ${CMAKE_CURRENT_LIST_DIR}/sim_share.c ${CMAKE_CURRENT_LIST_DIR}/share_world.c
  ${CMAKE_CURRENT_LIST_DIR}/seeds.c)
target_link_libraries(sim_share PRIVATE totrain_share m)
totrain_show_tests(sim_share)
totrain_sim(sim_share sim_share 1000)

add_executable(sim_lease ${CMAKE_CURRENT_LIST_DIR}/sim_lease.c ${CMAKE_CURRENT_LIST_DIR}/seeds.c)
target_link_libraries(sim_lease PRIVATE totrain_k8s_share m)
totrain_show_tests(sim_lease)
totrain_sim(sim_lease sim_lease 400)
