/* SPDX-License-Identifier: Apache-2.0
 * Budgets: how much memory one input may make us take. A budget is passed down to whoever
 * allocates by a size that stands in a file or a frame; going past it is an error that names the
 * limit, never an abort. Thread-safe (one atomic counter). */
#pragma once

#include <stdatomic.h>

#include <glib.h>

G_BEGIN_DECLS

/* Defaults, knowledge: reliability of peers; docs/limits.md lists them for users. */
#define SONDE_BUDGET_RECORD_BYTES ((guint64) 512 << 20) /* one framed record */
#define SONDE_BUDGET_PARSE_BYTES ((guint64) 1 << 30)    /* heap of one parse */
#define SONDE_BUDGET_NESTING 100                        /* protobuf messages inside each other */
#define SONDE_BUDGET_SUBGRAPHS 32                       /* graphs inside graphs */
#define SONDE_BUDGET_FRAME_BYTES ((guint64) 16 << 20)   /* one frame on a session socket */

/**
 * SondeBudget:
 * @limit: bytes that may be held at once
 * @used: bytes held now
 * @name: what the budget is for, shown in errors, as "parse of “x.onnx”"; lent, outlives the budget
 */
typedef struct
{
  guint64 limit;
  _Atomic guint64 used;
  const char *name;
} SondeBudget;

void sonde_budget_init (SondeBudget *budget, guint64 limit, const char *name);

/**
 * sonde_budget_take:
 * @budget: (nullable): a budget; with NULL everything is granted
 * @bytes: bytes wanted
 * @what: what they are for, as "tensor “w1”"
 *
 * Errors: SONDE_DATA_ERROR_LIMIT, naming budget, limit and @what; nothing is taken then.
 */
gboolean sonde_budget_take (SondeBudget *budget, guint64 bytes, const char *what, GError **error);

void sonde_budget_give_back (SondeBudget *budget, guint64 bytes);

/**
 * sonde_try_alloc:
 *
 * Memory of a size that came from input: taken from @budget, then from the system without aborting.
 * Returns: (transfer full) (nullable): @bytes bytes, uninitialised, to be freed with g_free() (the
 * caller gives the bytes back to @budget); a non-NULL pointer also for 0 bytes.
 * Errors: SONDE_DATA_ERROR_LIMIT; NO_MEMORY when the system refuses up to SONDE_BUDGET_PARSE_BYTES.
 */
void *sonde_try_alloc (SondeBudget *budget, guint64 bytes, const char *what, GError **error);

G_END_DECLS
