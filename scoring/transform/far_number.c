#include "scoring/transform/far_number.h"

void far_number_note(struct notice_list *notices, struct slice column, double number, double least,
                     double greatest)
{
    notice_add(
        notices, NOTICE_OUTLIERS,
        "column \"%.*s\" has the number %g: the model distinguishes none beyond %.3g and %.3g",
        SLICE_FORMAT(column), number, least, greatest);
}
