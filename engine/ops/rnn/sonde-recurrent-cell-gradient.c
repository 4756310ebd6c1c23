/* SPDX-License-Identifier: Apache-2.0
 * One step of RNN, GRU, LSTM backwards: sums of the gates are made again from the states before the
 * step, then the chain rule over the formulas of sonde-recurrent-cell.c. */
#include "engine/ops/rnn/sonde-recurrent.h"

#include <string.h>

/* The slope of function number @which at the clipped sum; a clipped one is flat. */
static double
slope (const SondeRecurrentCell *cell, int which, double x)
{
  const SondeActivation *function = &cell->activations[which];

  if (cell->clip > 0 && (x > cell->clip || x < -cell->clip))
    return 0;
  return function->slope (x, function->alpha, function->beta);
}

/* to[k] += Σ_j matrix[k, first + j]·v[j] */
static void
multiply_back (const double *matrix, gint64 rows, gint64 width, gint64 first, gint64 count,
               const double *v, double *to)
{
  for (gint64 k = 0; k < rows; k++)
    {
      const double *row = matrix + k * width + first;
      double sum = 0;

      for (gint64 j = 0; j < count; j++)
        sum += row[j] * v[j];
      to[k] += sum;
    }
}

/* matrix[k, first + j] += a[k]·b[j] */
static void
add_outer (double *matrix, gint64 rows, gint64 width, gint64 first, gint64 count, const double *a,
           const double *b)
{
  for (gint64 k = 0; k < rows; k++)
    {
      double *row = matrix + k * width + first;

      for (gint64 j = 0; j < count; j++)
        row[j] += a[k] * b[j];
    }
}

/* ---- cells --------------------------------------------------------------- */

/* Each fills sums (of W's side) and recurrent (of R's side) from dh, dc and the states before; dh
 * and dc become what does not go through R. */

static void
back_rnn (SondeCellGradient *gradient, const double *h, const double *c)
{
  const SondeRecurrentCell *cell = &gradient->cell;

  sonde_cell_accumulate (h, cell->hidden, cell->r, cell->hidden, 0, cell->hidden, cell->gates);
  for (gint64 j = 0; j < cell->hidden; j++)
    {
      gradient->sums[j] = gradient->recurrent[j]
          = gradient->dh[j] * slope (cell, 0, cell->gates[j]);
      gradient->dh[j] = 0;
    }
  add_outer (gradient->dr, cell->hidden, cell->hidden, 0, cell->hidden, h, gradient->recurrent);
  multiply_back (cell->r, cell->hidden, cell->hidden, 0, cell->hidden, gradient->recurrent,
                 gradient->dh);
}

/* What the candidate's share of R gets: of the state, reset after or before the product. */
static void
back_reset (SondeCellGradient *gradient, const double *h, const double *reset, double *dreset)
{
  const SondeRecurrentCell *cell = &gradient->cell;
  const gint64 n = cell->hidden, width = 3 * n;
  const double *dcandidate = gradient->sums + 2 * n;
  double *drecurrent = gradient->recurrent + 2 * n, *scratch = gradient->scratch;

  if (cell->linear_before_reset)
    {
      for (gint64 j = 0; j < n; j++)
        {
          dreset[j] = dcandidate[j] * cell->scratch[j];
          drecurrent[j] = dcandidate[j] * reset[j];
        }
      add_outer (gradient->dr, n, width, 2 * n, n, h, drecurrent);
      multiply_back (cell->r, n, width, 2 * n, n, drecurrent, gradient->dh);
      return;
    }
  memcpy (drecurrent, dcandidate, sizeof (double) * (gsize) n);
  add_outer (gradient->dr, n, width, 2 * n, n, cell->scratch, drecurrent);
  memset (scratch, 0, sizeof (double) * (gsize) n);
  multiply_back (cell->r, n, width, 2 * n, n, drecurrent, scratch);
  for (gint64 j = 0; j < n; j++)
    {
      dreset[j] = scratch[j] * h[j];
      gradient->dh[j] += scratch[j] * reset[j];
    }
}

