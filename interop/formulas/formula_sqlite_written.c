/*
 * The reader of numbers and dates as people write them, in SQLite's SQL: the steps of
 * written_number.c and dates.c, with their tables. Each subquery has one row, or none where the
 * text is not written so, and is used once: a use evaluates it again.
 */
#include "interop/formulas/formula_sqlite_written.h"

#include <assert.h>
#include <string.h>

#include "inputs/cells/digits.h"
#include "inputs/cells/written_number.h"
#include "interop/formulas/formula_dates.h"
#include "interop/formulas/formula_sqlite.h"

/* ----- ~ is the text without white space around it, {NAME} a table ----- */

/* x0: the text, if it may be one. y0: with digits and signs of ASCII. k counts the bytes of UTF-8:
 * a database whose encoding is UTF-16 has others. */
static const char plain_text[] =
    "x0(x) AS (SELECT ~ WHERE length(~)<65 AND instr(~,char(0))=0),\n"
    "y0(y) AS (SELECT CASE WHEN x NOT GLOB '*[^'||char(1)||'-'||char(127)||']*' THEN x ELSE\n"
    "(WITH RECURSIVE l(i,t,c,u,k) AS (SELECT 1,'',substr(x,1,1),unicode(x),0 UNION ALL\n"
    "SELECT i+1,t||CASE WHEN c=char(u) THEN CASE{RUNS} ELSE c END END,"
    "substr(x,i+1,1),unicode(substr(x,i+1,1)),\n"
    "k+1+(u>127)+(u>2047)+(u>65535) FROM l WHERE c<>'')\n"
    "SELECT CASE WHEN k<65 THEN trim(t,{SPACES}) END FROM l ORDER BY i DESC LIMIT 1) END FROM x0 "
    "LIMIT 1),\n";

/* a: marks are taken from both ends, one by each two rows: the first of them finds q, which has the
 * kind of the mark times 10000, its characters in front times 100, and those behind. s, n, p, m:
 * there was a sign, a negative one, a percent, a mark of money. */
static const char marked_number[] =
    "money(v) AS (VALUES {MONEY}),\n"
    "a(i,y,q,s,n,p,m) AS (SELECT 0,trim(y,{NARROW}),NULL,0,0,0,0 FROM y0 UNION ALL\n"
    "SELECT i+1,CASE i%2 WHEN 0 THEN y\n"
    "ELSE trim(substr(y,1+q/100%100,length(y)-q/100%100-q%100),{NARROW}) END,\n"
    "CASE i%2 WHEN 0 THEN coalesce(CASE WHEN y GLOB '[0-9]*' THEN NULL\n"
    "WHEN s=0 AND y GLOB '(?*)' THEN 10101\n"
    "WHEN s=0 AND substr(y,1,1) IN ('-','+',char(8722)) THEN 20100\n"
    "WHEN m=0 THEN (SELECT 30000+100*max(length(v)) FROM money WHERE substr(y,1,length(v))=v) "
    "END,\n"
    "CASE WHEN y GLOB '*[0-9]' THEN NULL WHEN p=0 AND y GLOB '*%' THEN 40001\n"
    "WHEN y GLOB '?*[,.]--' THEN 50003\n"
    "WHEN y GLOB '?*[,.]-' OR y GLOB '?*,'||char(8211) THEN 50002\n"
    "WHEN s=0 AND substr(y,-1) IN ('-',char(8722)) THEN 60001\n"
    "WHEN m=0 THEN (SELECT 30000+max(length(v)) FROM money WHERE substr(y,-length(v))=v) END) "
    "END,\n"
    "s OR (i%2 AND q/10000 IN (1,2,6)),\n"
    "n OR (i%2 AND (q/10000 IN (1,6) OR (q/10000=2 AND substr(y,1,1)<>'+'))),\n"
    "p OR (i%2 AND q/10000=4),m OR (i%2 AND q/10000=3)\n"
    "FROM a WHERE CASE i%2 WHEN 0 THEN y<>'' ELSE q IS NOT NULL END),\n"
    "b(y,n,p,e,f) AS (SELECT y,n,p,instr(lower(y),'e'),y=(SELECT ltrim(y,'+-') FROM y0) FROM a\n"
    "WHERE instr(y,'_')=0 ORDER BY i DESC LIMIT 1),\n";

