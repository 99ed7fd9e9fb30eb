// The statements of ToTrain. The SELECT half is the host's to parse: here it
// is one token. docs/language.md is this file in words.
//
// The clauses behind a verb may stand in any order: a word that is no name begins each of them, so
// none has two meanings, and a comma belongs to the clause that it stands in. Which of them a
// statement needs, and which it may have twice, is a table (clauses.c) rather than grammar: a rule
// for each order would be a hundred.

%name grammar
%token_prefix TOKEN_
%token_type {struct token}
%extra_context {struct parse *parse}
%start_symbol program
%stack_size 300

%include {
#include "parser/build.h"
#include "parser/grammar_driver.h"

/* Nesting is bounded by STATEMENT_DEPTH_MAX before the grammar sees a token,
 * and every list is left-recursive: 300 entries cannot run out. */
#define YYNOERRORRECOVERY 1
}

%syntax_error   { (void)yymajor; (void)TOKEN; fail_syntax_unexplained(parse); }
%stack_overflow { fail_syntax_unexplained(parse); }

// Ordinary words until they stand where the language wants them.
%fallback NAME
    EXPLAIN TRAIN PREDICT EVALUATE RUN MAXIMIZE MINIMIZE BY CMD LABEL AS SHOW MODELS VERSIONS
    TRIALS JOBS ATTRIBUTES FULL CANCEL JOB ROLLBACK MODEL EXPORT IMPORT FROM FORMAT EXCEPT LIKE
    FORECAST DEFINE DEFINITION DEFINITIONS DROP OR REPLACE IF EXISTS REPORT.

program ::= statement.

statement ::= query TO action.
statement ::= EXPLAIN query TO planned.    { parse->statement->explain_plan = true; }

query  ::= SELECT(Q).                      { build_query(parse, &Q); }
action ::= train.
action ::= predict.
action ::= evaluate.
action ::= explain.
action ::= run.
action ::= optimize.

planned ::= train.
planned ::= predict.
planned ::= evaluate.

// TO TRAIN model, with the clauses [WITH ...] [COLUMN ...]... [LABEL label, ...] [USING old_model] INTO new_model
train ::= train_verb estimator train_clauses.
train_verb ::= TRAIN(V).                   { build_verb(parse, STATEMENT_TRAIN, &V); }

train_clauses ::= .
train_clauses ::= train_clauses with.
train_clauses ::= train_clauses columns.
train_clauses ::= train_clauses labels.
train_clauses ::= train_clauses model_used.
train_clauses ::= train_clauses into.

estimator ::= ESTIMATOR|QUOTED|NAME(M).    { parse->statement->model = build_name(parse, &M); }

labels ::= LABEL label_named other_labels.

other_labels ::= .
other_labels ::= other_labels COMMA name(N).    { build_label(parse, &N); }
other_labels ::= other_labels COMMA STRING(S).  { build_label_string(parse, &S); }

label ::= LABEL label_named.

label_named ::= name(N).                   { parse->statement->label = N; }
label_named ::= STRING(S).                 { parse->statement->label = build_string_name(parse, &S); }

model_used ::= USING path(P).              { parse->statement->object = P; }

into ::= INTO path(P).                     { parse->statement->into = P; }

// TO PREDICT [[schema.]table.column], with the clauses [WITH ...] USING model [INTO table]
predict ::= predict_verb target predict_clauses.
predict_verb ::= PREDICT(V).               { build_verb(parse, STATEMENT_PREDICT, &V); }

predict_clauses ::= .
predict_clauses ::= predict_clauses with.
predict_clauses ::= predict_clauses model_used.
predict_clauses ::= predict_clauses into.

target ::= .
target ::= path(P).                        { parse->statement->predict_into = P; }

// TO EVALUATE model, ..., with the clauses [WITH ...] [LABEL label] [INTO table]
evaluate ::= evaluate_verb object others evaluate_clauses.
evaluate_verb ::= EVALUATE(V).             { build_verb(parse, STATEMENT_EVALUATE, &V); }

evaluate_clauses ::= .
evaluate_clauses ::= evaluate_clauses with.
evaluate_clauses ::= evaluate_clauses label.
evaluate_clauses ::= evaluate_clauses into.

others ::= .
others ::= others COMMA path(P).           { build_other(parse, &P); }

object ::= path(P).                        { parse->statement->object = P; }

// TO EXPLAIN model, with the clauses [WITH ...] [USING explainer] [INTO table]
explain ::= explain_verb object explain_clauses.
explain_verb ::= EXPLAIN(V).               { build_verb(parse, STATEMENT_EXPLAIN, &V); }

