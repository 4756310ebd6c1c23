/* SPDX-License-Identifier: Apache-2.0
 * Gradients of RNN, GRU, LSTM as one node: the sequence runs once more to know its states, then
 * backwards. Operands are the forward node's and what comes back through its results; see
 * docs/operators.md. */
#include "engine/ops/sonde-decompose-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/rnn/sonde-recurrent.h"

#include <string.h>

/* Behind the forward operands, X W R B lengths H C P. Y and the sums (results 0 and 3 of the
 * forward node) say again what happened, for kernels that save themselves the forward steps; this
 * one runs them in float64. */
enum
{
  INPUT_DY = SONDE_RECURRENT_INPUTS,
  INPUT_DH,
  INPUT_DC,
  INPUT_Y,
  INPUT_SUMS, /* of LSTM */
  N_INPUTS,
};

/* Operand of each output. */
static const guint operands[]
    = { SONDE_RECURRENT_X, SONDE_RECURRENT_W, SONDE_RECURRENT_R, SONDE_RECURRENT_B,
        SONDE_RECURRENT_H, SONDE_RECURRENT_C, SONDE_RECURRENT_P };

/* ---- shapes -------------------------------------------------------------- */

/* The forward rule says what the gradients must look like. */
static gboolean
infer_grad (SondeInferContext *context, GError **error)
{
  SondeInferContext forward = *context;
  SondeType results[4] = { { .kind = SONDE_VALUE_NONE } };
  const guint again[] = { INPUT_Y, 0, INPUT_SUMS, 3 };

  forward.n_inputs = MIN (context->n_inputs, SONDE_RECURRENT_INPUTS);
  forward.n_outputs = G_N_ELEMENTS (results);
  forward.outputs = results;
  if (!sonde_recurrent_infer (&forward, error))
    return FALSE;
  for (guint k = 0; k < 3; k++)
    {
      const SondeType *gradient = sonde_infer_input (context, INPUT_DY + k);

      if (gradient == NULL || gradient->kind == SONDE_VALUE_NONE
          || results[k].kind == SONDE_VALUE_NONE)
        continue;
      if (gradient->dtype != results[k].dtype
          || !sonde_infer_need_shape (gradient, &results[k], N_ ("the gradient"), error))
        return gradient->dtype == results[k].dtype
                   ? FALSE
                   : sonde_infer_fail (error, "the gradient is %s",
                                       sonde_dtype_name (gradient->dtype));
    }
  for (guint i = 0; i < G_N_ELEMENTS (again); i += 2)
    {
      const SondeType *type = sonde_infer_input (context, again[i]), *want = &results[again[i + 1]];

      if (type != NULL && type->kind != SONDE_VALUE_NONE && want->kind != SONDE_VALUE_NONE
          && (type->dtype != want->dtype
              || !sonde_infer_need_shape (type, want, N_ ("the result"), NULL)))
        return sonde_infer_fail (error, "input %u is not what the forward node gives", again[i]);
    }
  for (guint k = 0; k < context->n_outputs && k < G_N_ELEMENTS (operands); k++)
    {
      const SondeType *operand = sonde_infer_input (context, operands[k]);

      if (operand == NULL && context->node->outputs->pdata[k] != NULL)
        return sonde_infer_fail (error, "has output %u, but not the operand that it is for", k);
      if (operand != NULL)
        context->outputs[k] = *operand;
    }
  return TRUE;
}

/* ---- kernel -------------------------------------------------------------- */

/* @h, @c: states before each step; @dx: of all steps and samples */
typedef struct
{
  const SondeKernelContext *context;
  SondeRecurrentSizes sizes;
  double *h, *c, *dx;
} Back;

static void
back_clear (Back *back)
{
  g_free (back->h);
  g_free (back->c);
  g_free (back->dx);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Back, back_clear)

/* Place of step @step of sample @batch in X. */
static gint64
input_index (const SondeRecurrentSizes *sizes, gint64 step, gint64 batch)
{
  return sizes->batchwise ? batch * sizes->steps + step : step * sizes->batch + batch;
}

static const guint8 *
input_row (const Back *back, gint64 step, gint64 batch)
{
  const SondeTensor *x = back->context->inputs[SONDE_RECURRENT_X];

  return x->data
         + (gsize) (input_index (&back->sizes, step, batch) * back->sizes.inputs)
               * sonde_dtype_size (x->dtype);
}

