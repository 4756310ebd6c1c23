/* SPDX-License-Identifier: Apache-2.0
 * An expression as the parser leaves it: a tree of terms. */
#pragma once

#include "engine/live/sonde-expression-function-private.h"

G_BEGIN_DECLS

#define SONDE_EXPRESSION_MAX_DEPTH                                                                 \
  1000 /* of the tree: a chain a + b + c … is as deep as it is long */
#define SONDE_EXPRESSION_MAX_ARGUMENTS 4

typedef enum
{
  SONDE_TERM_NUMBER,
  SONDE_TERM_TEXT,
  SONDE_TERM_VALUE,
  SONDE_TERM_CALL,
} SondeTermType;

/**
 * SondeTerm: a node of the tree
 * @first, @last: bytes of the text
 * @number, @integer, @kind: of NUMBER
 * @name, @slice, @previous, @quoted, @glob: of VALUE; @name: also of TEXT
 * @reference: of VALUE: index of its reference
 * @dtype: of a call of cast
 */
typedef struct _SondeTerm SondeTerm;
struct _SondeTerm
{
  SondeTermType type;
  guint id, depth;
  guint first, last;
  const SondeCallable *function;
  SondeTerm *arguments[SONDE_EXPRESSION_MAX_ARGUMENTS];
  guint n_arguments;
  double number;
  gint64 integer;
  SondeKind kind;
  char *name, *slice;
  gboolean previous, quoted, glob;
  guint reference;
  SondeDtype dtype;
};

struct _SondeExpression
{
  char *text;
  GPtrArray *terms; /* (element-type SondeTerm): by id */
  SondeTerm *root;
  GArray *references; /* (element-type SondeReference): strings are those of terms */
};

G_END_DECLS
