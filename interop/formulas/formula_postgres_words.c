/*
 * Words by their hash, crosses, and free text, in PostgreSQL: XXH3 of 64 bits in PL/pgSQL, which
 * each of its databases has, and which finds operators when it runs: by pg_catalog alone. The rest
 * is SQL, bound to the functions beside it when it is made.
 *
 *     PREFIX_hash(bytes)            up to 240; y has them in the other order
 *
 *     PREFIX_bucket(bytes, count)   the hash modulo count
 *
 *     PREFIX_key(text)              the 8 bytes of its hash; NULL: zeros
 *
 *     PREFIX_terms(text, ...)       numbers of terms, and behind them what each counts
 *
 *     PREFIX_total(terms, numbers)  the sum of what each counts times its number
 */
#include "interop/formulas/formula_postgres_words.h"

#include "inputs/cells/characters.h"
#include "inputs/texts/text_words.h"
#include "interop/formulas/character_runs.h"

static const char hash[] =
    "DECLARE\n"
    "  n int := length(x); y text; secret text :=\n"
    "      '"
    "7e404bbbcafbd7af280416958f3acb45ce31d07ad1b8f88ffca1477d58be162b9e68d429265516d3"
    "49daf0b751dd0d17eb6313faffa081c5c3ebd33483acc5ea647378d9c97e9fc83159b4cd4be0518a"
    "1d4f0bc7c7bbdcf93f349ce33f76faa8d8acdea946ef19384ef90da297486471a32e531b8b65d088"
    "cb00c391bb52283c4c263a81e69035e08e2443f7744608b82172ffcc7dd05a8278e5c0cc4ee679cb"
    "1f67b3b7a4a44072db979083e96dd4de1cad21f72c81017cbe4ba423396cfeb8"
    "';\n"
    "  a bigint; b bigint; p numeric; high numeric; total numeric; o int; e int; k int;\n"
    "      last int;\n"
    "BEGIN\n"
    "  SELECT string_agg(substr(encode(x, 'hex'), i, 2), '' ORDER BY i DESC) INTO y FROM\n"
    "      generate_series(1, 2 * n - 1, 2) AS i;\n"
    "  IF n > 240 THEN\n"
    "    RAISE EXCEPTION 'a word of more than 240 bytes';\n"
    "  ELSIF n = 0 THEN\n"
    "    a := -8707998980786479652;\n"
    "  ELSIF n < 4 THEN\n"
    "    a := ((get_byte(x, 0)::bigint << 16) | (get_byte(x, n / 2)::bigint << 24) |\n"
    "        get_byte(x, n - 1) | (n << 8)) # 2267503259;\n"
    "  ELSIF n < 9 THEN\n"
    "    a := (('x' || right(y, 8) || left(y, 8))::bit(64)::bigint) #\n"
    "        (-4090762196417718878);\n"
    "    a := a # ((a << 49) | ((a >> 15) & 562949953421311)) # ((a << 24) | ((a >> 40) &\n"
    "        16777215));\n"
    "    p := mod(a::numeric * 11507291218515648293, 18446744073709551616); a := (CASE WHEN\n"
    "        p>=9223372036854775808 THEN p-18446744073709551616 WHEN p<-9223372036854775808\n"
    "        THEN p+18446744073709551616 ELSE p END)::bigint;\n"
    "    a := a # (((a >> 35) & 536870911) + n);\n"
    "    p := mod(a::numeric * 11507291218515648293, 18446744073709551616); a := (CASE WHEN\n"
    "        p>=9223372036854775808 THEN p-18446744073709551616 WHEN p<-9223372036854775808\n"
    "        THEN p+18446744073709551616 ELSE p END)::bigint;\n"
    "    RETURN a # ((a >> 28) & 68719476735);\n"
    "  END IF;\n"
    "  IF n < 4 THEN\n"
    "    a := a # ((a >> 33) & 2147483647);\n"
    "    p := mod(a::numeric * 14029467366897019727, 18446744073709551616); a := (CASE WHEN\n"
    "        p>=9223372036854775808 THEN p-18446744073709551616 WHEN p<-9223372036854775808\n"
    "        THEN p+18446744073709551616 ELSE p END)::bigint;\n"
    "    a := a # ((a >> 29) & 34359738367);\n"
    "    p := mod(a::numeric * 1609587929392839161, 18446744073709551616); a := (CASE WHEN\n"
    "        p>=9223372036854775808 THEN p-18446744073709551616 WHEN p<-9223372036854775808\n"
    "        THEN p+18446744073709551616 ELSE p END)::bigint;\n"
    "    RETURN a # ((a >> 32) & 4294967295);\n"
    "  END IF;\n"
    "  total := n * 11400714785074694791::numeric;\n"
    "  last := CASE WHEN n < 17 THEN 0 WHEN n < 129 THEN 2 * ((n - 1) / 32) + 1 ELSE n / 16\n"
    "      END;\n"
    "  FOR i IN 0..last LOOP\n"
    "    IF n < 129 THEN\n"
    "      o := CASE WHEN i % 2 = 0 THEN 8 * i ELSE n - 8 * (i + 1) END;\n"
    "      k := 16 * i;\n"
    "    ELSIF i = last THEN\n"
    "      o := n - 16;\n"
    "      k := 119;\n"
    "    ELSE\n"
    "      o := 16 * i;\n"
    "      k := CASE WHEN i < 8 THEN 16 * i ELSE 16 * (i - 8) + 3 END;\n"
    "    END IF;\n"
    "    e := CASE WHEN n < 17 THEN n - 8 ELSE o + 8 END;\n"
    "    a := ('x' || substr(y, 2 * (n - o - 8) + 1, 16))::bit(64)::bigint;\n"
    "    b := ('x' || substr(y, 2 * (n - e - 8) + 1, 16))::bit(64)::bigint;\n"
    "    IF n < 17 THEN\n"
    "      a := a # (7458650908927343033);\n"
    "      b := b # (-5812251307325107654);\n"
    "      high := (CASE WHEN ((((a >> 0) & 255) << 56) | (((a >> 8) & 255) << 48) | (((a\n"
    "          >> 16) & 255) << 40) | (((a >> 24) & 255) << 32) | (((a >> 32) & 255) << 24) |\n"
    "          (((a >> 40) & 255) << 16) | (((a >> 48) & 255) << 8) | ((a >> 56) & 255))<0 THEN\n"
    "          ((((a >> 0) & 255) << 56) | (((a >> 8) & 255) << 48) | (((a >> 16) & 255) << 40)\n"
    "          | (((a >> 24) & 255) << 32) | (((a >> 32) & 255) << 24) | (((a >> 40) & 255) <<\n"
    "          16) | (((a >> 48) & 255) << 8) | ((a >> 56) &\n"
    "          255))+18446744073709551616::numeric ELSE ((((a >> 0) & 255) << 56) | (((a >> 8)\n"
    "          & 255) << 48) | (((a >> 16) & 255) << 40) | (((a >> 24) & 255) << 32) | (((a >>\n"
    "          32) & 255) << 24) | (((a >> 40) & 255) << 16) | (((a >> 48) & 255) << 8) | ((a\n"
    "          >> 56) & 255)) END);\n"
    "      total := n + (CASE WHEN b<0 THEN b+18446744073709551616::numeric ELSE b END) +\n"
    "          high;\n"
    "    ELSE\n"
    "      a := a # ('x' || substr(secret, 2 * (192 - k - 8) + 1, 16))::bit(64)::bigint;\n"
    "      b := b # ('x' || substr(secret, 2 * (192 - k - 16) + 1, 16))::bit(64)::bigint;\n"
    "    END IF;\n"
    "    p := (CASE WHEN a<0 THEN a+18446744073709551616::numeric ELSE a END) * (CASE WHEN\n"
    "        b<0 THEN b+18446744073709551616::numeric ELSE b END);\n"
    "    high := div(p, 18446744073709551616);\n"
    "    p := p - high * 18446744073709551616;\n"
    "    a := (CASE WHEN p>=9223372036854775808 THEN p-18446744073709551616 WHEN\n"
    "        p<-9223372036854775808 THEN p+18446744073709551616 ELSE p END)::bigint;\n"
    "    p := high;\n"
    "    b := (CASE WHEN p>=9223372036854775808 THEN p-18446744073709551616 WHEN\n"
    "        p<-9223372036854775808 THEN p+18446744073709551616 ELSE p END)::bigint;\n"
    "    total := total + (a # b);\n"
    "    IF n > 128 AND (i = 7 OR i = last) OR n < 129 AND i = last THEN\n"
    "      p := mod(total, 18446744073709551616);\n"
    "      a := (CASE WHEN p>=9223372036854775808 THEN p-18446744073709551616 WHEN\n"
    "          p<-9223372036854775808 THEN p+18446744073709551616 ELSE p END)::bigint;\n"
    "      a := a # ((a >> 37) & 134217727);\n"
    "      p := mod(a::numeric * 1609587791953885689, 18446744073709551616); a := (CASE\n"
    "          WHEN p>=9223372036854775808 THEN p-18446744073709551616 WHEN\n"
    "          p<-9223372036854775808 THEN p+18446744073709551616 ELSE p END)::bigint;\n"
    "      a := a # ((a >> 32) & 4294967295);\n"
    "      total := a;\n"
    "    END IF;\n"
    "  END LOOP;\n"
    "  RETURN a;\n"
    "END\n";

