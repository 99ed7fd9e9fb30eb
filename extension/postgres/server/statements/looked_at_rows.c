#include "extension/postgres/server/statements/looked_at_rows.h"

#include <executor/tuptable.h>
#include <utils/memutils.h>

#include "extension/postgres/server/session/values.h"

struct looking {
    DestReceiver receiver;
    DestReceiver *to;
    struct unfamiliar_count *counting;
    struct value_reader *readers; /* (counting->count) */
    MemoryContext context;        /* for the conversions of one row */
};

static void looking_startup(DestReceiver *self, int operation, TupleDesc descriptor)
{
    struct looking *looking = (struct looking *)self;

    looking->readers = palloc0(sizeof *looking->readers * (looking->counting->count + 1));
    for (size_t i = 0; i < looking->counting->count; i++)
        value_reader_init(
            &looking->readers[i],
            TupleDescAttr(descriptor, (int)unfamiliar_count_place(looking->counting, i))->atttypid,
            FORM_DATA);
    looking->context =
        AllocSetContextCreate(CurrentMemoryContext, "totrain row", ALLOCSET_DEFAULT_SIZES);
    looking->to->rStartup(looking->to, operation, descriptor);
}

static bool looking_receive(TupleTableSlot *slot, DestReceiver *self)
{
    struct looking *looking = (struct looking *)self;
    MemoryContext context = MemoryContextSwitchTo(looking->context);

    slot_getallattrs(slot);
    for (size_t i = 0; i < looking->counting->count; i++) {
        const size_t place = unfamiliar_count_place(looking->counting, i);
        const struct cell cell = slot->tts_isnull[place]
                                     ? (struct cell){.type = CELL_NULL}
                                     : value_read(&looking->readers[i], slot->tts_values[place]);

        unfamiliar_count_cell(looking->counting, i, &cell);
    }
    MemoryContextSwitchTo(context);
    MemoryContextReset(looking->context);
    return looking->to->receiveSlot(slot, looking->to);
}

static void looking_shutdown(DestReceiver *self)
{
    struct looking *looking = (struct looking *)self;

    looking->to->rShutdown(looking->to);
}

static void looking_destroy(DestReceiver *self)
{
    struct looking *looking = (struct looking *)self;

    looking->to->rDestroy(looking->to);
    pfree(looking);
}

DestReceiver *looked_at_rows_open(DestReceiver *to, struct unfamiliar_count *counting)
{
    struct looking *looking = palloc0(sizeof *looking);

    looking->receiver = (DestReceiver){.receiveSlot = looking_receive,
                                       .rStartup = looking_startup,
                                       .rShutdown = looking_shutdown,
                                       .rDestroy = looking_destroy,
                                       .mydest = DestNone};
    looking->to = to;
    looking->counting = counting;
    return &looking->receiver;
}
