/* SPDX-License-Identifier: Apache-2.0
 * One direction of a recurrent operator, step by step: the cells of RNN, GRU and LSTM. Everything
 * is float64 inside, and weights lie transposed, so that the inner loops run along the gates. */
#pragma once

#include "engine/ops/sonde-op-implement.h"

G_BEGIN_DECLS

/* Output of LSTM behind the standard's: sums of the gates over input, state and biases, laid out as
 * Y, for its gradient. */
#define SONDE_RECURRENT_SUMS 3

/* @slope: the derivative; @alpha, @beta: parameters of the function, where it has some */
typedef struct
{
  double (*apply) (double x, double alpha, double beta);
  double (*slope) (double x, double alpha, double beta);
  double alpha, beta;
} SondeActivation;

typedef struct _SondeRecurrentCell SondeRecurrentCell;

/**
 * SondeCellClass: what RNN, GRU, LSTM differ in
 * @gates: rows of weights a hidden unit
 * @activations: how many functions a direction has; @defaults: their names
 * @keeps: has a second state (C)
 * @step: one step of one sequence: from the gates' sums over the input (bias included) and the
 *   state to the next state
 */
typedef struct
{
  const char *op;
  gint64 gates;
  guint activations;
  const char *defaults[3];
  gboolean keeps;
  void (*step) (SondeRecurrentCell *cell, double *gates);
} SondeCellClass;

/**
 * SondeRecurrentCell: one direction
 * @w: [inputs, gates·hidden]; @r: [hidden, gates·hidden]
 * @bias: [gates·hidden]: of w and r together; for linear_before_reset without r's share of the last
 *   gate, which is @reset_bias [hidden]
 * @peepholes: (nullable): [3·hidden], for i, o, f
 * @clip: bound of what activations get; 0: none
 * @h, @c: state of the sequence that runs; @scratch: [hidden]
 * @rounded: (nullable): what is multiplied by r in the place of h (LSTM with quantise_state)
 */
struct _SondeRecurrentCell
{
  const SondeCellClass *klass;
  gint64 inputs, hidden;
  double *w, *r, *bias, *reset_bias, *peepholes;
  SondeActivation activations[3];
  double clip;
  gboolean linear_before_reset, input_forget;
  double *h, *c, *scratch, *gates, *x, *rounded;
};

extern const SondeCellClass sonde_cell_classes[]; /* RNN, GRU, LSTM, then one without name */

/* The class of an operator, or of its gradient (LSTMGrad). */
const SondeCellClass *sonde_cell_class_find (const char *op);

/**
 * sonde_cell_read_activations:
 * @direction: 0 or 1
 * @activations: (out): klass->activations entries
 *
 * Parameters come from activation_alpha and activation_beta in order, each function taking only
 * those it has.
 * Errors: SHAPE.
 */
gboolean sonde_cell_read_activations (const SondeCellClass *klass, const SondeNode *node,
                                      int direction, SondeActivation *activations, GError **error);

/* @weights: W, R, B (nullable), P (nullable), all of them of the whole node */
void sonde_cell_init (SondeRecurrentCell *cell, const SondeNode *node, int direction,
                      SondeTensor *const weights[4]);
void sonde_cell_clear (SondeRecurrentCell *cell);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeRecurrentCell, sonde_cell_clear)

/* One step: @x is [inputs] elements of @dtype; the state is in cell->h and cell->c. */
void sonde_cell_step (SondeRecurrentCell *cell, SondeDtype dtype, const guint8 *x);

/* The first half of a step: cell->x and what it and the bias give for cell->gates. */
void sonde_cell_start_step (SondeRecurrentCell *cell, SondeDtype dtype, const guint8 *x);
/* The function number @which of the clipped sum. */
double sonde_cell_activate (const SondeRecurrentCell *cell, int which, double x);
/* to[j] += Σ_k v[k]·matrix[k, first + j] */
void sonde_cell_accumulate (const double *v, gint64 n, const double *matrix, gint64 width,
                            gint64 first, gint64 count, double *to);

