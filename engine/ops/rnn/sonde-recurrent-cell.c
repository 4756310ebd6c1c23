/* SPDX-License-Identifier: Apache-2.0
 * Cells of RNN, GRU, LSTM. Formulas: text of the operators in ONNX 1.23; clipping touches the sums
 * that gates' functions get, not C on its way to the last one (as ONNX Runtime does). */
#include "engine/ops/rnn/sonde-recurrent.h"

#include <math.h>
#include <string.h>

/* ---- functions ----------------------------------------------------------- */

static double
affine (double x, double alpha, double beta)
{
  return alpha * x + beta;
}

static double
elu (double x, double alpha, double beta)
{
  return x >= 0 ? x : alpha * expm1 (x);
}

static double
hard_sigmoid (double x, double alpha, double beta)
{
  return fmin (fmax (alpha * x + beta, 0), 1);
}

static double
leaky_relu (double x, double alpha, double beta)
{
  return x >= 0 ? x : alpha * x;
}

static double
relu (double x, double alpha, double beta)
{
  return x > 0 ? x : 0;
}

static double
scaled_tanh (double x, double alpha, double beta)
{
  return alpha * tanh (beta * x);
}

static double
sigmoid (double x, double alpha, double beta)
{
  return x >= 0 ? 1 / (1 + exp (-x)) : exp (x) / (1 + exp (x));
}

static double
softplus (double x, double alpha, double beta)
{
  return fmax (x, 0) + log1p (exp (-fabs (x)));
}

static double
softsign (double x, double alpha, double beta)
{
  return x / (1 + fabs (x));
}

static double
plain_tanh (double x, double alpha, double beta)
{
  return tanh (x);
}

static double
thresholded_relu (double x, double alpha, double beta)
{
  return x >= alpha ? x : 0;
}

/* ---- their slopes -------------------------------------------------------- */

static double
affine_slope (double x, double alpha, double beta)
{
  return alpha;
}

static double
elu_slope (double x, double alpha, double beta)
{
  return x >= 0 ? 1 : alpha * exp (x);
}

static double
hard_sigmoid_slope (double x, double alpha, double beta)
{
  double y = alpha * x + beta;

  return y > 0 && y < 1 ? alpha : 0;
}

static double
leaky_relu_slope (double x, double alpha, double beta)
{
  return x >= 0 ? 1 : alpha;
}

static double
relu_slope (double x, double alpha, double beta)
{
  return x > 0;
}

static double
scaled_tanh_slope (double x, double alpha, double beta)
{
  double y = tanh (beta * x);

  return alpha * beta * (1 - y * y);
}

static double
sigmoid_slope (double x, double alpha, double beta)
{
  double y = sigmoid (x, alpha, beta);

  return y * (1 - y);
}

static double
softplus_slope (double x, double alpha, double beta)
{
  return sigmoid (x, alpha, beta);
}

static double
softsign_slope (double x, double alpha, double beta)
{
  double scale = 1 + fabs (x);

  return 1 / (scale * scale);
}

static double
plain_tanh_slope (double x, double alpha, double beta)
{
  double y = tanh (x);

  return 1 - y * y;
}

static double
thresholded_relu_slope (double x, double alpha, double beta)
{
  return x >= alpha;
}

/* Defaults of the parameters are those of the operators of the same names. */
static const struct
{
  const char *name;
  SondeActivation activation;
  gboolean has_alpha, has_beta;
} functions[] = {
  { "Affine", { affine, affine_slope, 1, 0 }, TRUE, TRUE },
  { "Elu", { elu, elu_slope, 1 }, TRUE, FALSE },
  { "HardSigmoid", { hard_sigmoid, hard_sigmoid_slope, 0.2, 0.5 }, TRUE, TRUE },
  { "LeakyRelu", { leaky_relu, leaky_relu_slope, 0.01 }, TRUE, FALSE },
  { "Relu", { relu, relu_slope }, FALSE, FALSE },
  { "ScaledTanh", { scaled_tanh, scaled_tanh_slope, 1, 1 }, TRUE, TRUE },
  { "Sigmoid", { sigmoid, sigmoid_slope }, FALSE, FALSE },
  { "Softplus", { softplus, softplus_slope }, FALSE, FALSE },
  { "Softsign", { softsign, softsign_slope }, FALSE, FALSE },
  { "Tanh", { plain_tanh, plain_tanh_slope }, FALSE, FALSE },
  { "ThresholdedRelu", { thresholded_relu, thresholded_relu_slope, 1 }, TRUE, FALSE },
};

