#include "extension/postgres/server/session/background.h"

#include <access/xact.h>
#include <miscadmin.h>
#include <postmaster/bgworker.h>
#include <tcop/tcopprot.h>
#include <utils/memutils.h>
#include <utils/resowner.h>

void background_begin(const char *name)
{
    pqsignal(SIGTERM, die);
    BackgroundWorkerUnblockSignals();
    CurrentResourceOwner = ResourceOwnerCreate(NULL, name);
    CurrentMemoryContext =
        AllocSetContextCreateInternal(TopMemoryContext, name, ALLOCSET_DEFAULT_SIZES);
}

const char *background_catch(MemoryContext context)
{
    ErrorData *thrown;

    MemoryContextSwitchTo(context);
    thrown = CopyErrorData();
    EmitErrorReport();
    FlushErrorState();
    AbortCurrentTransaction();
    MemoryContextSwitchTo(context);
    return thrown->message;
}
