/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of the gradient of Loop and Scan. */
#pragma once

#include "engine/passes/gradient/sonde-reverse-private.h"

G_BEGIN_DECLS

/**
 * SondeReverseLoop: one Loop or Scan
 * @first_input, @first_result: where what is carried begins among the body's inputs and results;
 *   @before: among the node's inputs
 * @n_states, @n_scanned, @n_collected: carried, scanned (Scan), collected values
 * @active: by state: a gradient flows into its result
 * @seeds: by state: given to the gradient, NULL where none flows; @next: what it hands on
 * @collected: by collected value: its gradient of this iteration
 * @scanned: by scanned input: its gradient, of this iteration
 * @captured, @gradients, @sums: (element-type SondeGraphValue): what the body captures, its
 *   gradient of this iteration, the sum so far
 */
typedef struct
{
  SondeReverse *outer;
  SondeNode *node;
  SondeGraphValue *const *output_gradients;
  SondeReverseBody body;
  gboolean is_scan;
  guint first_input, first_result, before;
  guint n_states, n_scanned, n_collected;
  gboolean *active;
  SondeGraphValue **seeds, **next, **collected, **scanned;
  GPtrArray *captured, *gradients, *sums;
} SondeReverseLoop;

/* Entry @k of a list attribute, 0 where there is none. */
gint64 sonde_reverse_list_entry (const SondeNode *node, const char *name, guint k);
/* Input or result of the body for what is carried, then scanned or collected, number @k. */
SondeGraphValue *sonde_reverse_loop_input (const SondeReverseLoop *loop, guint k);
SondeGraphValue *sonde_reverse_loop_result (const SondeReverseLoop *loop, guint k);

/* ---- what the forward loop gives (sonde-reverse-saved.c) ----------------- */

/* Values of that type are the same size in every iteration, and there is room for one dimension
 * more. */
gboolean sonde_reverse_can_stack (const SondeType *type);
/* Output @k of the node, which may have had no name yet; @value is what it is of. */
SondeGraphValue *sonde_reverse_loop_ensure_output (SondeReverseLoop *loop, guint k,
                                                   const SondeGraphValue *value);
/* @value of the forward body, of all iterations: along dimension 0, perhaps collected already; or
 * as a sequence. */
SondeGraphValue *sonde_reverse_loop_save_stack (SondeReverseLoop *loop, SondeGraphValue *value);
SondeGraphValue *sonde_reverse_loop_save_sequence (SondeReverseLoop *loop, SondeGraphValue *value);

/* ---- the Scan (sonde-reverse-scan.c) ------------------------------------- */

/* Adds it, once the gradient is split off the body, and hands its results on. */
gboolean sonde_reverse_loop_add_scan (SondeReverseLoop *loop, GError **error);

G_END_DECLS
