/* SPDX-License-Identifier: Apache-2.0
 * What the rows of Caffe's layers share. */
#include "data/models/caffe/sonde-caffe-lower.h"

SondeGraphValue *
sonde_caffe_bottom (SondeCaffeLowering *self, guint index)
{
  return g_hash_table_lookup (self->blobs, self->layer->bottoms->pdata[index]);
}

SondeShape
sonde_caffe_shape_of (const SondeGraphValue *value)
{
  SondeShape shape = { 0 };

  sonde_type_get_shape (&value->type, &shape);
  return shape;
}

/* ---- tops ---------------------------------------------------------------- */

/* (transfer full): a blob that is written again later keeps its name for the last time; the others say
 * which layer made them. */
static char *
dup_value_name (SondeCaffeLowering *self, const char *blob)
{
  guint left = GPOINTER_TO_UINT (g_hash_table_lookup (self->writes, blob));
  SondeGraph *graph = sonde_lowering_get_graph (self->out);

  g_hash_table_insert (self->writes, (gpointer) blob, GUINT_TO_POINTER (left - 1));
  if (left <= 1 && sonde_graph_find_value (graph, blob) == NULL)
    return g_strdup (blob);
  return g_strdup_printf ("%s@%s", blob, self->layer->name);
}

void
sonde_caffe_set_top (SondeCaffeLowering *self, guint index, SondeGraphValue *value,
                     const SondeShape *shape)
{
  const char *blob = NULL;
  g_autofree char *name = NULL;

  if (index >= self->layer->tops->len)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "it has %u tops, %u are needed",
                           self->layer->tops->len, index + 1);
      return;
    }
  blob = self->layer->tops->pdata[index];
  name = dup_value_name (self, blob);
  value = sonde_lowering_name (self->out, value, name);
  value->type = sonde_type_tensor (SONDE_DTYPE_F32, shape);
  g_hash_table_insert (self->blobs, (gpointer) blob, value);
}

void
sonde_caffe_set_same (SondeCaffeLowering *self, SondeGraphValue *value)
{
  SondeShape shape = sonde_caffe_shape_of (sonde_caffe_bottom (self, 0));

  sonde_caffe_set_top (self, 0, value, &shape);
}

/* ---- constants ----------------------------------------------------------- */

SondeTensor *
sonde_caffe_read_blob (SondeCaffeLowering *self, guint index, const SondeShape *shape)
{
  GError *error = NULL;
  SondeTensor *tensor = sonde_caffe_layer_read_blob (self->layer, index, shape, &error);

  if (tensor != NULL)
    return tensor;
  sonde_prefix_error (&error, "“%s”: ", self->net->path);
  sonde_lowering_take_error (self->out, error);
  return NULL;
}

SondeGraphValue *
sonde_caffe_blob (SondeCaffeLowering *self, guint index, const char *what, const SondeShape *shape)
{
  g_autoptr (SondeTensor) tensor = sonde_caffe_read_blob (self, index, shape);
  g_autofree char *name = g_strdup_printf ("%s.%s", self->layer->name, what);

  if (tensor == NULL)
    return sonde_caffe_number (self, 0);
  return sonde_lowering_constant (self->out, name, tensor);
}

SondeGraphValue *
sonde_caffe_op2 (SondeCaffeLowering *self, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  return sonde_lowering_op (self->out, op, SONDE_VALUES (a, b));
}

SondeGraphValue *
sonde_caffe_number (SondeCaffeLowering *self, double number)
{
  return sonde_lowering_number (self->out, SONDE_DTYPE_F32, number);
}

/* ---- shapes -------------------------------------------------------------- */

int
sonde_caffe_axis (SondeCaffeLowering *self, gint64 axis, int rank, gboolean last)
{
  gint64 most = last ? rank : rank - 1, found = axis < 0 ? axis + rank : axis;

  if (found >= 0 && found <= most)
    return (int) found;
  sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                       "axis %" PRId64 " is outside of a blob of %d dimensions", axis, rank);
  return 0;
}

gint64
sonde_caffe_count_sizes (const SondeShape *shape, int from, int to)
{
  gint64 count = 1;

  for (int i = from; i < to; i++)
    count *= shape->dims[i];
  return count;
}

SondeGraphValue *
sonde_caffe_reshape (SondeCaffeLowering *self, SondeGraphValue *value, const SondeShape *shape)
{
  return sonde_lowering_op (
      self->out, "Reshape",
      SONDE_VALUES (value, sonde_lowering_ints (self->out, shape->dims, (gsize) shape->rank)));
}

void
sonde_caffe_refuse (SondeCaffeLowering *self, SondeMessage *what, SondeMessage *advice)
{
  g_autofree SondeGraphValue **bottoms = g_new0 (SondeGraphValue *, self->layer->bottoms->len + 1);
  SondeNode *node = NULL;

  for (guint i = 0; i < self->layer->bottoms->len; i++)
    bottoms[i] = sonde_caffe_bottom (self, i);
  node = sonde_lowering_refuse (self->out, bottoms, self->layer->bottoms->len,
                                self->layer->tops->len, what, advice);
  for (guint i = 0; i < self->layer->tops->len; i++)
    {
      SondeShape shape = self->layer->bottoms->len > 0 ? sonde_caffe_shape_of (bottoms[0])
                                                       : sonde_shape_scalar ();

      sonde_caffe_set_top (self, i, sonde_node_get_output (node, i), &shape);
    }
}
