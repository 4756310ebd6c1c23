/* SPDX-License-Identifier: Apache-2.0
 * The state of the reader of statements, which its parts share. Ranges of tokens are [begin, end). */
#pragma once

#include "data/sources/python/sonde-python-module.h"

G_BEGIN_DECLS

/* Words of the language; their numbers in the table of names. Soft ones are names elsewhere. */
typedef enum
{
  WORD_FALSE,
  WORD_NONE,
  WORD_TRUE, /* up to here they are values */
  WORD_AND,
  WORD_AS,
  WORD_ASSERT,
  WORD_ASYNC,
  WORD_AWAIT,
  WORD_BREAK,
  WORD_CLASS,
  WORD_CONTINUE,
  WORD_DEF,
  WORD_DEL,
  WORD_ELIF,
  WORD_ELSE,
  WORD_EXCEPT,
  WORD_FINALLY,
  WORD_FOR,
  WORD_FROM,
  WORD_GLOBAL,
  WORD_IF,
  WORD_IMPORT,
  WORD_IN,
  WORD_IS,
  WORD_LAMBDA,
  WORD_NONLOCAL,
  WORD_NOT,
  WORD_OR,
  WORD_PASS,
  WORD_RAISE,
  WORD_RETURN,
  WORD_TRY,
  WORD_WHILE,
  WORD_WITH,
  WORD_YIELD, /* up to here they are never names */
  WORD_MATCH,
  WORD_CASE,
  WORD_TYPE,
  WORD_PRINT,
  WORD_EXEC,
  WORD_ALL,       /* __all__ */
  WORD_UNDERLINE, /* _ */
  WORD_STAR,      /* * of an import */
  WORD_NOTHING,   /* the empty text */
  N_WORDS,
} SondePythonWord;

/* A chain of tokens as they stand: NAME . NAME … */
typedef struct
{
  guint32 begin, n_names;
  guint32 end; /* the token behind it, and behind brackets around it */
} SondePythonChain;

/* A reference before it is known whether it stays. @call: index of its open bracket, 0: none */
typedef struct
{
  guint32 scope;
  guint32 begin, n_names, call;
  guint8 how;
} SondePythonMention;

/* A call of a watched method. @value: of the receiver: the first token of the chain, @n_names of it */
typedef struct
{
  guint32 scope;
  guint32 token;
  guint32 value, n_names;
  guint8 receiver;
} SondePythonMethodMention;

typedef struct
{
  guint32 scope, name;
  gboolean is_global;
} SondePythonDeclared;

typedef struct
{
  guint32 scope;
  guint indent; /* of the line that opened it */
} SondePythonBody;

struct _SondePythonReader
{
  SondeNameTable *names;
  guint32 first_method, end_method; /* the watched names */
  GArray *token_array;
  GString *scratch;
  guint depth;

  /* of the file that is read */
  const char *text;
  const SondePythonToken *tokens;
  SondePythonModule *module;
  GArray *mentions;        /* of SondePythonMention */
  GArray *method_mentions; /* of SondePythonMethodMention */
  GArray *moves;           /* of guint32: where each binding goes */
  GArray *declared;        /* of SondePythonDeclared: global and nonlocal */
  GArray *bodies;          /* of SondePythonBody, innermost last */
  GArray *indents;         /* of guint */
  gboolean expects_block;
  gboolean exports_unknown;
};

#define SONDE_PYTHON_MAX_DEPTH 450 /* of expressions inside each other */

static inline const SondePythonToken *
token_at (const SondePythonReader *reader, guint32 i)
{
  return &reader->tokens[i];
}

static inline gboolean
is_word (const SondePythonReader *reader, guint32 i, SondePythonWord word)
{
  return reader->tokens[i].kind == SONDE_PYTHON_NAME && reader->tokens[i].name == (guint32) word;
}

/* A name that is no keyword. */
static inline gboolean
is_name (const SondePythonReader *reader, guint32 i)
{
  return reader->tokens[i].kind == SONDE_PYTHON_NAME && reader->tokens[i].name > WORD_YIELD;
}

static inline gboolean
is_operator (const SondePythonReader *reader, guint32 i, int op)
{
  return reader->tokens[i].kind == SONDE_PYTHON_OPERATOR && reader->tokens[i].op == op;
}

static inline gboolean
is_open (const SondePythonReader *reader, guint32 i, int op)
{
  return reader->tokens[i].kind == SONDE_PYTHON_OPEN && reader->tokens[i].op == op;
}