static const double *
get_floats (const SondeNode *node, const char *name, gsize *n)
{
  const SondeAttribute *attribute = sonde_node_find_attribute (node, name);

  *n = attribute != NULL && attribute->kind == SONDE_ATTRIBUTE_FLOATS ? attribute->n : 0;
  return *n > 0 ? attribute->u.floats : NULL;
}

/* Exporters write names in any case. Returns: an index, or -1 */
static int
find_function (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (functions); i++)
    if (g_ascii_strcasecmp (functions[i].name, name) == 0)
      return (int) i;
  return -1;
}

static const char *
function_name (const SondeCellClass *klass, const SondeAttribute *names, guint k)
{
  return names != NULL ? names->u.strings[k] : klass->defaults[k % klass->activations];
}

gboolean
sonde_cell_read_activations (const SondeCellClass *klass, const SondeNode *node, int direction,
                             SondeActivation *activations, GError **error)
{
  const SondeAttribute *names = sonde_node_find_attribute (node, "activations");
  guint first = (guint) direction * klass->activations, last = first + klass->activations;
  gsize n_alpha, n_beta, alpha = 0, beta = 0;
  const double *alphas = get_floats (node, "activation_alpha", &n_alpha);
  const double *betas = get_floats (node, "activation_beta", &n_beta);

  if (names != NULL && (names->kind != SONDE_ATTRIBUTE_STRINGS || names->n == 0))
    names = NULL;
  if (names != NULL && names->n < last)
    return sonde_infer_fail (error, "has %zu activations, but needs %u a direction", names->n,
                             klass->activations);
  for (guint k = 0; k < last; k++)
    {
      int index = find_function (function_name (klass, names, k));
      SondeActivation found;

      if (index < 0)
        return sonde_infer_fail (error, "“%s” is not an activation of recurrent operators",
                                 names->u.strings[k]);
      found = functions[index].activation;
      if (functions[index].has_alpha && alpha < n_alpha)
        found.alpha = alphas[alpha++];
      if (functions[index].has_beta && beta < n_beta)
        found.beta = betas[beta++];
      if (k >= first)
        activations[k - first] = found;
    }
  return TRUE;
}

/* ---- sums ---------------------------------------------------------------- */

void
sonde_cell_accumulate (const double *v, gint64 n, const double *matrix, gint64 width, gint64 first,
                       gint64 count, double *to)
{
  for (gint64 k = 0; k < n; k++)
    {
      const double *row = matrix + k * width + first;
      const double factor = v[k];

#pragma GCC ivdep
      for (gint64 j = 0; j < count; j++)
        to[j] += factor * row[j];
    }
}

double
sonde_cell_activate (const SondeRecurrentCell *cell, int which, double x)
{
  const SondeActivation *function = &cell->activations[which];

  if (cell->clip > 0)
    x = x > cell->clip ? cell->clip : x < -cell->clip ? -cell->clip : x;
  return function->apply (x, function->alpha, function->beta);
}

/* ---- steps --------------------------------------------------------------- */

static void
step_rnn (SondeRecurrentCell *cell, double *gates)
{
  sonde_cell_accumulate (cell->h, cell->hidden, cell->r, cell->hidden, 0, cell->hidden, gates);
  for (gint64 j = 0; j < cell->hidden; j++)
    cell->h[j] = sonde_cell_activate (cell, 0, gates[j]);
}

