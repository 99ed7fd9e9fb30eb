/*
 * The reader of numbers and dates as people write them, in PL/pgSQL: the steps of written_number.c
 * and dates.c, with their tables. Operators are found when it runs, by pg_catalog alone.
 */
#include "interop/formulas/formula_postgres_written.h"

#include <string.h>

#include "inputs/cells/characters.h"
#include "inputs/cells/digits.h"
#include "inputs/cells/written_number.h"
#include "interop/formulas/formula_dates.h"

#define SPACES POSTGRES_SPACES

/* ----- @NAME is a table, another @ the prefix of a function's name ----- */

static const char written_number[] =
    "CREATE FUNCTION @_written(x text, f text) RETURNS numeric LANGUAGE plpgsql IMMUTABLE PARALLEL "
    "SAFE\n"
    "    STRICT SET search_path = pg_catalog, pg_temp AS $totrain$\n"
    "DECLARE\n"
    "  y text := x; z text; m text; p text[]; w text; d text; before text;\n"
    "  has_sign boolean := false; is_negative boolean := false; is_percent boolean := false;\n"
    "  has_money boolean := false; n numeric;\n"
    "BEGIN\n"
    "  IF octet_length(convert_to(x, 'UTF8')) > 64 THEN\n"
    "    RETURN NULL;\n"
    "  END IF;\n"
    "  y := @PLAIN;\n"
    "  LOOP\n"
    "    y := btrim(y, E' \\t\\u00a0\\u202f\\u2009');\n"
    "    before := y;\n"
    "    IF y !~ '^[0-9]' AND y <> '' THEN\n"
    "      IF NOT has_sign AND y ~ '^[(].+[)]$' THEN\n"
    "        has_sign := true;\n"
    "        is_negative := true;\n"
    "        y := substr(y, 2, length(y) - 2);\n"
    "        CONTINUE;\n"
    "      ELSIF NOT has_sign AND left(y, 1) IN ('-', '+', E'\\u2212') THEN\n"
    "        has_sign := true;\n"
    "        is_negative := left(y, 1) <> '+';\n"
    "        y := substr(y, 2);\n"
    "        CONTINUE;\n"
    "      ELSIF NOT has_money THEN\n"
    "        m := substring(y FROM '^(?:@MONEY)');\n"
    "        IF m <> '' THEN\n"
    "          has_money := true;\n"
    "          y := substr(y, length(m) + 1);\n"
    "          CONTINUE;\n"
    "        END IF;\n"
    "      END IF;\n"
    "    END IF;\n"
    "    IF y !~ '[0-9]$' AND y <> '' THEN\n"
    "      IF NOT is_percent AND right(y, 1) = '%' THEN\n"
    "        is_percent := true;\n"
    "        y := left(y, -1);\n"
    "      ELSIF y ~ E'.(?:[,.]--?|,\\u2013)$' THEN\n"
    "        y := regexp_replace(y, E'(?:[,.]--?|,\\u2013)$', '');\n"
    "      ELSIF NOT has_sign AND right(y, 1) IN ('-', E'\\u2212') THEN\n"
    "        has_sign := true;\n"
    "        is_negative := true;\n"
    "        y := left(y, -1);\n"
    "      ELSIF NOT has_money THEN\n"
    "        m := substring(y FROM '(?:@MONEY)$');\n"
    "        IF m <> '' THEN\n"
    "          has_money := true;\n"
    "          y := left(y, -length(m));\n"
    "        END IF;\n"
    "      END IF;\n"
    "    END IF;\n"
    "    EXIT WHEN y = before;\n"
    "  END LOOP;\n"
    "  p := regexp_match(y, E'^([0-9]*(?:[.,''\\u2019 \\t\\u00a0\\u202f\\u2009][0-9]*){0,15})'\n"
    "      '(?:[eE]([-+]?[0-9]{1,3}))?$');\n"
    "  IF p IS NULL THEN\n"
    "    RETURN NULL;\n"
    "  END IF;\n"
    "  m := translate(p[1], E' \\t\\u00a0\\u202f\\u2009\\u2019', '_____''');\n"
    "  w := coalesce(substring(m FROM '^(.*)[' || f || '][0-9]*$'), m);\n"
    "  d := substr(m, length(w) + 2);\n"
    "  z := substr(m, length(w) + 1, 1);\n"
    "  IF z <> '' AND d = '' AND (f = ',' OR m ~ '^[^0-9]') THEN\n"
    "    RETURN NULL;\n"
    "  ELSIF w ~ '^[0-9]*$' THEN\n"
    "    IF w ~ '^0[0-9]' OR m = '' THEN\n"
    "      RETURN NULL;\n"
    "    END IF;\n"
    "  ELSIF p[2] IS NOT NULL OR substring(w FROM '[^0-9]') = f OR\n"
    "      w !~ (E'^(?:[1-9][0-9]{0,2}([.,''_])[0-9]{3}(?:\\\\1[0-9]{3})*'\n"
    "      '|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3})$') THEN\n"
    "    RETURN NULL;\n"
    "  END IF;\n"
    "  n := ('0' || translate(w, '.,''_', '') || d || 'e' || coalesce(p[2], '0')::int - length(d) "
    "-\n"
    "      CASE WHEN is_percent THEN 2 ELSE 0 END)::numeric;\n"
    "  RETURN CASE WHEN n < 1e-100 THEN 0 WHEN is_negative THEN -n ELSE n END;\n"
    "END\n"
    "$totrain$;\n";

