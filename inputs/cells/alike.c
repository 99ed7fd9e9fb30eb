#include "inputs/cells/alike.h"

#include <string.h>

#include "inputs/cells/characters.h"
#include "inputs/cells/digits.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define WIDE_FIRST      0xFF01 /* ASCII's characters once more, as wide as those of East Asia */
#define WIDE_LAST       0xFF5E
#define NARROW_FIRST    0xFF65 /* and katakana, half as wide */
#define NARROW_LAST     0xFF9D
#define NARROW_VOICED   0xFF9E
#define NARROW_HALF     0xFF9F
#define MARK_VOICED     0x3099
#define MARK_HALF       0x309A
#define SYLLABLE_FIRST  0xAC00 /* Hangul: a syllable for each lead, vowel and tail, */
#define LEAD_FIRST      0x1100
#define VOWEL_FIRST     0x1161
#define TAIL_FIRST      0x11A7 /* which is none */
#define LEADS           19
#define VOWELS          21
#define TAILS           28
#define DIFFERENCE_MAX  6 /* characters of two pieces of texts */
#define PIECE_BYTES     (DIFFERENCE_MAX * CHARACTER_BYTES + 2)

/* ---- one sign ---- */

/* Signs that look like one of ASCII, letters of Cyrillic and Greek included, and signs that several
 * characters have; small letters alone. */
static const struct {
    uint32_t point, meant;
} looks[] = {{0x00B4, '\''},   {0x00B5, 0x03BC}, {0x015F, 0x0219}, {0x0163, 0x021B}, {0x02B9, '\''},
             {0x02BB, '\''},   {0x02BC, '\''},   {0x03BF, 'o'},    {0x0430, 'a'},    {0x0435, 'e'},
             {0x043A, 'k'},    {0x043C, 'm'},    {0x043E, 'o'},    {0x0440, 'p'},    {0x0441, 'c'},
             {0x0443, 'y'},    {0x0445, 'x'},    {0x0455, 's'},    {0x0456, 'i'},    {0x0458, 'j'},
             {0x2010, '-'},    {0x2011, '-'},    {0x2012, '-'},    {0x2013, '-'},    {0x2014, '-'},
             {0x2015, '-'},    {0x2018, '\''},   {0x2019, '\''},   {0x201B, '\''},   {0x201C, '"'},
             {0x201D, '"'},    {0x2032, '\''},   {0x2033, '"'},    {0x2126, 0x03C9}, {0x212A, 'k'},
             {0x212B, 0x00E5}, {0x2212, '-'}};

/* From NARROW_FIRST on, as wide as others. */
static const char narrow[] = "・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチ"
                             "ツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン";

static bool is_space(uint32_t point)
{
    return point == ' ' || (point >= '\t' && point <= '\r') || point == 0xA0 || point == 0x1680 ||
           (point >= 0x2000 && point <= 0x200A) || point == 0x202F || point == 0x205F ||
           point == 0x3000;
}

/* The character at `at` of a text of such ones that have three bytes each. */
static uint32_t point_at(const char *text, size_t at)
{
    return character_read((struct slice){text + 3 * at, 3}).point;
}

static uint32_t without_width(uint32_t point)
{
    if (point >= WIDE_FIRST && point <= WIDE_LAST)
        return point - WIDE_FIRST + '!';
    if (point >= NARROW_FIRST && point <= NARROW_LAST)
        return point_at(narrow, point - NARROW_FIRST);
    if (point == NARROW_VOICED || point == NARROW_HALF)
        return point == NARROW_VOICED ? MARK_VOICED : MARK_HALF;
    return point;
}

static uint32_t small(uint32_t point)
{
    if (point < 0x80)
        return point >= 'A' && point <= 'Z' ? point + ('a' - 'A') : point;
    return character_small(point);
}

/* 0: nobody sees it. */
static uint32_t plain(uint32_t point)
{
    if (point < 0x80)
        return is_space(point) ? ' ' : small(point);
    point = digits_meant(without_width(point));
    return is_space(point) ? ' ' : small(point);
}

