/* SPDX-License-Identifier: Apache-2.0
 * One direction of a recurrent operator, step by step: the cells of RNN, GRU and LSTM. Everything is float64
 * inside, and weights lie transposed, so that the inner loops run along the gates. */
#pragma once

#include "engine/ops/sonde-op-private.h"

G_BEGIN_DECLS

/* @alpha, @beta: parameters of the function, where it has some */
typedef struct
{
  double (*apply) (double x, double alpha, double beta);
  double alpha, beta;
} SondeActivation;

typedef struct _SondeCell SondeCell;

/**
 * SondeCellClass: what RNN, GRU, LSTM differ in
 * @gates: rows of weights a hidden unit
 * @activations: how many functions a direction has; @defaults: their names
 * @keeps: has a second state (C)
 * @step: one step of one sequence: from the gates' sums over the input (bias included) and the state to the
 *   next state
 */
typedef struct
{
  const char *op;
  gint64 gates;
  guint activations;
  const char *defaults[3];
  gboolean keeps;
  void (*step) (SondeCell *cell, double *gates);
} SondeCellClass;

/**
 * SondeCell: one direction
 * @w: [inputs, gates·hidden]; @r: [hidden, gates·hidden]
 * @bias: [gates·hidden]: of w and r together; for linear_before_reset without r's share of the last gate,
 *   which is @reset_bias [hidden]
 * @peepholes: (nullable): [3·hidden], for i, o, f
 * @clip: bound of what activations get; 0: none
 * @h, @c: state of the sequence that runs; @scratch: [hidden]
 */
struct _SondeCell
{
  const SondeCellClass *klass;
  gint64 inputs, hidden;
  double *w, *r, *bias, *reset_bias, *peepholes;
  SondeActivation activations[3];
  double clip;
  gboolean linear_before_reset, input_forget;
  double *h, *c, *scratch, *gates, *x;
};

extern const SondeCellClass sonde_cell_classes[]; /* RNN, GRU, LSTM, then one without name */

/* The class of @node's operator. */
const SondeCellClass *sonde_cell_class_find (const char *op);

/**
 * sonde_cell_read_activations:
 * @direction: 0 or 1
 * @activations: (out): klass->activations entries
 *
 * Parameters come from activation_alpha and activation_beta in order, each function taking only those it has.
 * Errors: SHAPE.
 */
gboolean sonde_cell_read_activations (const SondeCellClass *klass,
                                      const SondeNode      *node,
                                      int                   direction,
                                      SondeActivation      *activations,
                                      GError              **error);

/* @weights: W, R, B (nullable), P (nullable), all of them of the whole node */
void sonde_cell_init (SondeCell         *cell,
                      const SondeNode   *node,
                      int                direction,
                      SondeTensor *const weights[4]);
void sonde_cell_clear (SondeCell *cell);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeCell, sonde_cell_clear)

/* One step: @x is [inputs] elements of @dtype; the state is in cell->h and cell->c. */
void sonde_cell_step (SondeCell    *cell,
                      SondeDtype    dtype,
                      const guint8 *x);

G_END_DECLS