static const char buckets[] =
    "CREATE FUNCTION @_bucket(x bytea, count bigint) RETURNS double precision LANGUAGE sql "
    "PARALLEL "
    "SAFE STRICT IMMUTABLE RETURN (SELECT ((((s.h >> 1) & 9223372036854775807) % count * 2 + "
    "(s.h & "
    "1)) % count)::float8 FROM (SELECT @_hash(x) AS h OFFSET 0) AS s);\n"
    "CREATE FUNCTION @_key(x text) RETURNS bytea LANGUAGE sql PARALLEL SAFE STABLE RETURN "
    "CASE WHEN "
    "x IS NULL THEN decode('0000000000000000', 'hex') ELSE (SELECT string_agg(substr(s.b, 9 "
    "- i, 1), "
    "''::bytea ORDER BY i) FROM (SELECT int8send(@_hash(convert_to(x, 'UTF8'))) AS b OFFSET "
    "0) AS s, "
    "generate_series(1, 8) AS i) END;\n";

/* m: words; c: cut to 120 bytes; t: their bytes, behind a cut one zeros; p: with pairs; f: the ids
 * that they select; d: the first different ones; n: how often they are there; e: what they count.
 * $ is the text in small letters, and how words are found in it. */
static const char terms[] =
    "CREATE FUNCTION @_terms(x text, most bigint, has_pairs boolean, buckets bigint, ends_full "
    "boolean, is_counted boolean, divisor int, words text[], rarity float8[]) RETURNS float8[] "
    "LANGUAGE sql PARALLEL SAFE STABLE RETURN (WITH m AS (SELECT o, g.w[1] AS w FROM "
    "regexp_matches($, 'g') WITH ORDINALITY AS g(w, o)),\n"
    "c AS (SELECT o, w, CASE WHEN octet_length(w) > 120 THEN (SELECT left(w, max(i)) FROM "
    "generate_series(30, 120) AS i WHERE octet_length(left(w, i)) <= 120) ELSE w END AS v "
    "FROM m),\n"
    "t AS (SELECT o, v, convert_to(v, 'UTF8') || decode(CASE WHEN octet_length(w) > 120 THEN "
    "repeat('00', 120 - octet_length(v)) ELSE '' END, 'hex') AS b FROM c),\n"
    "p AS (SELECT 2 * o AS o, v, b FROM t UNION ALL SELECT 2 * o + 1, u || ' ' || v, a || "
    "decode('20', 'hex') || b FROM (SELECT o, v, b, lag(v) OVER (ORDER BY o) AS u, lag(b) OVER "
    "(ORDER BY o) AS a FROM t) AS l WHERE has_pairs AND u IS NOT NULL),\n"
    "i AS (SELECT o, b, CASE WHEN buckets > 0 THEN @_bucket(b, buckets) WHEN octet_length(v) = "
    "octet_length(b) THEN (array_position(words, v COLLATE \"C\") - 1)::float8 END AS i FROM p),\n"
    "f AS (SELECT o, i, CASE WHEN buckets > 0 THEN int8send(i::bigint) ELSE b END AS j FROM i),\n"
    "d AS (SELECT j, min(o) AS o FROM f GROUP BY j ORDER BY min(o) LIMIT most),\n"
    "n AS (SELECT min(f.i) AS i, CASE WHEN is_counted THEN count(*)::float8 ELSE 1 END AS c FROM d "
    "JOIN f ON f.j = d.j WHERE f.i IS NOT NULL AND (NOT ends_full OR (SELECT count(*) FROM "
    "d) < most "
    "OR f.o <= (SELECT max(d.o) FROM d)) GROUP BY d.j),\n"
    "e AS (SELECT i, c * coalesce(rarity[i::int + 1], 1) AS c FROM n)\n"
    "SELECT coalesce(array_agg(i ORDER BY i) || array_agg(c / CASE divisor WHEN 0 THEN 1 "
    "WHEN 1 THEN "
    "s ELSE sqrt(q) END ORDER BY i), '{}') FROM e, (SELECT sum(c) AS s, sum(c * c) AS q FROM e) AS "
    "a);\n"
    "CREATE FUNCTION @_total(t float8[], numbers float8[]) RETURNS double precision LANGUAGE sql "
    "PARALLEL SAFE IMMUTABLE RETURN (SELECT coalesce(sum(t[i + cardinality(t) / 2] * "
    "numbers[t[i]::int + 1]), 0) FROM generate_series(1, cardinality(t) / 2) AS i);\n";

