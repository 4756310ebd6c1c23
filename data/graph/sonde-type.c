/* SPDX-License-Identifier: Apache-2.0
 * Types of values: kind, element type, sizes that may be symbols. What does not live here: rules
 * that infer types (engine/passes). */
#include "data/graph/sonde-graph.h"

#include <inttypes.h>

/* Indexed by SondeValueKind; tensors have no prefix. */
static const char *const kind_prefixes[] = {
  [SONDE_VALUE_NONE] = NULL,
  [SONDE_VALUE_TENSOR] = "",
  [SONDE_VALUE_SEQUENCE] = "sequence of ",
  [SONDE_VALUE_OPTIONAL] = "optional ",
  [SONDE_VALUE_MAP] = "map of ",
  [SONDE_VALUE_SPARSE] = "sparse ",
};

SondeType
sonde_type_unknown (void)
{
  return (SondeType){ .kind = SONDE_VALUE_NONE, .dtype = SONDE_DTYPE_INVALID, .rank = -1 };
}

SondeType
sonde_type_tensor (SondeDtype dtype, const SondeShape *shape)
{
  SondeType type = { .kind = SONDE_VALUE_TENSOR, .dtype = dtype, .rank = shape->rank };

  for (int i = 0; i < shape->rank; i++)
    type.dims[i].size = shape->dims[i];
  return type;
}

SondeType
sonde_type_of_value (const SondeValue *value)
{
  SondeType type = sonde_type_unknown ();
  SondeTensor *tensor = value ? sonde_value_get_tensor (value) : NULL;

  if (value == NULL)
    return type;
  if (tensor != NULL)
    return sonde_type_tensor (tensor->dtype, &tensor->shape);

  type.kind = sonde_value_get_kind (value);
  if (sonde_value_get_n_items (value) > 0)
    {
      /* Of a map: what its keys lead to. */
      tensor = sonde_value_get_tensor (
          sonde_value_get_item (value, type.kind == SONDE_VALUE_MAP ? 1 : 0));
      if (tensor != NULL)
        type.dtype = tensor->dtype;
    }
  return type;
}

gboolean
sonde_type_get_shape (const SondeType *type, SondeShape *shape)
{
  if (type->kind != SONDE_VALUE_TENSOR || type->rank < 0)
    return FALSE;

  shape->rank = type->rank;
  for (int i = 0; i < type->rank; i++)
    {
      if (type->dims[i].size < 0)
        return FALSE;
      shape->dims[i] = type->dims[i].size;
    }
  return TRUE;
}

char *
sonde_type_to_string (const SondeType *type)
{
  GString *text = NULL;

  if (type->kind == SONDE_VALUE_NONE)
    return g_strdup ("?");

  text = g_string_new (kind_prefixes[type->kind]);
  g_string_append (text, type->dtype == SONDE_DTYPE_INVALID ? "?" : sonde_dtype_name (type->dtype));
  if (type->rank == 0)
    g_string_append (text, " scalar");
  else if (type->rank > 0)
    g_string_append_c (text, ' ');
  else if (type->kind == SONDE_VALUE_TENSOR)
    g_string_append (text, " ?");

  for (int i = 0; i < type->rank; i++)
    {
      const SondeDimension *dim = &type->dims[i];

      if (i > 0)
        g_string_append (text, "×");
      if (dim->size >= 0)
        g_string_append_printf (text, "%" PRIi64, dim->size);
      else
        g_string_append (text, dim->symbol ? dim->symbol : "?");
    }
  return g_string_free (text, FALSE);
}