explain_clauses ::= .
explain_clauses ::= explain_clauses with.
explain_clauses ::= explain_clauses explainer.
explain_clauses ::= explain_clauses into.

explainer ::= USING name(N).               { parse->statement->explainer = N; }

// TO RUN image, with the clauses [CMD 'word', ...] [INTO table, ...]
run ::= run_verb image run_clauses.
run_verb ::= RUN(V).                       { build_verb(parse, STATEMENT_RUN, &V); }

image ::= IMAGE|QUOTED|NAME(I).            { parse->statement->image = build_name(parse, &I); }

run_clauses ::= .
run_clauses ::= run_clauses command.
run_clauses ::= run_clauses outputs.

command ::= CMD words.
words ::= word.
words ::= words COMMA word.
word  ::= STRING|QUOTED(S).                { build_word_of_command(parse, &S); }

outputs ::= INTO tables.
tables  ::= table.
tables  ::= tables COMMA table.
table   ::= path(P).                       { build_output(parse, &P); }

// FORECAST model, with the clauses [FOR steps] [WITH ...] [INTO table]
statement ::= forecast_verb object forecast_clauses.
forecast_verb ::= FORECAST(V).             { build_verb(parse, STATEMENT_FORECAST, &V); }

forecast_clauses ::= .
forecast_clauses ::= forecast_clauses steps.
forecast_clauses ::= forecast_clauses with.
forecast_clauses ::= forecast_clauses into.

steps ::= FOR number.

// TO MAXIMIZE | MINIMIZE expression, with the clauses [CONSTRAINT ...] WITH ... [USING solver] INTO table
optimize ::= direction optimize_clauses.

optimize_clauses ::= .
optimize_clauses ::= optimize_clauses constraints.
optimize_clauses ::= optimize_clauses with.
optimize_clauses ::= optimize_clauses explainer.
optimize_clauses ::= optimize_clauses into.

direction ::= maximize_verb expression(E). { build_objective(parse, true, &E); }
direction ::= minimize_verb expression(E). { build_objective(parse, false, &E); }
maximize_verb ::= MAXIMIZE(V).             { build_verb(parse, STATEMENT_OPTIMIZE, &V); }
minimize_verb ::= MINIMIZE(V).             { build_verb(parse, STATEMENT_OPTIMIZE, &V); }

// CONSTRAINT expression [GROUP BY column], ...
constraints ::= CONSTRAINT constraint_list.
constraint_list ::= constraint.
constraint_list ::= constraint_list COMMA constraint.
constraint ::= expression(E).                   { build_constraint(parse, &E, NULL); }
constraint ::= expression(E) GROUP BY name(N).  { build_constraint(parse, &E, &N); }

// An expression is kept as text: any run of tokens with balanced parentheses.
%type expression {struct span}
%type operand    {struct span}
expression(A) ::= operand(A).
expression(A) ::= expression(A) operand(B).     { A.end = B.end; }
operand(A) ::= NAME|QUOTED|STRING|DOLLAR|NUMBER|OPERATOR|STAR|EQ|MINUS|PLUS|DOT|COLON(T).  { A = span_of(&T, &T); }
operand(A) ::= LP(S) inside RP(E).              { A = span_of(&S, &E); }
inside ::= .
inside ::= inside operand.
inside ::= inside COMMA.

// SHOW TRAIN model | MODEL model | MODELS [FULL] | VERSIONS model | TRIALS model | JOBS [FULL] | ATTRIBUTES [FOR model]
//      | DEFINITIONS | DEFINITION name
statement ::= SHOW(V) TRAIN object.        { build_verb(parse, STATEMENT_SHOW_TRAIN, &V); }
statement ::= SHOW(V) MODEL object.        { build_verb(parse, STATEMENT_SHOW_MODEL, &V); }
statement ::= SHOW(V) MODELS full.         { build_verb(parse, STATEMENT_SHOW_MODELS, &V); }
statement ::= SHOW(V) VERSIONS object.     { build_verb(parse, STATEMENT_SHOW_VERSIONS, &V); }
statement ::= SHOW(V) TRIALS object.       { build_verb(parse, STATEMENT_SHOW_TRIALS, &V); }
statement ::= SHOW(V) JOBS full.           { build_verb(parse, STATEMENT_SHOW_JOBS, &V); }
statement ::= SHOW(V) ATTRIBUTES of_model. { build_verb(parse, STATEMENT_SHOW_ATTRIBUTES, &V); }
statement ::= SHOW(V) DEFINITIONS.         { build_verb(parse, STATEMENT_SHOW_DEFINITIONS, &V); }
statement ::= SHOW(V) DEFINITION estimator.  { build_verb(parse, STATEMENT_SHOW_DEFINITION, &V); }