static void
add_state (const SondeTensor *from, /* (nullable) */
           gint64 index, gint64 n, double *to)
{
  for (gint64 j = 0; j < n && from != NULL; j++)
    to[j] += sonde_tensor_get_double (from, index * n + j);
}

static void
load_state (const SondeTensor *from, /* (nullable): zeros */
            gint64 index, gint64 n, double *to)
{
  memset (to, 0, sizeof (double) * (gsize) n);
  if (from != NULL)
    sonde_kernel_load (from, index * n, n, to);
}

/* Runs the sequence; step number i is @length − 1 − i of the input when it goes @backwards. */
static void
run_forward (Back *back, SondeRecurrentCell *cell, gint64 state, gint64 batch, gint64 length,
             gboolean backwards)
{
  const gint64 n = back->sizes.hidden;

  load_state (sonde_kernel_input (back->context, SONDE_RECURRENT_H), state, n, cell->h);
  load_state (sonde_kernel_input (back->context, SONDE_RECURRENT_C), state, n, cell->c);
  for (gint64 i = 0; i < length; i++)
    {
      memcpy (back->h + i * n, cell->h, sizeof (double) * (gsize) n);
      memcpy (back->c + i * n, cell->c, sizeof (double) * (gsize) n);
      sonde_cell_step (cell, back->context->inputs[0]->dtype,
                       input_row (back, backwards ? length - 1 - i : i, batch));
    }
}

static void
run_sequence (Back *back, SondeCellGradient *gradient, int direction, gint64 batch, gint64 length)
{
  const SondeKernelContext *context = back->context;
  const gint64 n = back->sizes.hidden,
               state = sonde_recurrent_state_index (&back->sizes, direction, batch);
  const gboolean backwards = back->sizes.reverse || direction == 1;

  run_forward (back, &gradient->cell, state, batch, length, backwards);
  load_state (length > 0 ? sonde_kernel_input (context, INPUT_DH) : NULL, state, n, gradient->dh);
  load_state (length > 0 ? sonde_kernel_input (context, INPUT_DC) : NULL, state, n, gradient->dc);
  for (gint64 i = length; i-- > 0;)
    {
      gint64 step = backwards ? length - 1 - i : i;
      double *dx = back->dx + input_index (&back->sizes, step, batch) * back->sizes.inputs;

      add_state (sonde_kernel_input (context, INPUT_DY),
                 sonde_recurrent_output_index (&back->sizes, step, direction, batch), n,
                 gradient->dh);
      sonde_cell_gradient_step (gradient, context->inputs[0]->dtype, input_row (back, step, batch),
                                back->h + i * n, back->c + i * n);
      for (gint64 k = 0; k < back->sizes.inputs; k++)
        dx[k] += gradient->dx[k];
    }
  sonde_kernel_store (gradient->dh, n, sonde_kernel_output (context, 4), state * n);
  sonde_kernel_store (gradient->dc, n, sonde_kernel_output (context, 5), state * n);
}

/* @from: [columns, rows]; the output is [D, rows, columns] */
static void
store_transposed (const double *from, gint64 rows, gint64 columns, int direction,
                  SondeTensor *to) /* (nullable) */
{
  for (gint64 i = 0; i < rows && to != NULL; i++)
    for (gint64 k = 0; k < columns; k++)
      sonde_tensor_set_double (to, (direction * rows + i) * columns + k, from[k * rows + i]);
}

static void
store_weights (const SondeKernelContext *context, const SondeCellGradient *gradient, int direction)
{
  const SondeRecurrentCell *cell = &gradient->cell;
  gint64 n = cell->hidden, width = cell->klass->gates * n;

  store_transposed (gradient->dw, width, cell->inputs, direction, sonde_kernel_output (context, 1));
  store_transposed (gradient->dr, width, n, direction, sonde_kernel_output (context, 2));
  sonde_kernel_store (gradient->db, 2 * width, sonde_kernel_output (context, 3),
                      direction * 2 * width);
  if (gradient->dp != NULL)
    sonde_kernel_store (gradient->dp, 3 * n, sonde_kernel_output (context, 6), direction * 3 * n);
}

