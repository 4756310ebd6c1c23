/* SPDX-License-Identifier: Apache-2.0
 * What becomes of one name of a framework when a program is ported: the verdict, and a sketch of what to
 * do. */
#pragma once

#include "data/sources/porting/sonde-api-table.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_PORT_TO_MINDSPORE,
  SONDE_PORT_TO_ONNX,
  SONDE_PORT_TO_SONDE,
} SondePortTarget;

/* In the order of reports: what costs most comes first. */
typedef enum
{
  SONDE_PORT_CUSTOM,  /* a custom operator */
  SONDE_PORT_ASK,     /* no operator: a person decides */
  SONDE_PORT_UNKNOWN, /* not in the table */
  SONDE_PORT_WRAP,    /* to be put together of operators that exist */
  SONDE_PORT_DIFFERS, /* a counterpart with differences */
  SONDE_PORT_SAME,    /* a counterpart */
  SONDE_PORT_HOST,    /* counted, not judged */
  SONDE_PORT_N_VERDICTS,
} SondePortVerdict;

/* "mindspore", "onnx", "sonde"; FALSE: none of them. */
gboolean sonde_port_target_parse (const char *text, SondePortTarget *target);
const char *sonde_port_target_get_name (SondePortTarget target);

/* "custom", "ask" …: of JSON and CSV. Static. */
const char *sonde_port_verdict_get_name (SondePortVerdict verdict);
/* A word and a sentence in the user's language. Static. */
const char *sonde_port_verdict_get_title (SondePortVerdict verdict);
const char *sonde_port_verdict_describe (SondePortVerdict verdict);

/* Is the operator of ONNX's own domain in a registry? The engine's is not known here. */
typedef gboolean (*SondePortHasOperator) (const char *op, gpointer data);

/**
 * SondePortJudge:
 * @has_operator: for SONDE_PORT_TO_SONDE, required there
 */
typedef struct
{
  const SondeApiTable *table;
  SondePortTarget target;
  SondePortHasOperator has_operator;
  gpointer data;
} SondePortJudge;

/**
 * sonde_port_judge:
 * @row: (nullable): of the table
 * @missing: (nullable): filled with the operators that the registry lacks; of char, owned
 */
SondePortVerdict sonde_port_judge (const SondePortJudge *judge, const SondeApiRow *row,
                                   GPtrArray *missing);

/* The operators of a row. (transfer full) (array zero-terminated=1) */
char **sonde_api_row_dup_operators (const SondeApiRow *row);

/**
 * sonde_port_sketch:
 *
 * Up to five lines in English: the call that replaces it, the operators, an expression or the head of a
 * kernel, or the question. Returns: (transfer full) (nullable): NULL for same, host and unknown
 */
char *sonde_port_sketch (const SondePortJudge *judge, const char *api, const SondeApiRow *row,
                         SondePortVerdict verdict);

/* The question of a row that a person decides, in the user's language. Static. */
const char *sonde_port_get_question (const char *kind);

G_END_DECLS
