// The language of definitions: docs/definitions.md is this file in words.
//
// A step ends with a semicolon, or where its braces close. Lists of steps and of arguments are
// left-recursive, so that the depth of the stack follows from the nesting alone, which is limited
// before the grammar sees a token.

%name syntax_grammar
%token_prefix SYNTAX_
%token_type {struct syntax_token}
%extra_context {struct syntax *syntax}
%start_symbol definition
%stack_size 400

%include {
#include "definition/syntax_build.h"

#define YYNOERRORRECOVERY 1
}

%syntax_error   { (void)yymajor; (void)TOKEN; syntax_fail_unexplained(syntax); }
%stack_overflow { syntax_fail_unexplained(syntax); }

%left PLUS MINUS.
%left STAR SLASH.
%right SIGN.
%nonassoc LB.

definition ::= steps(S).                   { syntax->steps = S.first; }

%type steps {struct step_list}
%type plain {struct step *}
%type block {struct step *}
%type open  {struct step_list}

// Finished steps, and behind them perhaps one without its semicolon.
steps(A) ::= open(A).
steps(A) ::= open(L) plain(S).             { A = syntax_step_added(L, S); }
open(A) ::= .                              { A = (struct step_list){NULL, NULL}; }
open(A) ::= open(L) SEMICOLON.             { A = L; }
open(A) ::= open(L) plain(S) SEMICOLON.    { A = syntax_step_added(L, S); }
open(A) ::= open(L) block(S).              { A = syntax_step_added(L, S); }

plain(A) ::= NAME(N) EQ expression(E).     { A = syntax_assign(syntax, &N, E); }
plain(A) ::= RETURN(R) expression(E).      { A = syntax_return(syntax, &R, E); }

block(A) ::= FOR(F) NAME(N) IN expression(E) LC steps(S) RC.
    { A = syntax_for(syntax, &F, &N, E, S); }
block(A) ::= FUNCTION(F) NAME(N) LP parameters(P) RP LC steps(S) RC.
    { A = syntax_function(syntax, &F, &N, P, S); }

%type parameters {struct step *}
%type parameter_list {struct step *}
parameters(A) ::= .                        { A = syntax_parameters(syntax); }
parameters(A) ::= parameter_list(A).
parameter_list(A) ::= NAME(N).             { A = syntax_parameter(syntax, syntax_parameters(syntax), &N); }
parameter_list(A) ::= parameter_list(L) COMMA NAME(N).  { A = syntax_parameter(syntax, L, &N); }

%type expression {struct expression *}
expression(A) ::= NUMBER(N).               { A = syntax_number(syntax, &N); }
expression(A) ::= STRING(S).               { A = syntax_text(syntax, &S); }
expression(A) ::= NAME(N).                 { A = syntax_name(syntax, &N); }
expression(A) ::= QUOTED(N).               { A = syntax_name(syntax, &N); }
expression(A) ::= LP expression(E) RP.     { A = E; }
expression(A) ::= LB(L) RB.                { A = syntax_list(syntax, &L, (struct argument_list){NULL, NULL, 0}); }
expression(A) ::= LB(L) items(I) RB.       { A = syntax_list(syntax, &L, I); }
expression(A) ::= NAME(N) LP RP.           { A = syntax_call(syntax, &N, (struct argument_list){NULL, NULL, 0}); }
expression(A) ::= NAME(N) LP items(I) RP.  { A = syntax_call(syntax, &N, I); }
expression(A) ::= expression(L) LB(S) expression(R) RB.  { A = syntax_element(syntax, &S, L, R); }
expression(A) ::= MINUS(S) expression(E). [SIGN]         { A = syntax_negate(syntax, &S, E); }
expression(A) ::= expression(L) PLUS(S) expression(R).   { A = syntax_binary(syntax, &S, L, R); }
expression(A) ::= expression(L) MINUS(S) expression(R).  { A = syntax_binary(syntax, &S, L, R); }
expression(A) ::= expression(L) STAR(S) expression(R).   { A = syntax_binary(syntax, &S, L, R); }
expression(A) ::= expression(L) SLASH(S) expression(R).  { A = syntax_binary(syntax, &S, L, R); }

// Arguments with names stand behind those without; a list has none (syntax_list).
%type items {struct argument_list}
%type item  {struct argument *}
items(A) ::= item(I).                      { A = syntax_item_added(syntax, (struct argument_list){NULL, NULL, 0}, I); }
items(A) ::= items(L) COMMA item(I).       { A = syntax_item_added(syntax, L, I); }
item(A) ::= expression(E).                 { A = syntax_item(syntax, NULL, E); }
item(A) ::= NAME(N) EQ expression(E).      { A = syntax_item(syntax, &N, E); }

%code {
#define LEMON_ACCEPTS syntax_grammar_accepts
#include "parser/lemon_accepts.h"

struct yyParser *syntax_grammar_new(struct syntax *syntax)
{
    struct yyParser *parser = arena_alloc(syntax->arena, sizeof *parser);

    if (parser)
        syntax_grammarInit(parser, syntax);
    return parser;
}
}