/* ----- characters ----- */

static void append_point(struct text *out, uint32_t point)
{
    text_printf(out, point < 0x10000 ? "\\u%04x" : "\\U%08x", point);
}

/* The ranges of a class, as in brackets. */
static void append_class(struct text *out, enum character_class class)
{
    struct class_run run;

    for (uint32_t first = 1; first < CHARACTER_POINTS; first = run.last + 1) {
        run = class_run_of(first);
        if (run.class != class)
            continue;
        append_point(out, run.first);
        text_append_char(out, '-');
        append_point(out, run.last);
    }
}

static void append_pattern(const struct sql_printer *printer)
{
    struct text pattern;

    text_init(&pattern, TEXT_MAXIMUM);
    text_append_char(&pattern, '[');
    append_class(&pattern, ALONE);
    text_append_string(&pattern, "]|[");
    append_class(&pattern, IN_WORD);
    text_append_string(&pattern, "]+");
    sql_literal(printer, text_slice(&pattern));
    printer->out->failed |= pattern.failed;
    text_deinit(&pattern);
}

static void append_letters(struct text *out, bool are_small)
{
    for (uint32_t point = 'A'; point < 0x20000; point++) {
        const uint32_t small = point <= 'Z' ? point + 32 : character_small(point);
        char bytes[CHARACTER_BYTES];

        if (point > 'Z' && point < 0x80)
            continue;
        if (small != point)
            text_append(out,
                        (struct slice){bytes, character_write(are_small ? small : point, bytes)});
    }
}