static const char written_date[] =
    "CREATE FUNCTION @_written_date(x text, how int) RETURNS double precision LANGUAGE plpgsql "
    "IMMUTABLE\n"
    "    PARALLEL SAFE STRICT SET search_path = pg_catalog, pg_temp AS $totrain$\n"
    "DECLARE\n"
    "  names CONSTANT text := '@MONTHS';\n"
    "  y text := x; t text; c text; p text[]; b text[] := '{}'; n int[] := '{}'; k int[] := '{}';\n"
    "  english bool[] := '{}'; o int[]; days int[] := '{}'; year int; day int; seconds int := 0; "
    "hour int; half int;\n"
    "  micro float8 := 0; first_year int := 1000;\n"
    "BEGIN\n"
    "  IF octet_length(convert_to(x, 'UTF8')) > 64 THEN\n"
    "    RETURN NULL;\n"
    "  END IF;\n"
    "  y := translate(lower((@PLAIN) COLLATE \"C\"), @CAPITALS);\n"
    "  p := regexp_match(y, "
    "'^([0-9]{4})([0-9]{2})([0-9]{2})(t[0-9]{2})([0-9]{2})([0-9]{2})?(?![0-9])(.*)$');\n"
    "  IF p IS NOT NULL THEN\n"
    "    y := p[1] || '-' || p[2] || '-' || p[3] || p[4] || ':' || p[5] || coalesce(':' || p[6], "
    "'') || p[7];\n"
    "  END IF;\n"
    "  IF y ~ ('^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[t ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]+)?)?'\n"
    "      ' ?(?:z|utc|[-+][0-9]{2}(?::?[0-9]{2})?)?)?$') THEN\n"
    "    first_year := 1;\n"
    "  ELSIF p IS NOT NULL THEN\n"
    "    RETURN NULL;\n"
    "  END IF;\n"
    "  IF y ~ E'^[@LETTERS]' THEN\n"
    "    t := right(y, 4);\n"
    "    WHILE octet_length(convert_to(t, 'UTF8')) > 4 LOOP\n"
    "      t := substr(t, 2);\n"
    "    END LOOP;\n"
    "    p := regexp_match(left(y, -length(t)), '^([^:]* )([0-9]*:.*) $');\n"
    "    IF p IS NOT NULL AND t ~ '^[0-9]' AND octet_length(convert_to(t, 'UTF8')) = 4 THEN\n"
    "      y := p[1] || t || ' ' || p[2];\n"
    "    END IF;\n"
    "  END IF;\n"
    "  t := substring(y FROM E'^[@LETTERS]+');\n"
    "  IF strpos('@WEEKDAYS', '|' || t || '|') > 0 THEN\n"
    "    y := regexp_replace(substr(y, length(t) + 1), '^[.]?,?', '');\n"
    "    y := btrim(y, @SPACES);\n"
    "  END IF;\n"
    "  FOR i IN 1..3 LOOP\n"
    "    IF i > 1 AND b[i - 1] = ' ' AND y ~ '^del? ' THEN\n"
    "      y := btrim(substr(y, strpos(y, ' ')), @SPACES);\n"
    "    END IF;\n"
    "    t := substring(y FROM E'^[@LETTERS]+');\n"
    "    IF t IS NOT NULL THEN\n"
    "      n[i] := substring(substr(names, nullif(strpos(names, '|' || t || '='), 0) + length(t) + "
    "2) FROM 1 FOR 3)::int;\n"
    "      k[i] := 0;\n"
    "      y := substr(y, length(t) + 1);\n"
    "      english[i] := n[i] >= 200;\n"
    "      n[i] := n[i] % 200;\n"
    "      IF n[i] > 100 THEN\n"
    "        n[i] := n[i] - 100;\n"
    "        y := regexp_replace(y, '^[.]', '');\n"
    "      END IF;\n"
    "    ELSE\n"
    "      t := substring(y FROM '^[0-9]{1,4}');\n"
    "      n[i] := t::int;\n"
    "      k[i] := length(t);\n"
    "      y := substr(y, length(t) + 1);\n"
    "      IF length(t) < 3 THEN\n"
    "        y := regexp_replace(y, E'^(?:st|nd|rd|th|er)(?![@LETTERS])', '');\n"
    "      END IF;\n"
    "    END IF;\n"
    "    IF n[i] IS NULL THEN\n"
    "      RETURN NULL;\n"
    "    END IF;\n"
    "    c := left(y, 1);\n"
    "    IF c <> '' AND strpos((ARRAY[E'\\u5e74\\ub144', E'\\u6708\\uc6d4', "
    "E'\\u65e5\\uc77c'])[i], c) > 0 THEN\n"
    "      y := btrim(substr(y, 2), CASE WHEN i < 3 THEN @SPACES ELSE '' END);\n"
    "      b[i] := '/';\n"
    "    ELSIF i = 3 THEN\n"
    "      IF b[1] = '.' AND k[1] = 4 THEN\n"
    "        y := regexp_replace(y, '^[.]', '');\n"
    "      END IF;\n"
    "    ELSE\n"
    "      t := CASE WHEN c IN ('/', '-', '.', ',') THEN substr(y, 2) ELSE y END;\n"
    "      IF left(t, 1) = ' ' THEN\n"
    "        b[i] := CASE c WHEN ',' THEN ' ' WHEN '.' THEN '.' WHEN ' ' THEN ' ' ELSE '' END;\n"
    "        y := btrim(t, @SPACES);\n"
    "      ELSIF c IN ('/', '-', '.') THEN\n"
    "        b[i] := c;\n"
    "        y := t;\n"
    "      ELSE\n"
    "        b[i] := '';\n"
    "      END IF;\n"
    "    END IF;\n"
    "  END LOOP;\n"
    "  IF k[1] = 0 OR k[2] = 0 THEN\n"
    "    o := CASE WHEN k[3] = 0 OR (k[1] = 0 AND k[2] = 0) THEN NULL\n"
    "        WHEN NOT CASE k[1] WHEN 0 THEN english[1] ELSE english[2] OR (b[1] <> '' AND b[2] <> "
    "'') "
    "END THEN NULL\n"
    "        WHEN k[1] = 4 THEN ARRAY[1, 2, 3]\n"
    "        WHEN k[2] = 0 THEN ARRAY[3, 2, 1] WHEN b[1] <> '' AND b[2] <> '' THEN ARRAY[3, 1, 2] "
    "END;\n"
    "  ELSIF k[3] > 0 AND b[1] <> '' AND b[1] = b[2] THEN\n"
    "    o := CASE WHEN k[1] = 4 AND b[1] <> ' ' AND k[3] <= 2 THEN ARRAY[1, 2, 3]\n"
    "        WHEN b[1] = ' ' OR (k[3] = 2 AND b[1] = '.' AND (k[1] <> 2 OR k[2] <> 2)) THEN NULL\n"
    "        ELSE ARRAY[3, 2, 1, 3, 1, 2] END;\n"
    "  END IF;\n"
    "  FOR i IN 0..coalesce(cardinality(o) / 3, 0) - 1 LOOP\n"
    "    year := n[o[3 * i + 1]];\n"
    "    IF k[o[3 * i + 1]] = 2 THEN\n"
    "      year := year + CASE WHEN year < 69 THEN 2000 ELSE 1900 END;\n"
    "    END IF;\n"
    "    day := n[o[3 * i + 3]];\n"
    "    IF k[o[3 * i + 1]] IN (2, 4) AND year >= first_year AND k[o[3 * i + 2]] < 3 AND k[o[3 * i "
    "+ 3]] "
    "IN (1, 2)\n"
    "        AND n[o[3 * i + 2]] BETWEEN 1 AND 12 AND day BETWEEN 1 AND\n"
    "        (ARRAY[31, CASE WHEN year % 4 = 0 AND (year % 100 <> 0 OR year % 400 = 0) THEN 29 "
    "ELSE 28 END,\n"
    "        31, 30, 31, 30, 31, 31, 30, 31, 30, 31])[n[o[3 * i + 2]]] THEN\n"
    "      days[i + 1] := make_date(year, n[o[3 * i + 2]], day) - DATE '1970-01-01';\n"
    "    END IF;\n"
    "  END LOOP;\n"
    "  day := CASE WHEN cardinality(o) = 3 THEN days[1] WHEN how = 1 THEN days[1] WHEN how = 2 "
    "THEN days[2]\n"
    "      WHEN b[1] = '.' OR (k[3] = 4 AND coalesce(days[1] = days[2], true))\n"
    "      THEN coalesce(days[1], days[2]) END;\n"
    "  IF day IS NULL OR y = '' THEN\n"
    "    RETURN day * 86400.0::float8;\n"
    "  END IF;\n"
    "  t := substring(y FROM '^,?[t: ](.*)$');\n"
    "  p := regexp_match(btrim(t, @SPACES),\n"
    "      '^([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?(.*)$');\n"
    "  IF p IS NULL OR p[1]::int > 23 OR p[2]::int > 59 OR p[3]::int > 60 THEN\n"
    "    RETURN NULL;\n"
    "  END IF;\n"
    "  seconds := p[1]::int * 3600 + p[2]::int * 60 + coalesce(p[3]::int, 0);\n"
    "  micro := coalesce(rpad(left(p[4], 6), 6, '0')::float8 / 1e6, 0);\n"
    "  y := btrim(p[5], @SPACES);\n"
    "  t := substring(y FROM '^(?:am|pm|a[.]m[.]|p[.]m[.])');\n"
    "  IF t IS NOT NULL THEN\n"
    "    hour := seconds / 3600;\n"
    "    IF hour < 1 OR hour > 12 THEN\n"
    "      RETURN NULL;\n"
    "    END IF;\n"
    "    half := CASE left(t, 1) WHEN 'p' THEN 1 ELSE 0 END;\n"
    "    seconds := seconds + 43200 * CASE hour WHEN 12 THEN half - 1 ELSE half END;\n"
    "    y := btrim(substr(y, length(t) + 1), @SPACES);\n"
    "  ELSIF left(y, 3) = 'uhr' THEN\n"
    "    y := btrim(substr(y, 4), @SPACES);\n"
    "  END IF;\n"
    "  IF y NOT IN ('', 'z', 'utc', 'gmt') THEN\n"
    "    p := regexp_match(y, '^([-+])([0-9]{2})(?::?([0-9]{2}))?$');\n"
    "    IF p IS NULL OR p[2]::int > 15 OR p[3]::int > 59 THEN\n"
    "      RETURN NULL;\n"
    "    END IF;\n"
    "    seconds := seconds - (p[1] || '60')::int * (p[2]::int * 60 + coalesce(p[3]::int, 0));\n"
    "  END IF;\n"
    "  RETURN day * 86400.0::float8 + seconds + micro;\n"
    "END\n"
    "$totrain$;\n";