full ::= .
full ::= FULL.                             { parse->statement->is_full = true; }

of_model ::= .
of_model ::= FOR estimator.

// DEFINE [OR REPLACE] MODEL name [(argument = default, ...)] AS 'text'; DROP DEFINITION [IF EXISTS] name
statement ::= DEFINE(V) replacing MODEL estimator defaults AS definition.
    { build_verb(parse, STATEMENT_DEFINE_MODEL, &V); }
statement ::= DROP(V) DEFINITION if_exists estimator.
    { build_verb(parse, STATEMENT_DROP_DEFINITION, &V); }

// EXPORT DEFINITION name TO 'file'; IMPORT DEFINITION name FROM 'file'
statement ::= EXPORT(V) DEFINITION estimator TO file.
    { build_verb(parse, STATEMENT_EXPORT_DEFINITION, &V); }
statement ::= IMPORT(V) DEFINITION estimator FROM file.
    { build_verb(parse, STATEMENT_IMPORT_DEFINITION, &V); }

replacing ::= .
replacing ::= OR REPLACE.                  { parse->statement->is_replacing = true; }

defaults ::= .
defaults ::= LP RP.
defaults ::= LP settings RP.

definition ::= STRING|DOLLAR(S).           { build_definition(parse, &S); }

if_exists ::= .
if_exists ::= IF EXISTS.                   { parse->statement->if_exists = true; }

// CANCEL JOB id; ROLLBACK MODEL model TO version; EXPORT MODEL model TO 'file' [FORMAT format];
// IMPORT MODEL new_model FROM 'file' [FORMAT format]; REPORT MODEL model TO 'file' [FORMAT format]
statement ::= CANCEL(V) JOB number.        { build_verb(parse, STATEMENT_CANCEL_JOB, &V); }
statement ::= ROLLBACK(V) MODEL object TO number.     { build_verb(parse, STATEMENT_ROLLBACK_MODEL, &V); }
statement ::= EXPORT(V) MODEL object TO file format.  { build_verb(parse, STATEMENT_EXPORT_MODEL, &V); }

statement ::= REPORT(V) MODEL object TO file format.  { build_verb(parse, STATEMENT_REPORT_MODEL, &V); }

statement ::= IMPORT(V) MODEL path(P) FROM file format.
    { build_verb(parse, STATEMENT_IMPORT_MODEL, &V); parse->statement->into = P; }

number ::= NUMBER(N).                      { parse->statement->number = build_number(parse, NULL, &N); }
number ::= STRING|QUOTED(S).               { parse->statement->number = build_text(parse, &S); }

file ::= STRING|QUOTED(S).
    { parse->statement->file = build_string(parse, &S); parse->statement->file_position = S.position; }

format ::= .
format ::= FORMAT name(N).                 { parse->statement->format = N; }

// WITH train.epoch = 10, model.hidden_units = [16, 16]
with     ::= WITH settings.
settings ::= setting.
settings ::= settings COMMA setting.
setting  ::= dotted(N) EQ value(V).        { build_setting(parse, &N, &V); }
setting  ::= dotted(N) EQ range(V).        { build_setting(parse, &N, &V); }

// RANGE(1e-4, 1e-1), RANGE(1, 8, 'log'): what a search draws values from
%type range {struct value}
range(A) ::= NAME(F) LP values(L) RP(E).   { A = build_range(parse, &F, &L, &E); }

%type dotted {struct dotted}
dotted(A) ::= NAME|QUOTED|GROUP(T). { struct name name = build_name(parse, &T); A = build_dotted(parse, &name, &T); }
dotted(A) ::= dotted(B) DOT NAME|QUOTED(T).
    { struct name name = build_name(parse, &T); struct dotted more = build_dotted(parse, &name, &T); A = build_dotted_more(parse, &B, '.', &more); }

// A number, 'text', "text", a bare word, or a [list] of them
%type value  {struct value}
%type values {struct value_list}
%type word_value {struct dotted}
value(A) ::= scalar(A).
value(A) ::= word_value(W).                { A = build_word(&W); }
value(A) ::= QUOTED(S).                    { A = build_text(parse, &S); }
value(A) ::= LB(S) RB(E).                  { A = build_list(&S, NULL, &E); }
value(A) ::= LB(S) values(L) RB(E).        { A = build_list(&S, &L, &E); }
values(A) ::= value(V).                    { A = (struct value_list){NULL, 0}; build_value(parse, &A, &V); }
values(A) ::= values(A) COMMA value(V).    { build_value(parse, &A, &V); }