/* ----- functions ----- */

static void append_functions(const struct sql_printer *printer, const char *functions)
{
    for (; *functions; functions++)
        if (*functions == '@') {
            const char *name = ++functions;
            char ending[16];
            size_t size = 0;

            while (*functions == '_' || (*functions >= 'a' && *functions <= 'z'))
                functions++;
            while (name + size < functions && size < sizeof ending - 1)
                ending[size] = name[size], size++;
            ending[size] = 0;
            sql_object_name(printer, ending);
            functions--;
        } else if (*functions == '$') {
            text_append_string(printer->out, "translate(x, '");
            append_letters(printer->out, false);
            text_append_string(printer->out, "', '");
            append_letters(printer->out, true);
            text_append_string(printer->out, "'), ");
            append_pattern(printer);
        } else
            text_append_char(printer->out, *functions);
}

void postgres_words_functions(const struct sql_printer *printer, bool has_terms)
{
    text_append_string(printer->out, "CREATE FUNCTION ");
    sql_object_name(printer, "_hash");
    text_append_string(printer->out, "(x bytea) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL "
                                     "SAFE STRICT SET search_path = pg_catalog, pg_temp AS "
                                     "$totrain$\n");
    text_append_string(printer->out, hash);
    text_append_string(printer->out, "$totrain$;\n");
    append_functions(printer, buckets);
    if (has_terms)
        append_functions(printer, terms);
}

