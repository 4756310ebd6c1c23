/* SPDX-License-Identifier: Apache-2.0
 * Layers around one other layer. */
#include "data/models/keras/sonde-keras-lower.h"

/* The layer inside; (transfer full) (nullable) with a failure */
static SondeKerasLayer *
open_inner (SondeKerasLowering *self)
{
  JsonObject *json = sonde_json_member_object (self->config, "layer");
  GError *error = NULL;
  SondeKerasLayer *layer
      = sonde_keras_layer_new (json, sonde_lowering_get_path (self->out), &error);

  if (layer == NULL)
    sonde_lowering_take_error (self->out, error);
  return layer;
}

static void
run_inner (SondeKerasLowering *self, const SondeKerasLayer *layer)
{
  const SondeKerasPart part = { "layer", NULL, layer->name };
  SondeKerasPlace before = sonde_keras_enter (self, &part);

  sonde_keras_run_wrapped (self, layer);
  sonde_keras_leave (self, &before);
}

/* Its weights are normalised already when they are saved. */
static void
lower_inner (SondeKerasLowering *self, const char *op)
{
  g_autoptr (SondeKerasLayer) layer = open_inner (self);

  if (layer != NULL)
    run_inner (self, layer);
}

/* ---- TimeDistributed ----------------------------------------------------- */

/* Sizes of @x from dimension @from on, computed: int64 of rank 1 */
static SondeGraphValue *
compute_sizes (SondeKerasLowering *self, SondeGraphValue *x, int from, int to)
{
  SondeGraphValue *sizes = sonde_lowering_op (self->out, "Shape", SONDE_VALUES (x));

  sonde_node_set_int (sizes->producer, "start", from);
  if (to > 0)
    sonde_node_set_int (sizes->producer, "end", to);
  return sizes;
}

static gboolean
knows (const SondeShape *shape, int from)
{
  for (int i = from; i < shape->rank; i++)
    if (shape->dims[i] < 0)
      return FALSE;
  return TRUE;
}

/* [batch, steps, …] -> [batch · steps, …] */
static SondeGraphValue *
fold_steps (SondeKerasLowering *self, SondeGraphValue *x)
{
  SondeShape shape = sonde_keras_shape_of (x), folded = { .rank = shape.rank - 1 };
  SondeGraphValue *sizes = NULL;
  const gint64 rest = -1;

  folded.dims[0] = -1;
  for (int i = 1; i < folded.rank; i++)
    folded.dims[i] = shape.dims[i + 1];
  if (knows (&folded, 1))
    sizes = sonde_lowering_ints (self->out, folded.dims, (gsize) folded.rank);
  else
    sizes = sonde_lowering_concat (
        self->out,
        (SondeGraphValue *const[]){ sonde_lowering_ints (self->out, &rest, 1),
                                    compute_sizes (self, x, 2, 0) },
        2, 0);
  return sonde_keras_shaped (sonde_lowering_op (self->out, "Reshape", SONDE_VALUES (x, sizes)), x,
                             &folded);
}

/* [batch · steps, …] -> [batch, steps, …] of @x */
static SondeGraphValue *
unfold_steps (SondeKerasLowering *self, SondeGraphValue *y, SondeGraphValue *x)
{
  SondeShape from = sonde_keras_shape_of (x), folded = sonde_keras_shape_of (y);
  SondeShape shape = { .rank = folded.rank + 1 };
  SondeGraphValue *sizes = NULL;
  gint64 copied[SONDE_MAX_RANK] = { -1 };

  shape.dims[0] = from.dims[0];
  shape.dims[1] = copied[1] = from.dims[1];
  for (int i = 1; i < folded.rank; i++)
    shape.dims[i + 1] = copied[i + 1] = folded.dims[i];
  if (knows (&shape, 1))
    sizes = sonde_lowering_ints (self->out, copied, (gsize) shape.rank);
  else
    sizes = sonde_lowering_concat (
        self->out,
        (SondeGraphValue *const[]){ compute_sizes (self, x, 0, 2), compute_sizes (self, y, 1, 0) },
        2, 0);
  return sonde_keras_shaped (sonde_lowering_op (self->out, "Reshape", SONDE_VALUES (y, sizes)), x,
                             &shape);
}

/* Each step of each sequence is a sample of its own. */
static void
lower_steps (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0);
  g_autoptr (SondeKerasLayer) layer = open_inner (self);
  GPtrArray *inputs = self->inputs;

  if (layer == NULL || !sonde_keras_check_rank (self, 0, 3, SONDE_MAX_RANK))
    return;
  self->inputs = g_ptr_array_new ();
  g_ptr_array_add (self->inputs, fold_steps (self, x));
  run_inner (self, layer);
  g_ptr_array_unref (self->inputs);
  self->inputs = inputs;
  for (guint i = 0; i < self->outputs->len; i++)
    if (self->outputs->pdata[i] != NULL)
      self->outputs->pdata[i] = unfold_steps (self, self->outputs->pdata[i], x);
}

const SondeKerasRow sonde_keras_wrap_rows[] = {
  { "SpectralNormalization", 1, SONDE_KERAS_KEEPS_MASK, lower_inner, NULL },
  { "TimeDistributed", 1, SONDE_KERAS_KEEPS_MASK, lower_steps, NULL },
  { NULL },
};
