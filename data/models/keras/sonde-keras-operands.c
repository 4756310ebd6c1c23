/* SPDX-License-Identifier: Apache-2.0
 * Parameters and operands of operators on tensors. */
#include "data/models/keras/sonde-keras-operands.h"

#include <string.h>

#include "data/models/lowering/sonde-lowering-types.h"

#define MAX_NUMBERS (1 << 20)

/* ---- which one ----------------------------------------------------------- */

static gboolean
is_of_keras_3 (const SondeKerasLayer *layer)
{
  const char *module = sonde_json_member_text (layer->json, "module");

  return module != NULL && g_str_has_prefix (module, "keras.src.ops");
}

/* (nullable): "math.add" of a TFOpLambda or SlicingOpLambda */
static const char *
find_function (const SondeKerasLayer *layer)
{
  return g_str_has_suffix (layer->class_name, "OpLambda")
             ? sonde_json_member_text (layer->config, "function")
             : NULL;
}

const SondeKerasOperator *
sonde_keras_find_operator (const SondeKerasLayer *layer)
{
  const SondeKerasOperator *const lists[]
      = { sonde_keras_math_operators, sonde_keras_shape_operators };
  const char *class_name = is_of_keras_3 (layer) ? layer->class_name : "";
  const char *function = find_function (layer);

  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    for (const SondeKerasOperator *row = lists[i]; row->class_name || row->function; row++)
      if (g_strcmp0 (row->class_name, class_name) == 0
          || (function != NULL && g_strcmp0 (row->function, function) == 0))
        return row;
  return NULL;
}

/* ---- parameters ---------------------------------------------------------- */

JsonNode *
sonde_keras_param (SondeKerasLowering *self, int position, const char *name)
{
  JsonNode *node = sonde_keras_arg (self, position, name);

  if (node == NULL)
    node = json_object_get_member (self->config, name);
  return node == NULL || JSON_NODE_HOLDS_NULL (node) ? NULL : node;
}

static gboolean
is_number (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
         && (json_node_get_value_type (node) == G_TYPE_INT64
             || json_node_get_value_type (node) == G_TYPE_DOUBLE);
}

gint64
sonde_keras_param_int (SondeKerasLowering *self, int position, const char *name, gint64 fallback)
{
  JsonNode *node = sonde_keras_param (self, position, name);

  return is_number (node) ? json_node_get_int (node) : fallback;
}

gboolean
sonde_keras_param_bool (SondeKerasLowering *self, int position, const char *name, gboolean fallback)
{
  JsonNode *node = sonde_keras_param (self, position, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_BOOLEAN
             ? json_node_get_boolean (node)
             : fallback;
}

int
sonde_keras_param_ints (SondeKerasLowering *self, int position, const char *name, gint64 *values)
{
  JsonNode *node = sonde_keras_param (self, position, name);
  JsonArray *list
      = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  guint n = sonde_json_member_count (list);

  if (is_number (node))
    {
      values[0] = json_node_get_int (node);
      return 1;
    }
  if (list == NULL || n > SONDE_MAX_RANK)
    return -1;
  for (guint i = 0; i < n; i++)
    {
      if (!is_number (json_array_get_element (list, i)))
        return -1;
      values[i] = json_array_get_int_element (list, i);
    }
  return (int) n;
}

/* ---- operands ------------------------------------------------------------ */

/* Sizes of nested lists, as far as the first elements say. */
static void
measure (JsonNode *node, SondeShape *shape)
{
  shape->rank = 0;
  while (JSON_NODE_HOLDS_ARRAY (node) && shape->rank < SONDE_MAX_RANK)
    {
      JsonArray *list = json_node_get_array (node);

      shape->dims[shape->rank++] = json_array_get_length (list);
      if (json_array_get_length (list) == 0)
        return;
      node = json_array_get_element (list, 0);
    }
}

/* FALSE: lists of different lengths, or something else than numbers */
static gboolean
fill (JsonNode *node, SondeTensor *tensor, int level, gint64 *at)
{
  double number = 0;

  if (level < tensor->shape.rank)
    {
      JsonArray *list = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

      if (list == NULL || json_array_get_length (list) != tensor->shape.dims[level])
        return FALSE;
      for (guint i = 0; i < json_array_get_length (list); i++)
        if (!fill (json_array_get_element (list, i), tensor, level + 1, at))
          return FALSE;
      return TRUE;
    }
  if (JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    number = json_node_get_boolean (node) ? 1 : 0;
  else if (!sonde_json_member_number (node, &number))
    return FALSE;
  sonde_tensor_set_double (tensor, (*at)++, number);
  return TRUE;
}

static SondeGraphValue *
make_constant (SondeKerasLowering *self, JsonNode *node, const char *name, SondeDtype dtype)
{
  g_autofree char *full = g_strdup_printf ("%s%s.%s", self->scope, self->layer->name, name);
  g_autoptr (SondeTensor) tensor = NULL;
  SondeShape shape;
  gint64 at = 0;

  measure (node, &shape);
  if (sonde_shape_n_elements (&shape) < 0 || sonde_shape_n_elements (&shape) > MAX_NUMBERS)
    return NULL;
  tensor = sonde_tensor_new (dtype, &shape);
  return fill (node, tensor, 0, &at) ? sonde_lowering_constant (self->out, full, tensor) : NULL;
}

/* ["_CONSTANT_VALUE", -1, 2.0, …], as Keras 2 puts a number in front */
static JsonNode *
unwrap (JsonNode *node)
{
  JsonArray *list = JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  JsonNode *first = sonde_json_member_count (list) >= 3 ? json_array_get_element (list, 0) : NULL;

  return first != NULL && JSON_NODE_HOLDS_VALUE (first)
                 && g_strcmp0 (json_node_get_string (first), "_CONSTANT_VALUE") == 0
             ? json_array_get_element (list, 2)
             : node;
}

SondeGraphValue *
sonde_keras_operand (SondeKerasLowering *self, int position, const char *name, SondeDtype dtype)
{
  JsonNode *node = sonde_keras_param (self, position, name);
  SondeKerasRef ref;

  if (node == NULL)
    return NULL;
  if (sonde_keras_net_read_ref (node, &ref))
    return sonde_keras_arg_tensor (self, position, name);
  return make_constant (self, unwrap (node), name, dtype);
}

void
sonde_keras_set_inferred (SondeKerasLowering *self, guint index, SondeGraphValue *value)
{
  sonde_lowering_infer (self->out, value);
  sonde_keras_set_out (self, index, value);
}
