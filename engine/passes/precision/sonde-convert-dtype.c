/* SPDX-License-Identifier: Apache-2.0
 * Values of a graph in another element type, made where a pass wants them. */
#include "engine/passes/precision/sonde-convert-dtype.h"
#include "engine/passes/sonde-legalise.h"

gboolean
sonde_convert_dtype_is_uniform (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  return klass != NULL && klass->typing == SONDE_TYPING_UNIFORM;
}

void
sonde_convert_dtype_init (SondeDtypeConversion *conversion, SondeGraph *graph, SondeDtype to)
{
  *conversion = (SondeDtypeConversion){ .graph = graph,
                                        .to = to,
                                        .converted = g_hash_table_new (NULL, NULL) };
}

void
sonde_convert_dtype_clear (SondeDtypeConversion *conversion)
{
  g_clear_pointer (&conversion->converted, g_hash_table_unref);
}

static SondeNode *
add_cast (SondeDtypeConversion *conversion, const char *name, SondeGraphValue *from, SondeDtype to,
          guint n_outputs)
{
  SondeNode *cast = sonde_graph_add_node (conversion->graph, name, "", "Cast", &from, 1, n_outputs);

  cast->origin_kind = SONDE_ORIGIN_INSERTED;
  sonde_node_set_int (cast, "to", sonde_dtype_to_onnx (to));
  return cast;
}

static char *
converted_name (const SondeDtypeConversion *conversion, const SondeGraphValue *value)
{
  return g_strdup_printf ("%s_%s", value->name, sonde_dtype_name (conversion->to));
}

static SondeGraphValue *
make_converted (SondeDtypeConversion *conversion, SondeGraphValue *value)
{
  gboolean learns = conversion->parameters_change
                    && (value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_STATE);
  gboolean fixed = value->producer == NULL && value->constant != NULL
                   && value->role != SONDE_ROLE_INPUT && !learns;
  SondeTensor *tensor = fixed ? sonde_value_get_tensor (value->constant) : NULL;
  g_autofree char *name = converted_name (conversion, value);
  SondeGraphValue *converted;

  if (tensor != NULL)
    {
      g_autoptr (SondeTensor) cast = sonde_tensor_cast (tensor, conversion->to);

      return sonde_graph_add_initialiser (conversion->graph, name, cast, SONDE_ROLE_CONSTANT);
    }

  converted = sonde_node_get_output (add_cast (conversion, name, value, conversion->to, 1), 0);
  converted->type = value->type;
  converted->type.dtype = conversion->to;
  return converted;
}

gboolean
sonde_convert_dtype_has (const SondeDtypeConversion *conversion, const SondeGraphValue *value)
{
  return g_hash_table_contains (conversion->converted, value);
}

void
sonde_convert_dtype_input (SondeDtypeConversion *conversion, SondeNode *node, guint k)
{
  SondeGraphValue *value = sonde_node_get_input (node, k);
  SondeGraphValue *converted = g_hash_table_lookup (conversion->converted, value);

  if (converted == NULL)
    {
      converted = make_converted (conversion, value);
      g_hash_table_insert (conversion->converted, value, converted);
    }
  sonde_node_set_input (conversion->graph, node, k, converted);
}

void
sonde_convert_dtype_output (SondeDtypeConversion *conversion, SondeNode *node, guint k)
{
  SondeGraphValue *value = sonde_legalise_take_output (conversion->graph, node, k), *converted;
  g_autofree char *name = converted_name (conversion, value);
  SondeType type = value->type;

  type.dtype = conversion->to;
  converted = sonde_graph_add_value (conversion->graph, name, &type);
  sonde_node_set_output (conversion->graph, node, k, converted);
  sonde_node_set_output (conversion->graph,
                         add_cast (conversion, name, converted, value->type.dtype, 0), 0, value);
  g_hash_table_insert (conversion->converted, value, converted);
}
