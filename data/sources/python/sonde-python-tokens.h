/* SPDX-License-Identifier: Apache-2.0
 * Python sources as tokens, whatever their version: names, numbers, strings, operators, ends of logical
 * lines. The fields of f-strings are tokens in brackets of their own. Bytes are hostile: any can be
 * read, what is wrong is one damage with its line, and reading goes on behind it.
 * Source: "Lexical analysis" of the Python language reference, 3.14; brackets nest 200 deep, as in
 * CPython. What does not live here: what a name means. */
#pragma once

#include "data/base/sonde-message.h"
#include "data/sources/python/sonde-name-table.h"

G_BEGIN_DECLS

#define SONDE_PYTHON_MAX_BYTES (8u << 20)  /* of a file */
#define SONDE_PYTHON_MAX_TOKENS (2u << 20) /* of a file */
#define SONDE_PYTHON_MAX_NESTING 200

typedef enum
{
  SONDE_PYTHON_NAME,
  SONDE_PYTHON_NUMBER,
  SONDE_PYTHON_STRING,   /* of an f-string what stands before its first field, and so on */
  SONDE_PYTHON_OPERATOR, /* op says which */
  SONDE_PYTHON_OPEN,     /* op is one of ( [ {, or 'f' for a field of an f-string */
  SONDE_PYTHON_CLOSE,    /* op as of its partner */
  SONDE_PYTHON_NEWLINE,  /* of a logical line */
  SONDE_PYTHON_END,      /* the last token */
} SondePythonTokenKind;

/* Operators of more than one byte that mean something here; others are their first byte. */
enum
{
  SONDE_PYTHON_ARROW = 1,  /* -> */
  SONDE_PYTHON_WALRUS,     /* := */
  SONDE_PYTHON_AUGMENTED,  /* += and the like */
  SONDE_PYTHON_COMPARISON, /* == != <= >= <> */
  SONDE_PYTHON_POWER,      /* ** */
  SONDE_PYTHON_ELLIPSIS,   /* ... */
  SONDE_PYTHON_SHIFT,      /* << >> // and other pairs */
};

/**
 * SondePythonToken:
 * @line, @column: from 1; columns in bytes
 * @partner: of a bracket: index of the other one; of an open one without it, the index of the last
 *   token before reading starts anew
 * @name: of a name: its number
 */
typedef struct
{
  guint32 offset, length;
  guint32 line, column;
  union
  {
    guint32 partner, name;
  };
  guint8 kind, op;
  guint16 indent; /* of the first token of a logical line: its column, tabs to 8, from 0 */
} SondePythonToken;

/**
 * SondePythonDamage: the first thing that is no Python 3
 * @line: from 1; 0: nothing
 */
typedef struct
{
  guint32 line;
  SondeMessage *message; /* (nullable) */
} SondePythonDamage;

/* Only the first is kept: a line before that of another wins. */
void sonde_python_damage_set (SondePythonDamage *damage, guint32 line, const char *format, ...)
    G_GNUC_PRINTF (3, 4);
void sonde_python_damage_clear (SondePythonDamage *damage);

/**
 * sonde_python_tokenise:
 * @text: UTF-8 as a rule; other bytes from 0x80 are taken for letters
 * @names: where names get their numbers
 * @tokens: (out) array of SondePythonToken, emptied first; ends with SONDE_PYTHON_END, and each
 *   logical line with SONDE_PYTHON_NEWLINE
 */
void sonde_python_tokenise (const char *text, gsize length, SondeNameTable *names, GArray *tokens,
                            SondePythonDamage *damage);

/**
 * sonde_python_decode:
 *
 * The text of a file as UTF-8, as its coding cookie or byte order mark says; columns are those of the
 * result. Without either, and with a coding that is not known, the bytes as they are, which is damage
 * when they are no UTF-8. Source: PEP 263.
 * Returns: (transfer full): without a byte order mark
 */
GBytes *sonde_python_decode (GBytes *bytes, SondePythonDamage *damage);

G_END_DECLS