/* The candidate's sum: cell->scratch becomes R·h + b, or reset·h, as the cell has it. */
static void
sum_candidate (SondeRecurrentCell *cell, const double *h, const double *reset, double *candidate)
{
  const gint64 n = cell->hidden, width = 3 * n;

  if (cell->linear_before_reset)
    {
      memcpy (cell->scratch, cell->reset_bias, sizeof (double) * (gsize) n);
      sonde_cell_accumulate (h, n, cell->r, width, 2 * n, n, cell->scratch);
      for (gint64 j = 0; j < n; j++)
        candidate[j] += reset[j] * cell->scratch[j];
      return;
    }
  for (gint64 j = 0; j < n; j++)
    cell->scratch[j] = reset[j] * h[j];
  sonde_cell_accumulate (cell->scratch, n, cell->r, width, 2 * n, n, candidate);
}

static void
back_gru (SondeCellGradient *gradient, const double *h, const double *c)
{
  SondeRecurrentCell *cell = &gradient->cell;
  const gint64 n = cell->hidden, width = 3 * n;
  double *gates = cell->gates, *sums = gradient->sums, *reset = gradient->scratch + n,
         *dreset = gradient->scratch + 2 * n;

  sonde_cell_accumulate (h, n, cell->r, width, 0, 2 * n, gates);
  for (gint64 j = 0; j < n; j++)
    reset[j] = sonde_cell_activate (cell, 0, gates[n + j]);
  sum_candidate (cell, h, reset, gates + 2 * n);
  for (gint64 j = 0; j < n; j++)
    {
      const double z = sonde_cell_activate (cell, 0, gates[j]), dh = gradient->dh[j];

      sums[j] = dh * (h[j] - sonde_cell_activate (cell, 1, gates[2 * n + j]))
                * slope (cell, 0, gates[j]);
      sums[2 * n + j] = dh * (1 - z) * slope (cell, 1, gates[2 * n + j]);
      gradient->dh[j] = dh * z;
    }
  back_reset (gradient, h, reset, dreset);
  for (gint64 j = 0; j < n; j++)
    sums[n + j] = dreset[j] * slope (cell, 0, gates[n + j]);
  memcpy (gradient->recurrent, sums, sizeof (double) * (gsize) (2 * n));
  add_outer (gradient->dr, n, width, 0, 2 * n, h, sums);
  multiply_back (cell->r, n, width, 0, 2 * n, sums, gradient->dh);
}

static double
peephole (const SondeRecurrentCell *cell, int gate, gint64 j)
{
  return cell->peepholes != NULL ? cell->peepholes[gate * cell->hidden + j] : 0;
}

/* One unit; gates in the order input, output, forget, candidate. */
static void
back_lstm_unit (SondeCellGradient *gradient, gint64 j, double old)
{
  const SondeRecurrentCell *cell = &gradient->cell;
  const SondeActivation *last = &cell->activations[2];
  const gint64 n = cell->hidden;
  const double *gates = cell->gates;
  const double a_i = gates[j] + peephole (cell, 0, j) * old,
               a_f = gates[2 * n + j] + peephole (cell, 2, j) * old;
  const double i = sonde_cell_activate (cell, 0, a_i),
               candidate = sonde_cell_activate (cell, 1, gates[3 * n + j]);
  const double f = cell->input_forget ? 1 - i : sonde_cell_activate (cell, 0, a_f);
  const double now = f * old + i * candidate, a_o = gates[n + j] + peephole (cell, 1, j) * now;
  const double dh = gradient->dh[j], o = sonde_cell_activate (cell, 0, a_o);
  const double d_o = dh * last->apply (now, last->alpha, last->beta) * slope (cell, 0, a_o);
  const double dc = gradient->dc[j] + dh * o * last->slope (now, last->alpha, last->beta)
                    + d_o * peephole (cell, 1, j);
  const double d_f = cell->input_forget ? 0 : dc * old * slope (cell, 0, a_f);
  const double d_i = (dc * candidate - (cell->input_forget ? dc * old : 0)) * slope (cell, 0, a_i);

  gradient->sums[j] = d_i;
  gradient->sums[n + j] = d_o;
  gradient->sums[2 * n + j] = d_f;
  gradient->sums[3 * n + j] = dc * i * slope (cell, 1, gates[3 * n + j]);
  gradient->dc[j] = dc * f + d_i * peephole (cell, 0, j) + d_f * peephole (cell, 2, j);
  gradient->dh[j] = 0;
  if (gradient->dp == NULL)
    return;
  gradient->dp[j] += d_i * old;
  gradient->dp[n + j] += d_o * now;
  gradient->dp[2 * n + j] += d_f * old;
}