static void append_character(struct text *out, uint32_t point)
{
    char bytes[CHARACTER_BYTES];

    text_append(out, (struct slice){bytes, character_write(point, bytes)});
}

/* translate() leaves out the characters that have none in the other list. */
static void append_plain(struct text *out)
{
    struct digits_run run;

    text_append_string(out, "btrim(translate(y, E'");
    for (size_t i = 0; digits_run_at(i, &run); i++)
        for (uint32_t point = run.first; point <= run.last; point++)
            text_printf(out, "\\u%04x", point);
    text_append_string(out, "', '");
    for (size_t i = 0; digits_run_at(i, &run); i++)
        for (uint32_t point = run.first; run.meant && point <= run.last; point++) {
            const uint32_t meant = run.meant + (point - run.first);

            text_append_string(out, meant == '\'' ? "'" : "");
            append_character(out, meant);
        }
    text_append_string(out, "'), " SPACES ")");
}

/* An alternative for each mark, in which a point and a dollar are themselves. */
static void append_money(struct text *out)
{
    for (size_t i = 0; written_mark(i); i++) {
        text_append_string(out, i ? "|" : "");
        for (const char *c = written_mark(i); *c; c++)
            text_printf(out, *c == '.' || *c == '$' ? "[%c]" : "%c", *c);
    }
}