word_value(A) ::= NAME(T).                 { struct name name = build_name(parse, &T); A = build_dotted(parse, &name, &T); }
word_value(A) ::= word_value(B) DOT NAME(T).
    { struct name name = build_name(parse, &T); struct dotted more = build_dotted(parse, &name, &T); A = build_dotted_more(parse, &B, '.', &more); }
word_value(A) ::= word_value(B) COLON NAME(T).
    { struct name name = build_name(parse, &T); struct dotted more = build_dotted(parse, &name, &T); A = build_dotted_more(parse, &B, ':', &more); }

%type scalar {struct value}
scalar(A) ::= signed(A).
scalar(A) ::= STRING(S).                   { A = build_text(parse, &S); }

%type signed {struct value}
signed(A) ::= NUMBER(N).                   { A = build_number(parse, NULL, &N); }
signed(A) ::= MINUS|PLUS(S) NUMBER(N).     { A = build_number(parse, &S, &N); }

// COLUMN a, "b", 'regular expression', NUMERIC(c, [2, 3]), BUCKET(d, num_buckets = 5), *,
//        * EXCEPT (e, 'regular expression', LIKE 'tmp_%') [FOR part]
columns ::= COLUMN(W) column_list(L).              { build_columns(parse, &W, &L, NULL); }
columns ::= COLUMN(W) column_list(L) FOR name(N).  { build_columns(parse, &W, &L, &N); }

%type column_list {struct column_list}
%type column      {struct column}
column_list(A) ::= column(C).                       { A = (struct column_list){NULL, 0}; build_column(parse, &A, &C); }
column_list(A) ::= column_list(A) COMMA column(C).  { build_column(parse, &A, &C); }
column(A) ::= STAR(S).                              { A = build_column_all(&S, NULL, 0); }
column(A) ::= STAR(S) EXCEPT LP excepts(L) RP(E).   { A = build_column_all(&S, &L, token_end(&E)); }
column(A) ::= operand_column(A).
column(A) ::= STRING(S).                            { A = build_column_pattern(parse, &S); }

%type except  {struct column}
%type excepts {struct column_list}
excepts(A) ::= except(C).                           { A = (struct column_list){NULL, 0}; build_argument(parse, &A, &C); }
excepts(A) ::= excepts(A) COMMA except(C).          { build_argument(parse, &A, &C); }
except(A) ::= NAME|QUOTED(T).                       { A = build_column_name(parse, &T); }
except(A) ::= LIKE(T).                              { A = build_column_name(parse, &T); }
except(A) ::= STRING(S).                            { A = build_column_pattern(parse, &S); }
except(A) ::= LIKE(L) STRING(S).                    { A = build_column_like(parse, &L, &S); }

%type operand_column {struct column}
operand_column(A) ::= NAME(T).                      { A = build_column_name(parse, &T); }
operand_column(A) ::= QUOTED(T).                    { A = build_column_name(parse, &T); }
operand_column(A) ::= NAME(F) LP RP(E).             { A = build_call(parse, &F, NULL, &E); }
operand_column(A) ::= NAME(F) LP arguments(L) RP(E).  { A = build_call(parse, &F, &L, &E); }

%type argument  {struct column}
%type arguments {struct column_list}
arguments(A) ::= argument(C).                       { A = (struct column_list){NULL, 0}; build_argument(parse, &A, &C); }
arguments(A) ::= arguments(A) COMMA argument(C).    { build_argument(parse, &A, &C); }
argument(A) ::= plain_argument(A).
argument(A) ::= operand_column(C) AS name(N).       { A = build_column_named(&C, &N); }
argument(A) ::= NAME(K) EQ plain_argument(C).       { A = build_argument_named(parse, &K, &C); }

%type plain_argument {struct column}
plain_argument(A) ::= operand_column(A).
plain_argument(A) ::= scalar(V).                    { A = build_column_value(&V); }
plain_argument(A) ::= LB(S) RB(E).                  { A = build_column_list(&S, NULL, &E); }
plain_argument(A) ::= LB(S) arguments(L) RB(E).     { A = build_column_list(&S, &L, &E); }

// [[schema.]table.]name, quoted as the host quotes
%type name {struct name}
%type path {struct path}
name(A) ::= NAME|QUOTED(T).                { A = build_name(parse, &T); }
path(A) ::= name(N).                       { A = build_path(&N, NULL, NULL); }
path(A) ::= name(N) DOT name(M).           { A = build_path(&N, &M, NULL); }
path(A) ::= name(N) DOT name(M) DOT name(O).  { A = build_path(&N, &M, &O); }

// The functions over lemon's tables that parser.c needs: see grammar_driver.h.
%code {
#include "parser/grammar_tables.h"
}