/* The token behind @i, and behind the bracket that opens there; at most @end. */
static inline guint32
step (const SondePythonReader *reader, guint32 i, guint32 end)
{
  guint32 next
      = reader->tokens[i].kind == SONDE_PYTHON_OPEN ? reader->tokens[i].partner + 1 : i + 1;

  return MIN (next, end);
}

/* Expressions: sonde-python-expressions.c */

/* What [@begin, @end) refers to; USE, ANNOTATION: how. Walruses and lambdas bind in their scopes. */
void sonde_python_read_expression (SondePythonReader *reader, guint32 begin, guint32 end,
                                   guint32 scope, SondePythonHow how);
/* The same; FALSE and damage when it is empty. */
gboolean sonde_python_read_value (SondePythonReader *reader, guint32 begin, guint32 end,
                                  guint32 scope, SondePythonHow how);

/* Is there a chain at @at, with or without brackets around it? It must end by @end. */
gboolean sonde_python_read_chain (const SondePythonReader *reader, guint32 at, guint32 end,
                                  SondePythonChain *chain);
/* Is [@begin, @end) a chain and nothing else? */
gboolean sonde_python_is_chain (const SondePythonReader *reader, guint32 begin, guint32 end,
                                SondePythonChain *chain);

/* The text behind the first name, as a number. */
guint32 sonde_python_chain_rest (SondePythonReader *reader, guint32 begin, guint32 n_names);

void sonde_python_mention (SondePythonReader *reader, const SondePythonChain *chain, guint32 call,
                           guint32 scope, SondePythonHow how);

/* The first operator @op in [@begin, @end) outside brackets and lambdas; @end: there is none. */
guint32 sonde_python_find_operator (const SondePythonReader *reader, guint32 begin, guint32 end,
                                    int op);
/* The first keyword outside brackets. */
guint32 sonde_python_find_word (const SondePythonReader *reader, guint32 begin, guint32 end,
                                SondePythonWord word);

void sonde_python_invalid (SondePythonReader *reader, guint32 token);

/* Bindings: sonde-python-bindings.c */

guint32 sonde_python_add_scope (SondePythonReader *reader, SondePythonScopeKind kind,
                                guint32 parent, guint32 name, guint32 token);

/* @name is bound by @binding, of which scope, name and line are filled in here. */
void sonde_python_bind (SondePythonReader *reader, guint32 scope, guint32 name, guint32 token,
                        SondePythonBinding binding);
void sonde_python_bind_value (SondePythonReader *reader, guint32 scope, guint32 token);

/* Targets of an assignment, a loop, a with. The value, when it is a chain or as many chains, makes
 * aliases; @value_begin = @value_end: not known. */
void sonde_python_read_targets (SondePythonReader *reader, guint32 begin, guint32 end,
                                guint32 scope, guint32 value_begin, guint32 value_end);

/* Parameters up to @end; defaults and annotations are read in @outer, names are bound in @scope. */
void sonde_python_read_parameters (SondePythonReader *reader, guint32 begin, guint32 end,
                                   guint32 scope, guint32 outer, gboolean of_lambda);

/* Statements: sonde-python-heads.c. @colon: of a compound one, where its head ends */

void sonde_python_read_import (SondePythonReader *reader, guint32 begin, guint32 end,
                               guint32 scope);
void sonde_python_read_from (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope);
/* Returns: the scope of the body */
guint32 sonde_python_read_def (SondePythonReader *reader, guint32 begin, guint32 colon,
                               guint32 scope);
guint32 sonde_python_read_class (SondePythonReader *reader, guint32 begin, guint32 colon,
                                 guint32 scope);
void sonde_python_read_for (SondePythonReader *reader, guint32 begin, guint32 colon, guint32 scope);
void sonde_python_read_with (SondePythonReader *reader, guint32 begin, guint32 colon,
                             guint32 scope);
void sonde_python_read_except (SondePythonReader *reader, guint32 begin, guint32 colon,
                               guint32 scope);
void sonde_python_read_case (SondePythonReader *reader, guint32 begin, guint32 colon,
                             guint32 scope);
void sonde_python_read_type (SondePythonReader *reader, guint32 begin, guint32 end, guint32 scope);

/* All statements of the file: sonde-python-statements.c */
void sonde_python_read_statements (SondePythonReader *reader);

/* What was gathered, sorted and thinned out: sonde-python-module.c */
void sonde_python_finish_module (SondePythonReader *reader);

G_END_DECLS
