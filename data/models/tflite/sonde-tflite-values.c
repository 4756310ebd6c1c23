/* SPDX-License-Identifier: Apache-2.0
 * What the tensors of a subgraph are called, and what they hold. */
#include "data/models/tflite/sonde-tflite-lower-private.h"

/* ---- names and types ----------------------------------------------------- */

char *
sonde_tflite_take_name (GHashTable *taken, const char *name, guint index)
{
  char *unique = *name != '\0' ? g_strdup (name) : g_strdup_printf ("tensor_%u", index);

  if (g_hash_table_contains (taken, unique))
    {
      g_free (unique);
      unique = g_strdup_printf ("%s:%u", *name != '\0' ? name : "tensor", index);
    }
  while (g_hash_table_contains (taken, unique))
    {
      char *longer = g_strconcat (unique, "_", NULL);

      g_free (unique);
      unique = longer;
    }
  g_hash_table_add (taken, g_strdup (unique));
  return unique;
}

void
sonde_tflite_take_names (SondeTfliteLower *lower)
{
  for (guint i = 0; i < lower->graph->n_tensors; i++)
    if (lower->names[i] == NULL)
      lower->names[i] = sonde_tflite_take_name (lower->taken, lower->graph->tensors[i].name, i);
}

SondeType
sonde_tflite_type_of_tensor (const SondeTfliteTensor *tensor)
{
  SondeType type = { .kind = SONDE_VALUE_TENSOR, .dtype = tensor->dtype };

  type.rank = tensor->has_shape || tensor->is_variable ? tensor->signature.rank : -1;
  for (int i = 0; i < type.rank; i++)
    type.dims[i].size = tensor->signature.dims[i];
  return type;
}

/* ---- values -------------------------------------------------------------- */

static SondeGraphValue *
add_constant (SondeTfliteLower *lower, guint index)
{
  const SondeTfliteTensor *tensor = &lower->graph->tensors[index];
  g_autoptr (SondeTensor) constant = NULL;
  GError *error = NULL;

  if (tensor->data != NULL)
    constant = sonde_tflite_file_dup_constant (lower->file, tensor, &error);
  else if (tensor->dtype != SONDE_DTYPE_INVALID)
    constant = sonde_tensor_try_new (tensor->dtype, &tensor->shape, NULL, tensor->name, &error);
  else
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_UNSUPPORTED,
                         "tensor “%s” has a type that is not supported here", tensor->name);
  if (constant != NULL)
    return sonde_lowering_constant (lower->to, lower->names[index], constant);
  if (error != NULL)
    sonde_lowering_take_error (lower->to, error);
  return sonde_lowering_int (lower->to, 0);
}

/* Empty constants have no bytes; variables are zero at the start. */
static gboolean
is_constant (const SondeTfliteTensor *tensor)
{
  return tensor->data != NULL || tensor->is_variable
         || sonde_shape_n_elements (&tensor->shape) == 0;
}

SondeGraphValue *
sonde_tflite_value (SondeTfliteLower *lower, guint index)
{
  const SondeTfliteTensor *tensor = &lower->graph->tensors[index];

  if (lower->values[index] != NULL)
    return lower->values[index];
  if (is_constant (tensor))
    return lower->values[index] = add_constant (lower, index);
  sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                       "tensor %u (“%s”) is read before anything makes it", index, tensor->name);
  return sonde_lowering_int (lower->to, 0);
}

void
sonde_tflite_set_value (SondeTfliteLower *lower, guint index, SondeGraphValue *value)
{
  const SondeTfliteTensor *tensor = &lower->graph->tensors[index];

  if (lower->values[index] != NULL && !tensor->is_variable)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                           "tensor %u (“%s”) is made more than once", index, tensor->name);
      return;
    }
  if (value->constant == NULL)
    value->type = sonde_tflite_type_of_tensor (tensor);
  value = sonde_lowering_name (lower->to, value, lower->names[index]);
  if (value->constant == NULL)
    value->type = sonde_tflite_type_of_tensor (tensor);
  lower->values[index] = value;
}

void
sonde_tflite_add_body_output (SondeTfliteLower *lower, SondeGraphValue *value, const char *kind)
{
  g_autofree char *name = sonde_tflite_take_name (
      lower->taken, kind, sonde_lowering_get_graph (lower->to)->outputs->len);

  sonde_lowering_add_output (lower->to, value, name);
}