/* ---- states of 8 bits (sonde-recurrent-round.c) -------------------------- */

/* Widens the least and the largest number, which begin with 0 and 0, by @n more. */
void sonde_recurrent_extend_range (const float *h, gint64 n, float range[2]);
/* What is left of @n numbers when they are quantised to uint8 over @range, as DynamicQuantizeLinear
 * does, and scaled back. */
void sonde_recurrent_round (const float *h, gint64 n, const float range[2], float *rounded);

/* ---- backwards (sonde-recurrent-cell-gradient.c) ------------------------------ */

typedef struct _SondeCellGradient SondeCellGradient;

/**
 * SondeCellGradient: sums over the steps and sequences of one direction
 * @dw, @dr: laid out as cell.w and cell.r; @db: of W's and R's bias, [2, gates·hidden]; @dp:
 * (nullable): peepholes
 * @dh, @dc: of the state after the step, then of that before it; @dx: of the step's input
 * @sums, @recurrent: [gates·hidden], of the gates' sums on W's and R's side
 */
struct _SondeCellGradient
{
  SondeRecurrentCell cell;
  void (*back) (SondeCellGradient *gradient, const double *h, const double *c);
  double *dw, *dr, *db, *dp;
  double *dh, *dc, *dx;
  double *sums, *recurrent, *scratch;
};

void sonde_cell_gradient_init (SondeCellGradient *gradient, const SondeNode *node, int direction,
                               SondeTensor *const weights[4]);
void sonde_cell_gradient_clear (SondeCellGradient *gradient);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeCellGradient, sonde_cell_gradient_clear)

/* One step backwards. @h, @c: the state before it; dy has been added to gradient->dh. */
void sonde_cell_gradient_step (SondeCellGradient *gradient, SondeDtype dtype, const guint8 *x,
                               const double *h, const double *c);

/* ---- operands (sonde-ops-rnn-gru-lstm.c) ------------------------------------ */

enum
{
  SONDE_RECURRENT_X,
  SONDE_RECURRENT_W,
  SONDE_RECURRENT_R,
  SONDE_RECURRENT_B,
  SONDE_RECURRENT_LENGTHS,
  SONDE_RECURRENT_H,
  SONDE_RECURRENT_C,
  SONDE_RECURRENT_P,
  SONDE_RECURRENT_INPUTS,
};

/* @batchwise: layout 1: batch before time and direction */
typedef struct
{
  const SondeCellClass *klass;
  gint64 steps, batch, inputs, hidden;
  int directions;
  gboolean reverse, batchwise;
} SondeRecurrentSizes;

extern const SondeAttributeRule sonde_gru_rules[], sonde_lstm_rules[], sonde_rnn_rules[];

/* @x: shape of the input */
void sonde_recurrent_sizes_init (SondeRecurrentSizes *sizes, const SondeNode *node,
                                 const SondeShape *x, gint64 hidden);
/* Number of the block [hidden] of a direction and sample in a state. */
gint64 sonde_recurrent_state_index (const SondeRecurrentSizes *sizes, int direction, gint64 batch);
/* The same of a step in Y. */
gint64 sonde_recurrent_output_index (const SondeRecurrentSizes *sizes, gint64 step, int direction,
                                     gint64 batch);
/* Shape rule and check of the forward operators. */
gboolean sonde_recurrent_infer (SondeInferContext *context, GError **error);
gboolean sonde_recurrent_check (const SondeKernelContext *context, GError **error);
/* Length of sequence @row of a batch whose X has @steps. Errors: INVALID */
gboolean sonde_recurrent_check_length (gsize row, gint64 length, gint64 steps, GError **error);
/* Gradient rule (sonde-ops-rnn-gru-lstm-gradient-kernels.c). */
gboolean sonde_recurrent_gradient (SondeGradientContext *context, GError **error);

G_END_DECLS