bool postgres_words_found(const struct formula *formula, bool *has_terms)
{
    bool is_found = false;

    for (; formula; formula = formula->c) {
        *has_terms |= formula->op == FORMULA_READ_TERMS;
        is_found |= formula->op == FORMULA_READ_TERMS || formula->op == FORMULA_READ_HASH ||
                    formula->op == FORMULA_READ_CROSS;
        is_found |= formula->a && postgres_words_found(formula->a, has_terms);
        is_found |= formula->b && postgres_words_found(formula->b, has_terms);
        for (uint32_t i = 0; formula->terms && i < formula->count; i++)
            is_found |= postgres_words_found(formula->terms[i], has_terms);
    }
    return is_found;
}

/* ----- formulas ----- */

static void append_word(const struct sql_printer *printer, uint32_t column)
{
    sql_object_name(printer, "_word");
    text_append_string(printer->out, "(");
    sql_column(printer, column);
    text_append_string(printer->out, ")");
}

static void read_cross(const struct sql_printer *printer, const struct formula *cell)
{
    sql_object_name(printer, "_bucket");
    text_append_string(printer->out, "(");
    for (uint32_t i = 0; i < cell->count; i++) {
        text_append_string(printer->out, i ? " || " : "");
        sql_object_name(printer, "_key");
        text_append_string(printer->out, "(");
        if (cell->terms[i]) {
            sql_formula(printer, cell->terms[i]);
            text_append_string(printer->out, "::bigint::text");
        } else
            append_word(printer, cell->cross->columns[i].cell);
        text_append_string(printer->out, ")");
    }
    text_printf(printer->out, ", %u)", cell->cross->buckets);
}

static void append_numbers(struct text *out, const double *numbers, uint32_t count)
{
    text_append_string(out, "'{");
    for (uint32_t i = 0; i < count; i++) {
        text_append_string(out, i ? "," : "");
        text_append_real(out, numbers[i]);
    }
    text_append_string(out, "}'::float8[]");
}

static void read_terms(const struct sql_printer *printer, const struct formula *cell)
{
    static const int divisors[] = {[COMBINER_SUM] = 0, [COMBINER_MEAN] = 1, [COMBINER_SQRTN] = 2};
    const struct formula_text how = formula_text_of(cell);
    struct text *out = printer->out;

    sql_object_name(printer, "_terms");
    text_append_string(out, "(");
    append_word(printer, cell->index);
    text_printf(out, ", %u, %s, %u, %s, %s, %d, ARRAY[", how.most, how.has_pairs ? "true" : "false",
                how.buckets, how.ends_full ? "true" : "false", how.is_counted ? "true" : "false",
                divisors[how.combiner]);
    for (uint32_t i = 0; i < cell->count; i++) {
        text_append_string(out, i ? ", " : "");
        sql_literal(printer, cell->words[i]);
    }
    text_append_string(out, "]::text[], ");
    append_numbers(out, cell->numbers, cell->numbers ? cell->count : 0);
    text_append_string(out, ")");
}

static void terms_of(const struct sql_printer *printer, const struct formula *formula)
{
    text_append_string(printer->out, "coalesce((");
    sql_formula(printer, formula->a);
    text_append_string(printer->out, ")[cardinality(");
    sql_formula(printer, formula->a);
    text_append_string(printer->out, ") / 2 + array_position((");
    sql_formula(printer, formula->a);
    text_append_string(printer->out, ")[1:cardinality(");
    sql_formula(printer, formula->a);
    text_printf(printer->out, ") / 2], %.0f::float8)], 0::float8)", formula->number);
}

bool postgres_read_words(const struct sql_printer *printer, const struct formula *cell)
{
    switch (cell->op) {
    case FORMULA_READ_HASH:
        sql_object_name(printer, "_bucket");
        text_append_string(printer->out, "(convert_to(");
        append_word(printer, cell->index);
        text_printf(printer->out, ", 'UTF8'), %u)", cell->count);
        break;
    case FORMULA_READ_CROSS:
        read_cross(printer, cell);
        break;
    case FORMULA_READ_TERMS:
        read_terms(printer, cell);
        break;
    case FORMULA_TERMS_SUM:
        sql_object_name(printer, "_total");
        text_append_string(printer->out, "(");
        sql_formula(printer, cell->a);
        text_append_string(printer->out, ", ");
        append_numbers(printer->out, cell->numbers, cell->count);
        text_append_string(printer->out, ")");
        break;
    case FORMULA_TERMS_OF:
        terms_of(printer, cell);
        break;
    default:
        return false;
    }
    return true;
}