/* Thousands by commas have a sign alone. */
static const char separated_number[] =
    "b(y,n,p,e,f) AS (SELECT CASE WHEN substr(x,1,1) IN ('+','-') THEN substr(x,2) ELSE x END,\n"
    "substr(x,1,1)='-',0,0,1 FROM x0 WHERE x NOT GLOB '*[^0-9.,+-]*' LIMIT 1),\n";

/* w: the whole part, d: the decimals. h: digits of its first group; b and g: what is behind them,
 * and how long all of it is. k: digits of a group. A number of up to 15 digits is exact; so is a
 * power of ten. */
static const char written_number[] =
    "c(m,z,n,p,e,f) AS (SELECT CASE WHEN e>0 THEN substr(y,1,e-1) ELSE y END,\n"
    "CASE WHEN e>0 THEN substr(y,e+1) ELSE '0' END,n,p,e,f FROM b LIMIT 1),\n"
    "d(m,z,n,p,e,f,x) AS (SELECT replace(replace(replace(replace(replace(replace(m,' ','_'),\n"
    "char(9),'_'),char(160),'_'),char(8239),'_'),char(8201),'_'),char(8217),''''),\n"
    "CAST(z AS INTEGER),n,p,e,f,CASE WHEN substr(z,1,1) IN ('+','-') THEN substr(z,2) ELSE z END\n"
    "FROM c LIMIT 1),\n"
    "j(m,z,n,p,e,f,v,j) AS (SELECT m,z,n,p,e,f,\n"
    "replace(replace(replace(replace(m,'.',''),',',''),'''',''),'_',''),\n"
    "length(rtrim(m,'0123456789')) FROM d\n"
    "WHERE m NOT GLOB '*[^0-9.,''_]*' AND length(x) BETWEEN 1 AND 3 AND x NOT GLOB '*[^0-9]*' "
    "LIMIT 1),\n"
    "w(m,z,n,p,e,f,v,w,d) AS (SELECT m,z,n,p,e,f,v,\n"
    "CASE WHEN substr(m,j,1)='{F}' THEN substr(m,1,j-1) ELSE m END,\n"
    "CASE WHEN substr(m,j,1)='{F}' THEN substr(m,j+1) END FROM j WHERE j>0 OR v=m LIMIT 1),\n"
    "g(m,z,n,p,e,f,v,w,d,h,b,g) AS (SELECT m,z,n,p,e,f,v,w,d,\n"
    "length(w)-length(ltrim(w,'0123456789')),substr(ltrim(w,'0123456789'),1,1),\n"
    "length(ltrim(w,'0123456789')) FROM w LIMIT 1),\n"
    "o(m,z,n,p,e,f,v,w,d,h,b,g,k) AS (SELECT *,CASE WHEN g=0 THEN 0\n"
    "WHEN g%4=0 AND substr(w,h+1) GLOB\n"
    "replace(printf('%0*d',g/4,0),'0',b||'[0-9][0-9][0-9]') THEN 3\n"
    "WHEN b=',' AND g>6 AND g%3=1 AND h<3 AND substr(w,h+1) GLOB\n"
    "replace(printf('%0*d',(g-4)/3,0),'0',',[0-9][0-9]')||',[0-9][0-9][0-9]' THEN 2 END\n"
    "FROM g LIMIT 1),\n"
    "t(n,v,z) AS (SELECT n,ltrim(v,'0'),z-length(coalesce(d,''))-2*p FROM o\n"
    "WHERE (coalesce(d,'0')<>'' OR ('{F}'='.' AND m GLOB '[0-9]*'))\n"
    "AND CASE k WHEN 0 THEN w NOT GLOB '0[0-9]*' AND m<>''\n"
    "ELSE k>0 AND e=0 AND b<>'{F}' AND h BETWEEN 1 AND 3 AND w NOT GLOB '0*' END\n"
    "AND (length(m)-length(v)<16 OR (f=1 AND k=3 AND b=',' AND '{F}'='.')){ONLY} LIMIT 1),\n"
    "u(n,v,z) AS (SELECT n,rtrim(v,'0'),z+length(v)-length(rtrim(v,'0')) FROM t LIMIT 1),\n"
    "v(n,v) AS (SELECT n,CASE WHEN v='' THEN 0.0\n"
    "WHEN length(v)<16 AND z BETWEEN -22 AND -1 THEN CAST(v AS REAL)/CAST('1e'||-z AS REAL)\n"
    "WHEN length(v)<16 AND z BETWEEN 0 AND 22 THEN CAST(v AS REAL)*CAST('1e'||z AS REAL)\n"
    "ELSE CAST(v||'e'||z AS REAL) END FROM u LIMIT 1)\n"
    "SELECT CASE n WHEN 1 THEN -v ELSE v END FROM v WHERE v<=1.7976931348623157e308\n";

