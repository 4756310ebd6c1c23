/* SPDX-License-Identifier: Apache-2.0
 * What the rows of Keras' layers share: their configuration, shapes, operators. */
#include "data/models/keras/sonde-keras-lower.h"

#include "data/base/sonde-error.h"

#define MOST_SIZE ((gint64) 1 << 30)

const SondeKerasRow *
sonde_keras_find_row (const char *class_name)
{
  const SondeKerasRow *const lists[]
      = { sonde_keras_activation_rows, sonde_keras_attention_rows, sonde_keras_dense_rows,
          sonde_keras_merge_rows,      sonde_keras_norm_rows,      sonde_keras_pool_rows,
          sonde_keras_shape_rows,      sonde_keras_recurrent_rows, sonde_keras_window_rows,
          sonde_keras_wrap_rows };

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    for (const SondeKerasRow *row = lists[i]; row->class_name != NULL; row++)
      if (g_str_equal (row->class_name, class_name))
        return row;
  return NULL;
}

/* ---- the layer ----------------------------------------------------------- */

SondeGraphValue *
sonde_keras_in (SondeKerasLowering *self, guint index)
{
  return self->inputs->pdata[index];
}

void
sonde_keras_set_out (SondeKerasLowering *self, guint index, SondeGraphValue *value)
{
  if (self->outputs->len <= index)
    g_ptr_array_set_size (self->outputs, (gint) index + 1);
  self->outputs->pdata[index] = value;
}

/* Nobody knows what it gives: it looks like what it was given. */
static void
set_unconverted (SondeKerasLowering *self, SondeNode *node)
{
  SondeGraphValue *value = sonde_node_get_output (node, 0);

  if (self->inputs->len > 0)
    value->type = sonde_keras_in (self, 0)->type;
  sonde_keras_set_out (self, 0, value);
}

void
sonde_keras_refuse (SondeKerasLowering *self, SondeMessage *what, SondeMessage *advice)
{
  set_unconverted (self,
                   sonde_lowering_refuse (self->out, (SondeGraphValue *const *) self->inputs->pdata,
                                          self->inputs->len, 1, what, advice));
}

/* Behind a layer that does not fit nothing is known, which is nobody's fault. */
gboolean
sonde_keras_check_rank (SondeKerasLowering *self, guint index, int least, int most)
{
  int rank = sonde_keras_in (self, index)->type.rank;

  if (rank >= least && rank <= most)
    return TRUE;
  if (sonde_conversion_is_complete (sonde_lowering_get_conversion (self->out)))
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                         "a tensor of %d dimensions, %d to %d are needed", rank, least, most);
  set_unconverted (self, sonde_lowering_node (
                             self->out, SONDE_DOMAIN_UNCONVERTED, self->layer->class_name,
                             (SondeGraphValue *const *) self->inputs->pdata, self->inputs->len, 1));
  return FALSE;
}

/* ---- the configuration --------------------------------------------------- */

gboolean
sonde_keras_has (SondeKerasLowering *self, const char *name)
{
  JsonNode *node = json_object_get_member (self->config, name);

  return node != NULL && !JSON_NODE_HOLDS_NULL (node);
}

gint64
sonde_keras_int (SondeKerasLowering *self, const char *name, gint64 fallback)
{
  return sonde_json_member_int (self->config, name, fallback);
}

double
sonde_keras_number (SondeKerasLowering *self, const char *name, double fallback)
{
  double number = fallback;

  sonde_json_member_number (json_object_get_member (self->config, name), &number);
  return number;
}

gboolean
sonde_keras_bool (SondeKerasLowering *self, const char *name, gboolean fallback)
{
  return sonde_json_member_bool (self->config, name, fallback);
}

const char *
sonde_keras_text (SondeKerasLowering *self, const char *name, const char *fallback)
{
  const char *text = sonde_json_member_text (self->config, name);

  return text != NULL ? text : fallback;
}

/* Element @i of a list, or the one number; TRUE when it is a size. */
static gboolean
read_size (JsonNode *node, int i, int n, gint64 *size)
{
  JsonArray *array = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  if (array != NULL)
    node = (int) json_array_get_length (array) == n ? json_array_get_element (array, (guint) i)
                                                    : NULL;
  if (node == NULL || !JSON_NODE_HOLDS_VALUE (node)
      || json_node_get_value_type (node) != G_TYPE_INT64)
    return FALSE;
  *size = json_node_get_int (node);
  return *size >= 0 && *size <= MOST_SIZE;
}

