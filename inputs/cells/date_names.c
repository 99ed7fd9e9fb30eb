#include "inputs/cells/date_names.h"

#include <string.h>

#include "inputs/cells/characters.h"

#define NAME_BYTES_MAX 32

/* Each name between spaces; what it is short for has a point behind it. */
static const char *const month_names[12] = {
    " january jan. januar januari janvier janv. gennaio gen. enero ene. janeiro jänner "
    "jaenner jän. ocak oca. января январь янв. ",
    " february feb. februar februari feber février fevrier févr. fevr. fév. fev. "
    "febbraio febrero fevereiro şubat subat şub. февраля февраль "
    "февр. фев. ",
    " march mar. märz maerz mär. mrz. mars marzo março marco maart mrt. marts mart "
    "марта март мар. ",
    " april apr. avril avr. abril abr. aprile nisan nis. апреля апрель "
    "апр. ",
    " may mai mayo maggio mag. mei maj maio mayıs mayis мая май ",
    " june jun. juni juin giugno giu. junio junho haziran haz. июня июнь июн. ",
    " july jul. juli juillet juil. luglio lug. julio julho temmuz tem. июля июль "
    "июл. ",
    " august aug. augustus augusti août aout agosto ago. ağustos agustos ağu. "
    "августа август авг. ",
    " september sep. sept. septembre settembre set. sett. septiembre setiembre setembro "
    "eylül eylul eyl. сентября сентябрь сент. сен. ",
    " october oct. oktober okt. octobre ottobre ott. octubre outubro out. ekim eki. "
    "октября октябрь окт. ",
    " november nov. novembre noviembre novembro kasım kasim kas. ноября "
    "ноябрь нояб. ноя. ",
    " december dec. dezember dez. décembre decembre déc. dicembre dic. diciembre "
    "dezembro aralık aralik ara. декабря декабрь дек. "};

static const char english[] =
    " january february march april may june july august september october november december jan "
    "feb mar apr jun jul aug sep sept oct nov dec ";

static const char weekday_names[] =
    " monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat "
    "sun montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag lundi "
    "mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles miercoles "
    "jueves viernes sábado sabado domingo lunedì lunedi martedì martedi mercoledì "
    "mercoledi giovedì giovedi venerdì venerdi sabato domenica maandag dinsdag "
    "woensdag donderdag vrijdag zaterdag zondag måndag tisdag onsdag torsdag fredag "
    "lördag söndag mandag tirsdag lørdag søndag pazartesi salı çarşamba perşembe "
    "cuma cumartesi pazar понедельник вторник среда "
    "четверг пятница суббота воскресенье ";

bool date_name_has(uint32_t point)
{
    /* Signs of multiplication and division lie among the letters. */
    return (point >= 'a' && point <= 'z') || (point >= 'A' && point <= 'Z') ||
           (point >= 0xC0 && point < 0x180 && point != 0xD7 && point != 0xF7) ||
           (point >= 0x400 && point < 0x460);
}

size_t date_name_size(struct slice text)
{
    size_t size = 0;

    while (size < text.size) {
        const struct slice rest = {text.data + size, text.size - size};
        const struct character c = character_read(rest);

        if (c.is_byte || !date_name_has(c.point))
            break;
        size += c.size;
    }
    return size;
}

/* Small letters behind a space, as the names stand; false: no name is as long. */
static bool make_small(struct slice word, char out[NAME_BYTES_MAX])
{
    size_t size = 1;

    out[0] = ' ';
    while (word.size > 0) {
        const struct character c = character_read(word);
        char bytes[CHARACTER_BYTES];
        uint32_t count;

        if (c.is_byte)
            return false;
        count = character_write(
            c.point >= 'A' && c.point <= 'Z' ? c.point + 32 : character_small(c.point), bytes);
        if (size + count + 3 > NAME_BYTES_MAX)
            return false;
        memcpy(out + size, bytes, count);
        size += count;
        word.data += c.size;
        word.size -= c.size;
    }
    out[size] = '\0';
    return true;
}

int date_name_month(struct slice word, bool *is_short)
{
    char name[NAME_BYTES_MAX];

    *is_short = false;
    if (word.size < 3 || !make_small(word, name))
        return 0;
    for (int i = 0; i < 12; i++) {
        const size_t size = strlen(name);
        const char *at = month_names[i];

        while ((at = strstr(at, name)) && at[size] != ' ' && at[size] != '.')
            at++;
        if (at) {
            *is_short = at[size] == '.';
            return i + 1;
        }
    }
    return 0;
}

/* `names`: small, each between spaces. */
static bool is_among(struct slice word, const char *names)
{
    char name[NAME_BYTES_MAX];
    size_t size;

    if (word.size < 3 || !make_small(word, name))
        return false;
    size = strlen(name);
    name[size] = ' ';
    name[size + 1] = '\0';
    return strstr(names, name) != NULL;
}

bool date_name_is_english(struct slice word)
{
    return is_among(word, english);
}

bool date_name_is_weekday(struct slice word)
{
    return is_among(word, weekday_names);
}

bool date_name_at(size_t number, struct date_name *name)
{
    for (int month = 1; month <= 13; month++) {
        const char *at = (month <= 12 ? month_names[month - 1] : weekday_names) + 1;

        while (*at) {
            const size_t size = strcspn(at, " ");

            if (number-- == 0) {
                name->is_short = at[size - 1] == '.';
                name->text = (struct slice){at, size - name->is_short};
                name->month = month <= 12 ? month : 0;
                name->is_english = name->month > 0 && date_name_is_english(name->text);
                return true;
            }
            at += size + 1;
        }
    }
    return false;
}