/* ISO's form without separators, k is 4 or 6, gets them. i: it is ISO's form, whose first year
 * is 1. The year goes before the time that it is behind: a is what stands before the time, e the
 * end. A name of a day is left out: w, there is one. */
static const char date_before[] =
    "months(names) AS (VALUES({MONTHS})),\n"
    "e0(y) AS (SELECT lower(y) FROM y0 LIMIT 1),\n"
    "e1(y,k) AS (SELECT y,CASE WHEN y GLOB '[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]t*'\n"
    "THEN length(substr(y,10))-length(ltrim(substr(y,10),'0123456789')) ELSE 0 END FROM e0 LIMIT "
    "1),\n"
    "e2(y,k) AS (SELECT CASE WHEN k IN (4,6) THEN "
    "substr(y,1,4)||'-'||substr(y,5,2)||'-'||substr(y,7,5)\n"
    "||':'||substr(y,12,2)||CASE k WHEN 6 THEN ':' ELSE '' END||substr(y,14) ELSE y END,k\n"
    "FROM e1 LIMIT 1),\n"
    "e3(y,i,k,a,e) AS (SELECT y,y GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'\n"
    "AND (length(y)=10 OR substr(y,11) GLOB '[t ][0-9]*')\n"
    "AND substr(y,11) NOT GLOB '*[^0-9:.+tzuc -]*' AND y NOT GLOB '*  *',k,\n"
    "CASE WHEN ltrim(y,{LETTERS})<>y THEN rtrim(substr(y,1,instr(y,':')-1),'0123456789') ELSE '' "
    "END,\n"
    "CAST(substr(CAST(y AS BLOB),-5) AS TEXT) FROM e2 LIMIT 1),\n"
    "e4(y,i) AS (SELECT CASE WHEN a GLOB '* ' AND e GLOB ' [0-9]*' AND "
    "length(a)<length(y)-length(e)\n"
    "THEN a||substr(e,2)||' '||substr(y,length(a)+1,length(y)-length(a)-length(e)) ELSE y END,i\n"
    "FROM e3 WHERE i OR k NOT IN (4,6) LIMIT 1),\n"
    "e5(y,i,l) AS (SELECT y,i,substr(y,1,length(y)-length(ltrim(y,{LETTERS}))) FROM e4 LIMIT 1),\n"
    "e6(y,i,l,w) AS (SELECT y,i,l,instr({WEEKDAYS},'|'||l||'|')>0 FROM e5 LIMIT 1),\n"
    "e7(y,i,w) AS (SELECT CASE WHEN w THEN substr(y,length(l)+1+(substr(y,length(l)+1,1)='.'))\n"
    "ELSE y END,i,w FROM e6 LIMIT 1),\n"
    "c0(y0,i,a0) AS (SELECT CASE WHEN w THEN trim(substr(y,1+(y GLOB ',*')),{SPACES}) ELSE y "
    "END,i,''\n"
    "FROM e7 LIMIT 1),\n";