static void
back_lstm (SondeCellGradient *gradient, const double *h, const double *c)
{
  SondeRecurrentCell *cell = &gradient->cell;
  const gint64 n = cell->hidden, width = 4 * n;

  sonde_cell_accumulate (h, n, cell->r, width, 0, width, cell->gates);
  for (gint64 j = 0; j < n; j++)
    back_lstm_unit (gradient, j, c[j]);
  memcpy (gradient->recurrent, gradient->sums, sizeof (double) * (gsize) width);
  add_outer (gradient->dr, n, width, 0, width, h, gradient->sums);
  multiply_back (cell->r, n, width, 0, width, gradient->sums, gradient->dh);
}

static const struct
{
  const char *op;
  void (*back) (SondeCellGradient *gradient, const double *h, const double *c);
} cells[] = { { "RNN", back_rnn }, { "GRU", back_gru }, { "LSTM", back_lstm } };

/* ---- one direction ------------------------------------------------------- */

void
sonde_cell_gradient_init (SondeCellGradient *gradient, const SondeNode *node, int direction,
                          SondeTensor *const weights[4])
{
  gint64 n, width;

  *gradient = (SondeCellGradient){ .back = NULL };
  sonde_cell_init (&gradient->cell, node, direction, weights);
  for (gsize i = 0; i < G_N_ELEMENTS (cells); i++)
    if (strcmp (cells[i].op, gradient->cell.klass->op) == 0)
      gradient->back = cells[i].back;
  n = gradient->cell.hidden;
  width = gradient->cell.klass->gates * n;
  gradient->dw = g_new0 (double, gradient->cell.inputs *width + 1);
  gradient->dr = g_new0 (double, n *width + 1);
  gradient->db = g_new0 (double, 2 * width + 1);
  gradient->dp = weights[3] != NULL ? g_new0 (double, 3 * n + 1) : NULL;
  gradient->dh = g_new0 (double, n + 1);
  gradient->dc = g_new0 (double, n + 1);
  gradient->dx = g_new0 (double, gradient->cell.inputs + 1);
  gradient->sums = g_new0 (double, width + 1);
  gradient->recurrent = g_new0 (double, width + 1);
  gradient->scratch = g_new0 (double, 3 * n + 1);
}

void
sonde_cell_gradient_clear (SondeCellGradient *gradient)
{
  double *owned[]
      = { gradient->dw, gradient->dr, gradient->db,   gradient->dp,        gradient->dh,
          gradient->dc, gradient->dx, gradient->sums, gradient->recurrent, gradient->scratch };

  for (gsize i = 0; i < G_N_ELEMENTS (owned); i++)
    g_free (owned[i]);
  sonde_cell_clear (&gradient->cell);
  *gradient = (SondeCellGradient){ .back = NULL };
}

void
sonde_cell_gradient_step (SondeCellGradient *gradient, SondeDtype dtype, const guint8 *x,
                          const double *h, const double *c)
{
  SondeRecurrentCell *cell = &gradient->cell;
  gint64 width = cell->klass->gates * cell->hidden;

  sonde_cell_start_step (cell, dtype, x);
  gradient->back (gradient, h, c);
  add_outer (gradient->dw, cell->inputs, width, 0, width, cell->x, gradient->sums);
  memset (gradient->dx, 0, sizeof (double) * (gsize) cell->inputs);
  multiply_back (cell->w, cell->inputs, width, 0, width, gradient->sums, gradient->dx);
  for (gint64 j = 0; j < width; j++)
    {
      gradient->db[j] += gradient->sums[j];
      gradient->db[width + j] += gradient->recurrent[j];
    }
}
