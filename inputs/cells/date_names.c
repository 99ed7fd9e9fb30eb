#include "inputs/cells/date_names.h"

#include <string.h>

#include "inputs/cells/characters.h"

#define NAME_BYTES_MAX 32

/* Each name between spaces; what it is short for has a point behind it. */
static const char *const months[12] = {
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

static const char weekdays[] =
    " monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat "
    "sun montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag lundi "
    "mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles miercoles "
    "jueves viernes sábado sabado domingo lunedì lunedi martedì martedi mercoledì "
    "mercoledi giovedì giovedi venerdì venerdi sabato domenica maandag dinsdag "
    "woensdag donderdag vrijdag zaterdag zondag måndag tisdag onsdag torsdag fredag "
    "lördag söndag mandag tirsdag lørdag søndag pazartesi salı çarşamba perşembe "
    "cuma cumartesi pazar понедельник вторник среда "
    "четверг пятница суббота воскресенье ";

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

size_t date_name_size(struct slice text)
{
    size_t size = 0;

    while (size < text.size) {
        const struct slice rest = {text.data + size, text.size - size};
        const struct character c = character_read(rest);

        /* Latin with accents, and Cyrillic; signs of money and multiplication are other bytes. */
        if (c.is_byte ||
            (!is_letter(*rest.data) &&
             !(c.point >= 0xC0 && c.point < 0x180 && c.point != 0xD7 && c.point != 0xF7) &&
             !(c.point >= 0x400 && c.point < 0x460)))
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
        const char *at = months[i];

        while ((at = strstr(at, name)) && at[size] != ' ' && at[size] != '.')
            at++;
        if (at) {
            *is_short = at[size] == '.';
            return i + 1;
        }
    }
    return 0;
}

bool date_name_is_weekday(struct slice word)
{
    char name[NAME_BYTES_MAX];

    size_t size;

    if (word.size < 3 || !make_small(word, name))
        return false;
    size = strlen(name);
    name[size] = ' ';
    name[size + 1] = '\0';
    return strstr(weekdays, name) != NULL;
}