/* $: 0 to 2. a: what stands in front of it; v: the field's text without an article; l, d: its
 * letters, its digits; m: the month that the letters are, with 100 if it is short and 200 if it is
 * English; n, k: its number, and how many digits it has; z: what stands behind it, t that without a
 * separator; s: it begins with the sign of such a field. */
static const char date_field[] =
    "f$ AS (SELECT *,CASE WHEN a$=' ' AND (y$ GLOB 'de *' OR y$ GLOB 'del *')\n"
    "THEN trim(substr(y$,instr(y$,' ')),{SPACES}) ELSE y$ END AS v$ FROM c$ LIMIT 1),\n"
    "g$ AS (SELECT *,substr(v$,1,length(v$)-length(ltrim(v$,{LETTERS}))) AS l$,\n"
    "substr(v$,1,min(4,length(v$)-length(ltrim(v$,'0123456789')))) AS d$ FROM f$ LIMIT 1),\n"
    "j$ AS (SELECT g$.*,CASE WHEN instr(names,'|'||l$||'=')>0\n"
    "THEN CAST(substr(names,instr(names,'|'||l$||'=')+length(l$)+2,3) AS INTEGER) END AS m$\n"
    "FROM g$,months LIMIT 1),\n"
    "h$ AS (SELECT *,CASE l$ WHEN '' THEN CAST(d$ AS INTEGER) ELSE m$%100 END AS n$,length(d$) AS "
    "k$,\n"
    "CASE WHEN l$<>'' THEN substr(v$,length(l$)+1+(m$/100%2=1 AND substr(v$,length(l$)+1,1)='.'))\n"
    "WHEN length(d$)<3 AND substr(v$,length(d$)+1,2) IN ('st','nd','rd','th','er')\n"
    "AND ltrim(substr(v$,length(d$)+3),{LETTERS})=substr(v$,length(d$)+3)\n"
    "THEN substr(v$,length(d$)+3) ELSE substr(v$,length(d$)+1) END AS z$\n"
    "FROM j$ WHERE m$ IS NOT NULL OR d$<>'' LIMIT 1),\n"
    "t$ AS (SELECT *,CASE WHEN substr(z$,1,1) IN ('/','-','.',',') THEN substr(z$,2) ELSE z$ END "
    "AS t$,\n"
    "instr(substr(char(24180,45380,26376,50900,26085,51068),1+2*$,2),substr(z$||' ',1,1)) AS s$\n"
    "FROM h$ LIMIT 1),\n";

/* b: what stands between two fields. #: $ + 1. */
static const char date_between[] =
    "c# AS (SELECT *,b$ AS a# FROM (SELECT *,CASE WHEN s$>0 THEN '/' WHEN substr(t$,1,1)=' '\n"
    "THEN CASE WHEN z$ GLOB ',*' THEN ' ' WHEN z$ GLOB '[. ]*' THEN substr(z$,1,1) ELSE '' END\n"
    "WHEN substr(z$,1,1) IN ('/','-','.') THEN substr(z$,1,1) ELSE '' END AS b$,\n"
    "CASE WHEN s$>0 THEN trim(substr(z$,2),{SPACES}) WHEN substr(t$,1,1)=' ' THEN "
    "trim(t$,{SPACES})\n"
    "WHEN substr(z$,1,1) IN ('/','-','.') THEN t$ ELSE z$ END AS y# FROM t$) LIMIT 1),\n";

/* x: what stands behind the date. o: which of its fields are year, month and day; 4: the year is
 * last. */