static uint32_t look_of(uint32_t point)
{
    size_t low = 0, high = COUNT_OF(looks);

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (looks[middle].point < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low < COUNT_OF(looks) && looks[low].point == point ? looks[low].meant : point;
}

/* ---- a letter and a mark ---- */

/* For each mark the letters that take it, and each with it. */
static const struct {
    uint32_t mark;
    const char *letters;
} marks[] = {
    {0x0300, "aàeèiìoòuùüǜnǹēḕōṑwẁâầăằêềôồơờưừyỳеѐиѝ"},
    {0x0301, "aáeéiíoóuúyýcćlĺnńrŕsśzźüǘgǵåǻæǽøǿçḉēḗïḯkḱmḿõṍōṓpṕũṹwẃâấăắêếôốơớưứϊΐαά"
             "εέηήιίϋΰοόυύωώгѓкќ"},
    {0x0302, "aâeêiîoôuûcĉgĝhĥjĵsŝwŵyŷzẑạậẹệọộ"},
    {0x0303, "aãnñoõiĩuũvṽâẫăẵeẽêễôỗơỡưữyỹ"},
    {0x0304, "aāeēiīoōuūüǖäǟȧǡæǣǫǭöȫõȭȯȱyȳgḡḷḹṛṝиӣуӯ"},
    {0x0306, "aăeĕgğiĭoŏuŭȩḝạặийуўжӂаӑеӗ"},
    {0x0307, "cċeėgġzżaȧoȯbḃdḋfḟhḣmṁnṅpṗrṙsṡśṥšṧṣṩtṫwẇxẋyẏſẛ"},
    {0x0308, "aäeëiïoöuüyÿhḧõṏūṻwẅxẍtẗιϊυϋеёіїаӓәӛжӝзӟиӥоӧөӫэӭуӱчӵыӹ"},
    {0x0309, "aảâẩăẳeẻêểiỉoỏôổơởuủưửyỷ"},
    {0x030A, "aåuůwẘyẙ"},
    {0x030B, "oőuűуӳ"},
    {0x030C, "cčdďeělľnňrřsštťzžaǎiǐoǒuǔüǚgǧkǩʒǯjǰhȟ"},
    {0x030F, "aȁeȅiȉoȍrȑuȕѵѷ"},
    {0x0311, "aȃeȇiȋoȏrȓuȗ"},
    {0x031B, "oơuư"},
    {0x0323, "bḅdḍhḥkḳlḷmṃnṇrṛsṣtṭvṿwẉzẓaạeẹiịoọơợuụưựyỵâậêệôộăặ"},
    {0x0324, "uṳ"},
    {0x0325, "aḁ"},
    {0x0326, "sștț"},
    {0x0327, "cçgģkķlļnņrŗsştţeȩdḑhḩ"},
    {0x0328, "aąeęiįuųoǫ"},
    {0x032D, "dḓeḙlḽnṋtṱuṷ"},
    {0x032E, "hḫ"},
    {0x0330, "eḛiḭuṵ"},
    {0x0331, "bḇdḏkḵlḻnṉrṟtṯzẕhẖ"},
    {0x3099, "かがきぎくぐけげこごさざしじすずせぜそぞただちぢつづてでとどはばひび"
             "ふぶへべほぼうゔゝゞカガキギクグケゲコゴサザシジスズセゼソゾタダチヂ"
             "ツヅテデトドハバヒビフブヘベホボウヴワヷヰヸヱヹヲヺヽヾ"},
    {0x309A, "はぱひぴふぷへぺほぽハパヒピフプヘペホポ"},
};

/* 0: the two are no syllable. */
static uint32_t syllable(uint32_t before, uint32_t point)
{
    const uint32_t lead = before - LEAD_FIRST, vowel = point - VOWEL_FIRST;
    const uint32_t begun = before - SYLLABLE_FIRST, tail = point - TAIL_FIRST;

    if (lead < LEADS && vowel < VOWELS)
        return SYLLABLE_FIRST + (lead * VOWELS + vowel) * TAILS;
    if (begun < LEADS * VOWELS * TAILS && begun % TAILS == 0 && tail > 0 && tail < TAILS)
        return before + tail;
    return 0;
}

static uint32_t next_point(struct slice *text)
{
    const struct character character = character_read(*text);

    text->data += character.size;
    text->size -= character.size;
    return character.point;
}

static uint32_t with_mark(uint32_t letter, uint32_t mark)
{
    for (size_t i = 0; i < COUNT_OF(marks); i++) {
        struct slice letters = slice_of(marks[i].letters);

        while (marks[i].mark == mark && letters.size > 0) {
            const uint32_t bare = next_point(&letters), marked = next_point(&letters);

            if (bare == letter)
                return marked;
        }
    }
    return syllable(letter, mark);
}

/* ---- texts ---- */

/* The folded text so far; `last` is its last character, not written yet, 0: there is none. */
struct folded {
    char *bytes;
    size_t size;
    uint32_t last;
};

static void put_last(struct folded *folded)
{
    if (folded->last > 0)
        folded->size += character_write(look_of(folded->last), folded->bytes + folded->size);
    folded->last = 0;
}

static void put(struct folded *folded, uint32_t point)
{
    const uint32_t marked = point < 0x80 || folded->last == 0 ? 0 : with_mark(folded->last, point);

    if (marked > 0) {
        folded->last = marked;
        return;
    }
    if (point == ' ' && (folded->last == ' ' || (folded->last == 0 && folded->size == 0)))
        return;
    put_last(folded);
    folded->last = point;
}

struct slice alike_fold(struct slice text, char *bytes)
{
    struct folded folded = {.bytes = bytes};

    while (text.size > 0) {
        const struct character character = character_read(text);
        const uint32_t point = plain(character.point);

        if (character.is_byte) {
            put_last(&folded);
            bytes[folded.size++] = *text.data;
        } else if (point > 0) {
            put(&folded, point);
        }
        text.data += character.size;
        text.size -= character.size;
    }
    if (folded.last != ' ')
        put_last(&folded);
    return (struct slice){bytes, folded.size};
}

/* ---- the difference ---- */

static size_t size_at(struct slice text, size_t at)
{
    return character_read((struct slice){text.data + at, text.size - at}).size;
}

/* The first `count` characters; false: there are fewer. */
static bool take(struct slice text, size_t count, struct slice *taken)
{
    *taken = (struct slice){text.data, 0};
    while (count > 0 && taken->size < text.size) {
        taken->size += size_at(text, taken->size);
        count--;
    }
    return count == 0;
}

/* Two pieces of texts; letters stand for what is around them. */
static bool are_alike(struct slice a, struct slice b, bool at_start, bool at_end)
{
    const struct slice pieces[2] = {a, b};
    char texts[2][PIECE_BYTES], bytes[2][PIECE_BYTES];
    struct slice folded[2];

    for (int i = 0; i < 2; i++) {
        size_t size = 0;

        if (!at_start)
            texts[i][size++] = 'x';
        memcpy(texts[i] + size, pieces[i].data, pieces[i].size);
        size += pieces[i].size;
        if (!at_end)
            texts[i][size++] = 'x';
        folded[i] = alike_fold((struct slice){texts[i], size}, bytes[i]);
    }
    return slice_equal(folded[0], folded[1]);
}

/* The first bytes that both have, but for capitals of ASCII. A space more or fewer is told with the
 * one before it. */
static size_t same_bytes(struct slice a, struct slice b)
{
    size_t same = 0;

    while (same < a.size && same < b.size) {
        const size_t size = size_at(a, same);

        if (size != size_at(b, same) || !slice_equal_fold((struct slice){a.data + same, size},
                                                          (struct slice){b.data + same, size}))
            break;
        same += size;
    }
    return same > 0 && a.data[same - 1] == ' ' ? same - 1 : same;
}

static bool is_blank(struct slice text)
{
    char bytes[PIECE_BYTES];

    return text.size > 0 && alike_fold(text, bytes).size == 0 && is_space(next_point(&text));
}

bool alike_difference(struct alike_pair *pair, struct slice *a, struct slice *b)
{
    const size_t same = same_bytes(pair->a, pair->b);
    const struct slice rest_a = {pair->a.data + same, pair->a.size - same};
    const struct slice rest_b = {pair->b.data + same, pair->b.size - same};
    const bool at_start = same == 0 && !pair->is_begun;

    pair->is_begun = true;
    for (size_t both = 1; both <= DIFFERENCE_MAX; both++)
        for (size_t of_a = 0; of_a <= both; of_a++) {
            if (!take(rest_a, of_a, a) || !take(rest_b, both - of_a, b) || slice_equal(*a, *b) ||
                !are_alike(*a, *b, at_start, a->size == rest_a.size && b->size == rest_b.size))
                continue;
            pair->a = (struct slice){rest_a.data + a->size, rest_a.size - a->size};
            pair->b = (struct slice){rest_b.data + b->size, rest_b.size - b->size};
            if (b->size == 0 && is_blank(*a))
                *b = SLICE(" ");
            else if (a->size == 0 && is_blank(*b))
                *a = SLICE(" ");
            return true;
        }
    return false;
}