static void
compute_grad (const SondeKernelContext *context)
{
  SondeTensor *const weights[]
      = { context->inputs[SONDE_RECURRENT_W], context->inputs[SONDE_RECURRENT_R],
          sonde_kernel_input (context, SONDE_RECURRENT_B),
          sonde_kernel_input (context, SONDE_RECURRENT_P) };
  const SondeTensor *x = context->inputs[SONDE_RECURRENT_X];
  gsize n_lengths = 0;
  g_autofree gint64 *lengths = sonde_kernel_ints (context, SONDE_RECURRENT_LENGTHS, &n_lengths);
  g_auto (Back) back = { .context = context };

  sonde_recurrent_sizes_init (&back.sizes, context->node, &x->shape, weights[1]->shape.dims[2]);
  back.h = g_new (double, back.sizes.steps *back.sizes.hidden + 1);
  back.c = g_new (double, back.sizes.steps *back.sizes.hidden + 1);
  back.dx = g_new0 (double, sonde_tensor_n_elements (x) + 1);
  for (int direction = 0; direction < back.sizes.directions; direction++)
    {
      g_auto (SondeCellGradient) gradient = { .back = NULL };

      sonde_cell_gradient_init (&gradient, context->node, direction, weights);
      for (gint64 batch = 0; batch < back.sizes.batch; batch++)
        run_sequence (&back, &gradient, direction, batch,
                      lengths != NULL ? CLAMP (lengths[batch], 0, back.sizes.steps)
                                      : back.sizes.steps);
      store_weights (context, &gradient, direction);
    }
  sonde_kernel_store (back.dx, sonde_tensor_n_elements (x), sonde_kernel_output (context, 0), 0);
}

/* ---- rule ---------------------------------------------------------------- */

static SondeGraphValue *
add_output (SondeGradientContext *context, SondeNode *node, guint k)
{
  g_autofree char *name = g_strdup_printf ("%s_output_%u", node->name, k);
  SondeGraphValue *value = sonde_graph_add_value (context->graph, name, NULL);

  sonde_node_set_output (context->graph, node, k, value);
  return value;
}

gboolean
sonde_recurrent_gradient (SondeGradientContext *context, GError **error)
{
  g_autofree char *op = g_strconcat (context->node->op, "Grad", NULL);
  SondeNode *node = sonde_graph_add_node (context->graph, NULL, SONDE_DOMAIN, op, NULL, 0, 0);
  guint n = context->node->inputs->len;

  for (guint k = 0; k < n; k++)
    if (sonde_rule_x (context, k) != NULL)
      sonde_node_set_input (context->graph, node, k, sonde_rule_x (context, k));
  for (guint k = 0; k < MIN (context->node->outputs->len, 3); k++)
    if (context->output_gradients[k] != NULL)
      sonde_node_set_input (context->graph, node, INPUT_DY + k, context->output_gradients[k]);
  sonde_node_set_input (context->graph, node, INPUT_Y, sonde_rule_ensure_y (context, 0));
  if (strcmp (context->node->op, "LSTM") == 0)
    sonde_node_set_input (context->graph, node, INPUT_SUMS, sonde_rule_ensure_y (context, 3));
  sonde_rule_copy_attributes (node, context->node);
  (void) add_output (context, node, 0);
  for (guint k = 0; k < G_N_ELEMENTS (operands); k++)
    if (operands[k] < n && sonde_rule_x (context, operands[k]) != NULL
        && context->wanted[operands[k]])
      context->input_gradients[operands[k]]
          = k == 0 ? sonde_node_get_output (node, 0) : add_output (context, node, k);
  (void) sonde_build_infer (context->graph, node, NULL);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

#define ROW(label, rules)                                                                          \
  {                                                                                                \
    .domain = SONDE_DOMAIN, .name = label, .since = 1, .min_inputs = 3, .max_inputs = N_INPUTS,    \
    .min_outputs = 1, .max_outputs = G_N_ELEMENTS (operands), .family = SONDE_FAMILY_GRADIENT,     \
    .attributes = rules, .infer = infer_grad, .compute = compute_grad,                             \
    .check = sonde_recurrent_check, .reach = { sonde_reach_everything, 0 },                        \
    .typing = SONDE_TYPING_OWN,                                                                    \
  }

const SondeOpClass sonde_ops_rnn_gru_lstm_gradient_kernels[] = {
  ROW ("GRUGrad", sonde_gru_rules),
  ROW ("LSTMGrad", sonde_lstm_rules),
  ROW ("RNNGrad", sonde_rnn_rules),
  { .name = NULL },
};