static const char date_fields[] =
    "c3 AS (SELECT *,substr(z2,1+(s2>0 OR (b0='.' AND k0=4 AND substr(z2,1,1)='.'))) AS x\n"
    "FROM t2 LIMIT 1),\n"
    "o AS (SELECT *,CASE WHEN k0=0 OR k1=0 THEN CASE WHEN k2=0 OR (k0=0 AND k1=0) THEN NULL\n"
    "WHEN NOT CASE k0 WHEN 0 THEN m0>=200 ELSE m1>=200 OR (b0<>'' AND b1<>'') END THEN NULL\n"
    "WHEN k0=4 THEN 1 WHEN k1=0 THEN 2 WHEN b0<>'' AND b1<>'' THEN 3 END\n"
    "WHEN k2>0 AND b0<>'' AND b0=b1 THEN CASE WHEN k0=4 AND b0<>' ' AND k2<3 THEN 1\n"
    "WHEN b0=' ' OR (k2=2 AND b0='.' AND (k0<>2 OR k1<>2)) THEN NULL ELSE 4 END END AS o\n"
    "FROM c3 LIMIT 1),\n";

/* $: 1 to 3, in which Y, M and D are numbers of fields, behind the subquery FROM. The day since
 * 1970. */
static const char date_day[] =
    "p$ AS (SELECT *,printf('%04d-%02d-%02d',n{Y}+CASE k{Y} WHEN 2 THEN CASE WHEN n{Y}<69 THEN "
    "2000\n"
    "ELSE 1900 END ELSE 0 END,n{M},n{D}) AS p$ FROM {FROM} LIMIT 1),\n"
    "q$ AS (SELECT *,CASE WHEN k{D} IN (1,2) AND k{M}<3 AND (k{Y}=2 OR (k{Y}=4 AND n{Y}>CASE i "
    "WHEN 1 THEN 0 ELSE 999 END))\n"
    "AND n{M} BETWEEN 1 AND 12 AND n{D} BETWEEN 1 AND 31 AND date(p$,'+0 days')=p$\n"
    "THEN CAST(strftime('%s',p$) AS INTEGER)/86400 END AS q$ FROM p$ LIMIT 1),\n";