/* Order of gates: update z, reset r, candidate. */
static void
step_gru (SondeRecurrentCell *cell, double *gates)
{
  gint64 n = cell->hidden, width = 3 * n;
  double *z = gates, *r = gates + n, *candidate = gates + 2 * n;

  sonde_cell_accumulate (cell->h, n, cell->r, width, 0, 2 * n, gates);
  for (gint64 j = 0; j < 2 * n; j++)
    gates[j] = sonde_cell_activate (cell, 0, gates[j]);
  if (cell->linear_before_reset)
    {
      memcpy (cell->scratch, cell->reset_bias, sizeof (double) * (gsize) n);
      sonde_cell_accumulate (cell->h, n, cell->r, width, 2 * n, n, cell->scratch);
      for (gint64 j = 0; j < n; j++)
        candidate[j] += r[j] * cell->scratch[j];
    }
  else
    {
      for (gint64 j = 0; j < n; j++)
        cell->scratch[j] = r[j] * cell->h[j];
      sonde_cell_accumulate (cell->scratch, n, cell->r, width, 2 * n, n, candidate);
    }
  for (gint64 j = 0; j < n; j++)
    cell->h[j] = (1 - z[j]) * sonde_cell_activate (cell, 1, candidate[j]) + z[j] * cell->h[j];
}

static double
peep (const SondeRecurrentCell *cell, int gate, gint64 j, double c)
{
  return cell->peepholes != NULL ? cell->peepholes[gate * cell->hidden + j] * c : 0;
}

/* Order of gates: input i, output o, forget f, candidate. */
static void
step_lstm (SondeRecurrentCell *cell, double *gates)
{
  gint64 n = cell->hidden;

  sonde_cell_accumulate (cell->rounded != NULL ? cell->rounded : cell->h, n, cell->r, 4 * n, 0,
                         4 * n, gates);
  for (gint64 j = 0; j < n; j++)
    {
      double old = cell->c[j];
      double i = sonde_cell_activate (cell, 0, gates[j] + peep (cell, 0, j, old));
      double f = cell->input_forget
                     ? 1 - i
                     : sonde_cell_activate (cell, 0, gates[2 * n + j] + peep (cell, 2, j, old));
      double c = f * old + i * sonde_cell_activate (cell, 1, gates[3 * n + j]);
      double o = sonde_cell_activate (cell, 0, gates[n + j] + peep (cell, 1, j, c));
      const SondeActivation *last = &cell->activations[2];

      cell->c[j] = c;
      cell->h[j] = o * last->apply (c, last->alpha, last->beta);
    }
}

const SondeCellClass sonde_cell_classes[] = {
  { "RNN", 1, 1, { "Tanh" }, FALSE, step_rnn },
  { "GRU", 3, 2, { "Sigmoid", "Tanh" }, FALSE, step_gru },
  { "LSTM", 4, 3, { "Sigmoid", "Tanh", "Tanh" }, TRUE, step_lstm },
  { NULL },
};

const SondeCellClass *
sonde_cell_class_find (const char *op)
{
  const SondeCellClass *klass = sonde_cell_classes;

  while (klass->op != NULL && !g_str_has_prefix (op, klass->op))
    klass++;
  return klass->op != NULL ? klass : NULL;
}

/* ---- one direction ------------------------------------------------------- */

/* Slice @direction of @tensor as float64. */
static double *
read_direction (const SondeTensor *tensor, int direction)
{
  gint64 n = sonde_shape_product (&tensor->shape, 1, tensor->shape.rank);
  double *values = g_new (double, n + 1);

  sonde_dtype_convert (tensor->dtype,
                       tensor->data + (gsize) (direction * n) * sonde_dtype_size (tensor->dtype),
                       SONDE_DTYPE_F64, values, (gsize) n);
  return values;
}

