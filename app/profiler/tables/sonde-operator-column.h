/* SPDX-License-Identifier: Apache-2.0
 * The columns of a table of operators: what each says of an operator, as text, exactly, and as an order. */
#pragma once

#include "data/profiles/sonde-profile.h"

G_BEGIN_DECLS

/* A row; @n_operators: how many it stands for, 1 of a node */
typedef struct
{
  const SondeProfileOperator *op;
  guint n_operators;
} SondeOperatorCell;

typedef enum
{
  SONDE_COLUMN_OF_BOTH,
  SONDE_COLUMN_OF_NODES,
  SONDE_COLUMN_OF_TYPES,
} SondeColumnPlace;

/**
 * SondeOperatorColumn:
 * @name: in copies and files; @title: shown; @width: px, at least where it @expands
 * @text: (nullable): of a row; @number: (nullable): where it has no text; NaN: not known
 * @format: (nullable): of a number; @is_ns: whether the tool-tip tells all its digits
 */
typedef struct
{
  const char *name, *title;
  SondeColumnPlace place;
  int width;
  gboolean expands, is_ns;
  const char *(*text) (const SondeOperatorCell *cell);
  double (*number) (const SondeOperatorCell *cell);
  char *(*format) (double value);
} SondeOperatorColumn;

extern const SondeOperatorColumn sonde_operator_columns[]; /* ended by a NULL name */

/* Whether the column says anything of the profile's operators. */
gboolean sonde_operator_column_tells (const SondeOperatorColumn *column,
                                      const SondeProfile *profile, gboolean types);

/* As shown, “–” where it is not known. (transfer full) */
char *sonde_operator_column_dup_text (const SondeOperatorColumn *column,
                                      const SondeOperatorCell *cell);
/* A tool-tip: the whole text or all digits. (transfer full) (nullable) */
char *sonde_operator_column_dup_exact (const SondeOperatorColumn *column,
                                       const SondeOperatorCell *cell);
/* For another program: all digits, "" where it is not known. (transfer full) */
char *sonde_operator_column_dup_value (const SondeOperatorColumn *column,
                                       const SondeOperatorCell *cell);

/* Order of a rising column; what is not known is least. */
int sonde_operator_column_compare (const SondeOperatorColumn *column, const SondeOperatorCell *a,
                                   const SondeOperatorCell *b);

/* Numbers as the profiler shows them: “–” where there is none. (transfer full) */
char *sonde_profiler_format_ns (double ns);
char *sonde_profiler_format_share (double share);
char *
sonde_profiler_format_calls (double calls); /* whole, or with one digit where a mean is none */

G_END_DECLS