/* The time, and the zone. */
static const char time_behind[] =
    "r(q,z,t) AS (SELECT {CHOICE},x,\n"
    "CASE WHEN substr(x,1,1)=',' THEN substr(x,2) ELSE x END FROM q3 LIMIT 1),\n"
    "r1(q,z,t) AS (SELECT q,z,trim(substr(t,2),{SPACES}) FROM r\n"
    "WHERE q IS NOT NULL AND (z='' OR substr(t,1,1) IN ('t',':',' ')) LIMIT 1),\n"
    "r2(q,z,t) AS (SELECT q,z,CASE WHEN t GLOB '[0-9]:*' THEN '0'||t ELSE t END FROM r1 LIMIT 1),\n"
    "r3(q,s,t) AS (SELECT q,CASE WHEN z='' THEN 0\n"
    "ELSE CAST(substr(t,1,2) AS INTEGER)*3600+CAST(substr(t,4,2) AS INTEGER)*60 END,substr(t,6)\n"
    "FROM r2 WHERE z='' OR (t GLOB '[0-9][0-9]:[0-9][0-9]*' AND substr(t,1,2)<'24'\n"
    "AND substr(t,4,2)<'60') LIMIT 1),\n"
    "r4(q,s,t,f) AS (SELECT q,s+CASE WHEN t GLOB ':[0-9][0-9]*' THEN CAST(substr(t,2,2) AS "
    "INTEGER)\n"
    "ELSE 0 END,CASE WHEN t GLOB ':[0-9][0-9][.,][0-9]*' THEN ltrim(substr(t,5),'0123456789')\n"
    "WHEN t GLOB ':[0-9][0-9]*' THEN substr(t,4) ELSE t END,\n"
    "CASE WHEN t GLOB ':[0-9][0-9][.,][0-9]*'\n"
    "THEN substr(t,5,length(t)-4-length(ltrim(substr(t,5),'0123456789'))) ELSE '' END\n"
    "FROM r3 WHERE t NOT GLOB ':[0-9][0-9]*' OR substr(t,2,2)<='60' LIMIT 1),\n"
    "r5(q,s,t,f,h) AS (SELECT q,s,trim(t,{SPACES}),f,\n"
    "CASE WHEN trim(t,{SPACES}) GLOB 'am*' OR trim(t,{SPACES}) GLOB 'a.m.*' THEN 0\n"
    "WHEN trim(t,{SPACES}) GLOB 'pm*' OR trim(t,{SPACES}) GLOB 'p.m.*' THEN 1 END FROM r4 LIMIT "
    "1),\n"
    "r6(q,s,t,f) AS (SELECT q,s+CASE WHEN h IS NULL THEN 0 WHEN s/3600=12 THEN 43200*(h-1)\n"
    "ELSE 43200*h END,CASE WHEN h IS NULL AND t GLOB 'uhr*' THEN trim(substr(t,4),{SPACES})\n"
    "WHEN h IS NULL THEN t\n"
    "ELSE trim(substr(t,CASE substr(t,2,1) WHEN '.' THEN 5 ELSE 3 END),{SPACES}) END,f\n"
    "FROM r5 WHERE h IS NULL OR s/3600 BETWEEN 1 AND 12 LIMIT 1),\n"
    "r7(q,s,f,z) AS (SELECT q,s,f,CASE WHEN t IN ('','z','utc','gmt') THEN 0\n"
    "WHEN (t GLOB '[-+][0-9][0-9]' OR t GLOB '[-+][0-9][0-9][0-9][0-9]'\n"
    "OR t GLOB '[-+][0-9][0-9]:[0-9][0-9]') AND substr(t,2,2)<'16'\n"
    "AND (length(t)=3 OR substr(t,-2)<'60') THEN CASE substr(t,1,1) WHEN '-' THEN -60 ELSE 60 END\n"
    "*(CAST(substr(t,2,2) AS INTEGER)*60+CASE length(t) WHEN 3 THEN 0\n"
    "ELSE CAST(substr(t,-2) AS INTEGER) END) END FROM r6 LIMIT 1)\n"
    "SELECT q*86400.0+(s-z)+CAST(substr(f||'000000',1,6) AS REAL)/1e6 FROM r7 WHERE z IS NOT "
    "NULL\n";

/* ----- tables ----- */

static void append_runs(struct text *out)
{
    struct digits_run run;

    for (size_t i = 0; digits_run_at(i, &run); i++) {
        text_printf(out, " WHEN u BETWEEN %u AND %u THEN ", run.first, run.last);
        if (run.meant == 0)
            text_append_string(out, "''");
        else
            text_printf(out, "char(u-%u)", run.first - run.meant);
    }
}

static void append_money(struct text *out)
{
    for (size_t i = 0; written_mark(i); i++)
        text_printf(out, i ? ",('%s')" : "('%s')", written_mark(i));
}

/* Capitals of names, as characters of which u is the number. */
static void append_capitals(struct text *out)
{
    struct capital_run run = {.last = 0};

    while (date_capitals_find(run.last + 1, &run))
        text_printf(out, " WHEN u BETWEEN %u AND %u AND (u-%u)%%%u=0 THEN char(u+%d)", run.first,
                    run.last, run.first, run.step, (int)run.shift);
}

static void append_letters(struct text *out)
{
    text_append_string(out, "abcdefghijklmnopqrstuvwxyz");
    date_letters_append(out);
}

static void append_quoted(struct text *out, void (*append)(struct text *))
{
    text_append_char(out, '\'');
    append(out);
    text_append_char(out, '\'');
}

/* By which the date is told that numbers alone make. */
static const char *choice_of(enum input_reading reading)
{
    return reading == READING_DAY_FIRST
               ? "CASE o WHEN 1 THEN q1 WHEN 3 THEN q3 WHEN 2 THEN q2 WHEN 4 THEN q2 END"
           : reading == READING_MONTH_FIRST
               ? "CASE o WHEN 1 THEN q1 WHEN 2 THEN q2 WHEN 3 THEN q3 WHEN 4 THEN q3 END"
               : "CASE o WHEN 1 THEN q1 WHEN 2 THEN q2 WHEN 3 THEN q3 WHEN 4 THEN CASE WHEN b0='.' "
                 "OR "
                 "(k2=4 AND coalesce(q2=q3,1)) THEN coalesce(q2,q3) END END";
}

