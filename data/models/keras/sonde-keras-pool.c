/* SPDX-License-Identifier: Apache-2.0
 * Pooling, over windows and over everything. */
#include "data/models/keras/sonde-keras-lower.h"

static int
spatial_of (const SondeGraphValue *value)
{
  return value->type.rank - 2;
}

/* Sizes behind a window over @x, which has channels first. */
static SondeShape
pooled (const SondeLoweringWindow *window, const SondeGraphValue *x, gboolean same)
{
  SondeShape shape = sonde_keras_shape_of (x);

  for (int i = 0; i < window->n; i++)
    {
      gint64 size = shape.dims[2 + i];

      if (size >= 0)
        shape.dims[2 + i]
            = MAX ((size - (same ? 0 : window->kernel[i] - 1) + window->strides[i] - 1)
                       / window->strides[i],
                   0);
    }
  return shape;
}

static void
lower_pool (SondeKerasLowering *self, const char *op)
{
  gboolean same = g_str_equal (sonde_keras_text (self, "padding", "valid"), "same");
  SondeLoweringWindow window = { .n = spatial_of (sonde_keras_in (self, 0)) };
  SondeGraphValue *x = NULL, *y = NULL;
  SondeShape shape;

  if (!sonde_keras_check_rank (self, 0, 3, 5))
    return;
  x = sonde_keras_to_first (self, sonde_keras_in (self, 0));
  sonde_keras_ints (self, "pool_size", window.n, 2, window.kernel);
  if (sonde_keras_has (self, "strides"))
    sonde_keras_ints (self, "strides", window.n, 2, window.strides);
  for (int i = 0; i < window.n; i++)
    {
      if (!sonde_keras_has (self, "strides"))
        window.strides[i] = window.kernel[i];
      window.kernel[i] = MAX (window.kernel[i], 1);
      window.strides[i] = MAX (window.strides[i], 1);
      window.dilations[i] = 1;
      window.sizes[i] = x->type.dims[2 + i].size;
    }
  y = sonde_lowering_op (self->out, op, SONDE_VALUES (x));
  sonde_node_set_ints (y->producer, "kernel_shape", window.kernel, (gsize) window.n);
  sonde_lowering_set_window (y->producer, &window, same);
  shape = pooled (&window, x, same);
  sonde_keras_set_out (self, 0, sonde_keras_from_first (self, sonde_keras_shaped (y, x, &shape)));
}

/* ---- over everything ----------------------------------------------------- */

static SondeGraphValue *
reduce (SondeKerasLowering *self, const char *op, SondeGraphValue *x, const gint64 *axes, int n,
        gboolean keep)
{
  SondeGraphValue *y = sonde_lowering_op (
      self->out, op, SONDE_VALUES (x, sonde_lowering_ints (self->out, axes, (gsize) n)));
  SondeShape from = sonde_keras_shape_of (x), shape = { .rank = 0 };

  sonde_node_set_int (y->producer, "keepdims", keep ? 1 : 0);
  for (int i = 0; i < from.rank; i++)
    {
      gboolean gone = FALSE;

      for (int k = 0; k < n; k++)
        gone |= axes[k] == i;
      if (!gone || keep)
        shape.dims[shape.rank++] = gone ? 1 : from.dims[i];
    }
  return sonde_keras_shaped (y, x, &shape);
}

/* The mean of the steps that count. @mask: [batch, steps] */
static SondeGraphValue *
masked_mean (SondeKerasLowering *self, SondeGraphValue *x, SondeGraphValue *mask, gboolean keep)
{
  static const gint64 steps[] = { 1 };
  SondeGraphValue *weights = sonde_lowering_cast (self->out, mask, x->type.dtype);
  SondeShape shape = sonde_keras_shape_of (mask);

  shape.dims[shape.rank++] = 1;
  weights = sonde_keras_shaped (sonde_lowering_unsqueeze (self->out, weights, -1), x, &shape);
  return sonde_keras_op2 (
      self, "Div",
      reduce (self, "ReduceSum", sonde_keras_op2 (self, "Mul", x, weights), steps, 1, keep),
      reduce (self, "ReduceSum", weights, steps, 1, keep));
}

/* In the layout that is there. */
static void
lower_global (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0), *mask = g_hash_table_lookup (self->masks, x);
  gboolean keep = sonde_keras_bool (self, "keepdims", FALSE), last = sonde_keras_is_last (self);
  SondeGraphValue *first = last && !keep ? sonde_lowering_find_channels_first (self->out, x) : NULL;
  gint64 axes[3] = { 0 };
  int n = spatial_of (x);

  if (!sonde_keras_check_rank (self, 0, 3, 5))
    return;
  if (mask != NULL && n == 1 && last && g_str_equal (op, "ReduceMean"))
    {
      sonde_keras_set_out (self, 0, masked_mean (self, x, mask, keep));
      return;
    }
  for (int i = 0; i < n; i++)
    axes[i] = last && first == NULL ? i + 1 : i + 2;
  sonde_keras_set_out (self, 0, reduce (self, op, first != NULL ? first : x, axes, n, keep));
}

const SondeKerasRow sonde_keras_pool_rows[] = {
  { "AveragePooling1D", 1, SONDE_KERAS_PLAIN, lower_pool, "AveragePool" },
  { "AveragePooling2D", 1, SONDE_KERAS_PLAIN, lower_pool, "AveragePool" },
  { "AveragePooling3D", 1, SONDE_KERAS_PLAIN, lower_pool, "AveragePool" },
  { "GlobalAveragePooling1D", 1, SONDE_KERAS_PLAIN, lower_global, "ReduceMean" },
  { "GlobalAveragePooling2D", 1, SONDE_KERAS_PLAIN, lower_global, "ReduceMean" },
  { "GlobalAveragePooling3D", 1, SONDE_KERAS_PLAIN, lower_global, "ReduceMean" },
  { "GlobalMaxPooling1D", 1, SONDE_KERAS_PLAIN, lower_global, "ReduceMax" },
  { "GlobalMaxPooling2D", 1, SONDE_KERAS_PLAIN, lower_global, "ReduceMax" },
  { "GlobalMaxPooling3D", 1, SONDE_KERAS_PLAIN, lower_global, "ReduceMax" },
  { "MaxPooling1D", 1, SONDE_KERAS_PLAIN, lower_pool, "MaxPool" },
  { "MaxPooling2D", 1, SONDE_KERAS_PLAIN, lower_pool, "MaxPool" },
  { "MaxPooling3D", 1, SONDE_KERAS_PLAIN, lower_pool, "MaxPool" },
  { NULL },
};