void
sonde_keras_ints (SondeKerasLowering *self, const char *name, int n, gint64 fallback,
                  gint64 *values)
{
  JsonNode *node = json_object_get_member (self->config, name);

  for (int i = 0; i < n; i++)
    {
      values[i] = fallback;
      if (!sonde_keras_has (self, name) || read_size (node, i, n, &values[i]))
        continue;
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "its “%s” is not %d sizes", name,
                           n);
      values[i] = fallback;
    }
}

gboolean
sonde_keras_is_last (SondeKerasLowering *self)
{
  return !g_str_equal (sonde_keras_text (self, "data_format", "channels_last"), "channels_first");
}

JsonNode *
sonde_keras_arg (SondeKerasLowering *self, int position, const char *name)
{
  JsonNode *node = NULL;

  if (self->call->kwargs != NULL)
    node = json_object_get_member (self->call->kwargs, name);
  if (node == NULL && position >= 0 && position < (int) self->call->args->len)
    node = self->call->args->pdata[position];
  return node == NULL || JSON_NODE_HOLDS_NULL (node) ? NULL : node;
}

/* ---- shapes -------------------------------------------------------------- */

SondeShape
sonde_keras_shape_of (const SondeGraphValue *value)
{
  SondeShape shape = { .rank = MAX (value->type.rank, 0) };

  for (int i = 0; i < shape.rank; i++)
    shape.dims[i] = value->type.dims[i].size;
  return shape;
}

SondeGraphValue *
sonde_keras_shaped (SondeGraphValue *value, const SondeGraphValue *like, const SondeShape *shape)
{
  value->type = sonde_type_tensor (like->type.dtype, shape);
  if (shape->rank > 0 && like->type.rank > 0 && shape->dims[0] == like->type.dims[0].size)
    value->type.dims[0] = like->type.dims[0]; /* the batch keeps its name */
  return value;
}

int
sonde_keras_axis (SondeKerasLowering *self, gint64 axis, int rank)
{
  gint64 found = axis < 0 ? axis + rank : axis;

  if (found >= 0 && found < rank)
    return (int) found;
  sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                       "axis %" PRId64 " is outside of a tensor of %d dimensions", axis, rank);
  return 0;
}

/* ---- emitting ------------------------------------------------------------ */

SondeGraphValue *
sonde_keras_op1 (SondeKerasLowering *self, const char *op, SondeGraphValue *a)
{
  SondeGraphValue *value = sonde_lowering_op (self->out, op, SONDE_VALUES (a));

  value->type = a->type;
  return value;
}

/* Size @i from the end; 1 where there is none. */
static SondeDimension
dimension_from_end (const SondeType *type, int i)
{
  return i < type->rank ? type->dims[type->rank - 1 - i] : (SondeDimension){ .size = 1 };
}

static SondeType
broadcast (const SondeType *a, const SondeType *b)
{
  SondeType type = *a;

  type.rank = a->rank < 0 || b->rank < 0 ? -1 : MAX (a->rank, b->rank);
  for (int i = 0; i < type.rank; i++)
    {
      SondeDimension x = dimension_from_end (a, i), y = dimension_from_end (b, i);

      type.dims[type.rank - 1 - i] = x.size == 1 || (x.size < 0 && y.size > 1) ? y : x;
    }
  return type;
}

SondeGraphValue *
sonde_keras_op2 (SondeKerasLowering *self, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *value = sonde_lowering_op (self->out, op, SONDE_VALUES (a, b));

  value->type = broadcast (&a->type, &b->type);
  return value;
}

SondeGraphValue *
sonde_keras_scalar (SondeKerasLowering *self, const SondeGraphValue *like, double number)
{
  SondeDtype dtype = like->type.dtype != SONDE_DTYPE_INVALID ? like->type.dtype : SONDE_DTYPE_F32;

  return sonde_lowering_number (self->out, dtype, number);
}

SondeGraphValue *
sonde_keras_to_first (SondeKerasLowering *self, SondeGraphValue *value)
{
  return sonde_keras_is_last (self) ? sonde_lowering_channels_first (self->out, value) : value;
}

SondeGraphValue *
sonde_keras_from_first (SondeKerasLowering *self, SondeGraphValue *value)
{
  return sonde_keras_is_last (self) ? sonde_lowering_channels_last (self->out, value) : value;
}