static void append_table(const struct formula *cell, struct slice name, struct text *out)
{
    if (slice_is(name, "RUNS")) {
        append_runs(out);
        if (cell->op == FORMULA_READ_DATE)
            append_capitals(out);
    } else if (slice_is(name, "MONEY"))
        append_money(out);
    else if (slice_is(name, "WEEKDAYS"))
        append_quoted(out, date_weekdays_append);
    else if (slice_is(name, "MONTHS"))
        append_quoted(out, date_months_append);
    else if (slice_is(name, "SPACES"))
        text_append_string(out, "char(32,9,10,11,12,13)");
    else if (slice_is(name, "NARROW"))
        text_append_string(out, "char(32,9,160,8239,8201)");
    else if (slice_is(name, "LETTERS"))
        append_quoted(out, append_letters);
    else if (slice_is(name, "CHOICE"))
        text_append_string(out, choice_of(cell->reading));
    else if (slice_is(name, "F"))
        text_append_char(out, cell->reading == READING_COMMA ? ',' : '.');
    else if (cell->reading == READING_SEPARATED) /* ONLY */
        text_append_string(out, " AND k=3 AND b=','");
}

/* ----- the subquery ----- */

static void append_part(const struct sql_printer *printer, const struct formula *cell,
                        const char *part)
{
    for (; *part; part++)
        if (*part == '{') {
            const char *end = strchr(part, '}');

            append_table(cell, (struct slice){part + 1, (size_t)(end - part) - 1}, printer->out);
            part = end;
        } else if (*part == '~')
            sqlite_cell(printer, cell->index, "~");
        else
            text_append_char(printer->out, *part);
}

/* number: of the field. */
static void append_field(const struct sql_printer *printer, const struct formula *cell,
                         const char *part, char number)
{
    char numbered[sizeof date_field];
    size_t size = strlen(part);

    assert(size < sizeof numbered);
    for (size_t i = 0; i <= size; i++)
        numbered[i] = part[i] == '$' ? number : part[i] == '#' ? (char)(number + 1) : part[i];
    append_part(printer, cell, numbered);
}

/* order: the fields that are year, month and day. */
static void append_day(const struct sql_printer *printer, char number, const char *order,
                       const char *from)
{
    for (const char *c = date_day; *c; c++)
        if (*c == '$')
            text_append_char(printer->out, number);
        else if (*c != '{')
            text_append_char(printer->out, *c);
        else {
            const char *end = strchr(c, '}');

            if (end - c == 2)
                text_append_char(printer->out, order[c[1] == 'Y' ? 0 : c[1] == 'M' ? 1 : 2]);
            else
                text_append_string(printer->out, from);
            c = end;
        }
}

static void append_date(const struct sql_printer *printer, const struct formula *cell)
{
    append_part(printer, cell, date_before);
    for (char number = '0'; number < '3'; number++) {
        append_field(printer, cell, date_field, number);
        if (number < '2')
            append_field(printer, cell, date_between, number);
    }
    append_part(printer, cell, date_fields);
    append_day(printer, '1', "012", "o");
    append_day(printer, '2', "210", "q1");
    append_day(printer, '3', "201", "q2");
    append_part(printer, cell, time_behind);
}

void sqlite_written(const struct sql_printer *printer, const struct formula *cell)
{
    text_append_string(printer->out, "(WITH RECURSIVE ");
    append_part(printer, cell, plain_text);
    if (cell->op == FORMULA_READ_DATE)
        append_date(printer, cell);
    else {
        append_part(printer, cell,
                    cell->reading == READING_SEPARATED ? separated_number : marked_number);
        append_part(printer, cell, written_number);
    }
    text_append_string(printer->out, ")");
}