/* Weights come as [D, gates·hidden, n]. */
static double *
read_transposed (const SondeTensor *tensor, int direction)
{
  g_autofree double *plain = read_direction (tensor, direction);
  gint64 rows = tensor->shape.dims[1], columns = tensor->shape.dims[2];
  double *turned = g_new (double, rows *columns + 1);

  for (gint64 i = 0; i < rows; i++)
    for (gint64 k = 0; k < columns; k++)
      turned[k * rows + i] = plain[i * columns + k];
  return turned;
}

static void
read_bias (SondeRecurrentCell *cell, const SondeTensor *tensor, int direction)
{
  gint64 n = cell->klass->gates * cell->hidden, joined = n;
  g_autofree double *both
      = tensor ? read_direction (tensor, direction) : g_new0 (double, 2 * n + 1);

  cell->bias = g_new (double, n + 1);
  if (cell->linear_before_reset)
    {
      joined -= cell->hidden;
      cell->reset_bias = g_new (double, cell->hidden + 1);
      memcpy (cell->reset_bias, both + n + joined, sizeof (double) * (gsize) cell->hidden);
    }
  for (gint64 j = 0; j < n; j++)
    cell->bias[j] = both[j] + (j < joined ? both[n + j] : 0);
}

void
sonde_cell_init (SondeRecurrentCell *cell, const SondeNode *node, int direction,
                 SondeTensor *const weights[4])
{
  *cell = (SondeRecurrentCell){ .klass = sonde_cell_class_find (node->op) };
  cell->inputs = weights[0]->shape.dims[2];
  cell->hidden = weights[1]->shape.dims[2];
  cell->clip = sonde_node_get_float (node, "clip", 0);
  cell->linear_before_reset = sonde_node_get_int (node, "linear_before_reset", 0) != 0;
  cell->input_forget = sonde_node_get_int (node, "input_forget", 0) != 0;
  (void) sonde_cell_read_activations (cell->klass, node, direction, cell->activations, NULL);

  cell->w = read_transposed (weights[0], direction);
  cell->r = read_transposed (weights[1], direction);
  read_bias (cell, weights[2], direction);
  if (weights[3] != NULL)
    cell->peepholes = read_direction (weights[3], direction);
  cell->h = g_new0 (double, cell->hidden + 1);
  cell->c = g_new0 (double, cell->hidden + 1);
  cell->scratch = g_new0 (double, cell->hidden + 1);
  cell->gates = g_new0 (double, cell->klass->gates * cell->hidden + 1);
  cell->x = g_new0 (double, cell->inputs + 1);
  if (sonde_node_get_int (node, "quantise_state", 0) != 0)
    cell->rounded = g_new0 (double, cell->hidden + 1);
}

void
sonde_cell_clear (SondeRecurrentCell *cell)
{
  double *owned[]
      = { cell->w, cell->r,       cell->bias,  cell->reset_bias, cell->peepholes, cell->h,
          cell->c, cell->scratch, cell->gates, cell->x,          cell->rounded };

  for (gsize i = 0; i < G_N_ELEMENTS (owned); i++)
    g_free (owned[i]);
  *cell = (SondeRecurrentCell){ NULL };
}

void
sonde_cell_start_step (SondeRecurrentCell *cell, SondeDtype dtype, const guint8 *x)
{
  gint64 width = cell->klass->gates * cell->hidden;

  sonde_dtype_convert (dtype, x, SONDE_DTYPE_F64, cell->x, (gsize) cell->inputs);
  memcpy (cell->gates, cell->bias, sizeof (double) * (gsize) width);
  sonde_cell_accumulate (cell->x, cell->inputs, cell->w, width, 0, width, cell->gates);
}

void
sonde_cell_step (SondeRecurrentCell *cell, SondeDtype dtype, const guint8 *x)
{
  sonde_cell_start_step (cell, dtype, x);
  cell->klass->step (cell, cell->gates);
}
