/*
 * pq.h - libpq, loaded when a program first connects (lazy.h).
 *
 * lazy_pq_load() comes before the first call; what is not in the list cannot be called.
 */
#pragma once

#include <libpq-fe.h>

#include "base/error.h"

/* CONNECTION where it is not installed. From any thread, any number of times. */
enum status lazy_pq_load(struct error *err);

/* clang-format off */
#define LAZY_PQ(CALL) \
    CALL(PQcancel) CALL(PQclear) CALL(PQcmdTuples) CALL(PQconnectPoll) \
    CALL(PQconnectStartParams) CALL(PQconnectdbParams) CALL(PQconnectionNeedsPassword) \
    CALL(PQconninfo) CALL(PQconninfoFree) CALL(PQconninfoParse) CALL(PQconsumeInput) \
    CALL(PQenterPipelineMode) CALL(PQerrorMessage) CALL(PQescapeIdentifier) \
    CALL(PQescapeLiteral) CALL(PQexec) CALL(PQexecParams) CALL(PQexecPrepared) \
    CALL(PQexitPipelineMode) CALL(PQfinish) CALL(PQfname) CALL(PQfreeCancel) CALL(PQfreemem) \
    CALL(PQftype) CALL(PQgetCancel) CALL(PQgetCopyData) CALL(PQgetResult) CALL(PQgetisnull) \
    CALL(PQgetlength) CALL(PQgetvalue) CALL(PQhost) CALL(PQhostaddr) CALL(PQisBusy) \
    CALL(PQnfields) CALL(PQnparams) CALL(PQntuples) CALL(PQparameterStatus) CALL(PQpass) \
    CALL(PQpipelineSync) CALL(PQport) CALL(PQdb) CALL(PQprepare) CALL(PQputCopyData) CALL(PQputCopyEnd) \
    CALL(PQreset) CALL(PQresultErrorField) CALL(PQresultErrorMessage) CALL(PQresultStatus) \
    CALL(PQsendDescribePrepared) CALL(PQsendPrepare) CALL(PQsendQuery) \
    CALL(PQsendQueryParams) CALL(PQsendQueryPrepared) CALL(PQserverVersion) \
    CALL(PQsetErrorVerbosity) CALL(PQsetNoticeProcessor) CALL(PQsetNoticeReceiver) \
    CALL(PQsetSingleRowMode) CALL(PQsetnonblocking) CALL(PQsocket) CALL(PQstatus) \
    CALL(PQtransactionStatus) CALL(PQuser)
/* clang-format on */

struct lazy_pq {
#define LAZY_PQ_POINTER(name) __typeof__(&name) name##_;
    LAZY_PQ(LAZY_PQ_POINTER)
#undef LAZY_PQ_POINTER
};
extern struct lazy_pq lazy_pq;

#ifndef LAZY_PQ_TABLE /* pq.c, which fills the table, needs the names themselves */
#define PQcancel                  lazy_pq.PQcancel_
#define PQclear                   lazy_pq.PQclear_
#define PQcmdTuples               lazy_pq.PQcmdTuples_
#define PQconnectPoll             lazy_pq.PQconnectPoll_
#define PQconnectStartParams      lazy_pq.PQconnectStartParams_
#define PQconnectdbParams         lazy_pq.PQconnectdbParams_
#define PQconnectionNeedsPassword lazy_pq.PQconnectionNeedsPassword_
#define PQconninfo                lazy_pq.PQconninfo_
#define PQconninfoFree            lazy_pq.PQconninfoFree_
#define PQconninfoParse           lazy_pq.PQconninfoParse_
#define PQconsumeInput            lazy_pq.PQconsumeInput_
#define PQenterPipelineMode       lazy_pq.PQenterPipelineMode_
#define PQerrorMessage            lazy_pq.PQerrorMessage_
#define PQescapeIdentifier        lazy_pq.PQescapeIdentifier_
#define PQescapeLiteral           lazy_pq.PQescapeLiteral_
#define PQexec                    lazy_pq.PQexec_
#define PQexecParams              lazy_pq.PQexecParams_
#define PQexecPrepared            lazy_pq.PQexecPrepared_
#define PQexitPipelineMode        lazy_pq.PQexitPipelineMode_
#define PQfinish                  lazy_pq.PQfinish_
#define PQfname                   lazy_pq.PQfname_
#define PQfreeCancel              lazy_pq.PQfreeCancel_
#define PQfreemem                 lazy_pq.PQfreemem_
#define PQftype                   lazy_pq.PQftype_
#define PQgetCancel               lazy_pq.PQgetCancel_
#define PQgetCopyData             lazy_pq.PQgetCopyData_
#define PQgetResult               lazy_pq.PQgetResult_
#define PQgetisnull               lazy_pq.PQgetisnull_
#define PQgetlength               lazy_pq.PQgetlength_
#define PQgetvalue                lazy_pq.PQgetvalue_
#define PQhost                    lazy_pq.PQhost_
#define PQhostaddr                lazy_pq.PQhostaddr_
#define PQisBusy                  lazy_pq.PQisBusy_
#define PQnfields                 lazy_pq.PQnfields_
#define PQnparams                 lazy_pq.PQnparams_
#define PQntuples                 lazy_pq.PQntuples_
#define PQparameterStatus         lazy_pq.PQparameterStatus_
#define PQpass                    lazy_pq.PQpass_
#define PQpipelineSync            lazy_pq.PQpipelineSync_
#define PQdb                      lazy_pq.PQdb_
#define PQport                    lazy_pq.PQport_
#define PQprepare                 lazy_pq.PQprepare_
#define PQputCopyData             lazy_pq.PQputCopyData_
#define PQputCopyEnd              lazy_pq.PQputCopyEnd_
#define PQreset                   lazy_pq.PQreset_
#define PQresultErrorField        lazy_pq.PQresultErrorField_
#define PQresultErrorMessage      lazy_pq.PQresultErrorMessage_
#define PQresultStatus            lazy_pq.PQresultStatus_
#define PQsendDescribePrepared    lazy_pq.PQsendDescribePrepared_
#define PQsendPrepare             lazy_pq.PQsendPrepare_
#define PQsendQuery               lazy_pq.PQsendQuery_
#define PQsendQueryParams         lazy_pq.PQsendQueryParams_
#define PQsendQueryPrepared       lazy_pq.PQsendQueryPrepared_
#define PQserverVersion           lazy_pq.PQserverVersion_
#define PQsetErrorVerbosity       lazy_pq.PQsetErrorVerbosity_
#define PQsetNoticeProcessor      lazy_pq.PQsetNoticeProcessor_
#define PQsetNoticeReceiver       lazy_pq.PQsetNoticeReceiver_
#define PQsetSingleRowMode        lazy_pq.PQsetSingleRowMode_
#define PQsetnonblocking          lazy_pq.PQsetnonblocking_
#define PQsocket                  lazy_pq.PQsocket_
#define PQstatus                  lazy_pq.PQstatus_
#define PQtransactionStatus       lazy_pq.PQtransactionStatus_
#define PQuser                    lazy_pq.PQuser_
#endif