/* The lists of translate(). */
static void append_capitals(struct text *out)
{
    struct capital_run run = {.last = 0};

    text_append_string(out, "E'");
    while (date_capitals_find(run.last + 1, &run))
        for (uint32_t point = run.first; point <= run.last; point += run.step)
            text_printf(out, "\\u%04x", point);
    text_append_string(out, "', '");
    run.last = 0;
    while (date_capitals_find(run.last + 1, &run))
        for (uint32_t point = run.first; point <= run.last; point += run.step)
            append_character(out, point + (uint32_t)run.shift);
    text_append_char(out, '\'');
}

static void append_table(struct text *out, struct slice name)
{
    if (slice_is(name, "PLAIN"))
        append_plain(out);
    else if (slice_is(name, "MONEY"))
        append_money(out);
    else if (slice_is(name, "CAPITALS"))
        append_capitals(out);
    else if (slice_is(name, "WEEKDAYS"))
        date_weekdays_append(out);
    else if (slice_is(name, "MONTHS"))
        date_months_append(out);
    else if (slice_is(name, "LETTERS")) {
        text_append_string(out, "a-z");
        date_letters_append(out);
    } else
        text_append_string(out, SPACES);
}

static void append_function(const struct sql_printer *printer, const char *text)
{
    for (; *text; text++) {
        size_t size = 0;

        if (*text != '@') {
            text_append_char(printer->out, *text);
            continue;
        }
        while (text[size + 1] >= 'A' && text[size + 1] <= 'Z')
            size++;
        if (size > 0)
            append_table(printer->out, (struct slice){text + 1, size});
        else {
            char ending[16];

            while (text[size + 1] == '_' || (text[size + 1] >= 'a' && text[size + 1] <= 'z'))
                ending[size] = text[size + 1], size++;
            ending[size] = 0;
            sql_object_name(printer, ending);
        }
        text += size;
    }
}

void postgres_written_functions(const struct sql_printer *printer, struct formula_written found)
{
    if (found.has_numbers)
        append_function(printer, written_number);
    if (found.has_dates)
        append_function(printer, written_date);
}
