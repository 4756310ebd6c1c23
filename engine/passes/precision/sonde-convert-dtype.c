/* SPDX-License-Identifier: Apache-2.0
 * Values of a graph in another element type, made where a pass wants them. */
#include "engine/passes/sonde-passes-private.h"

gboolean
sonde_convert_dtype_is_uniform (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  return klass != NULL && klass->typing == SONDE_TYPING_UNIFORM;
}

void
sonde_convert_dtype_init (SondeDtypeConversion *retype, SondeGraph *graph, SondeDtype to)
{
  *retype
      = (SondeDtypeConversion){ .graph = graph, .to = to, .twins = g_hash_table_new (NULL, NULL) };
}

void
sonde_convert_dtype_clear (SondeDtypeConversion *retype)
{
  g_clear_pointer (&retype->twins, g_hash_table_unref);
}

static SondeNode *
add_cast (SondeDtypeConversion *retype, const char *name, SondeGraphValue *from, SondeDtype to,
          guint n_outputs)
{
  SondeNode *cast = sonde_graph_add_node (retype->graph, name, "", "Cast", &from, 1, n_outputs);

  cast->origin_kind = SONDE_ORIGIN_INSERTED;
  sonde_node_set_int (cast, "to", sonde_dtype_to_onnx (to));
  return cast;
}

static char *
twin_name (const SondeDtypeConversion *retype, const SondeGraphValue *value)
{
  return g_strdup_printf ("%s_%s", value->name, sonde_dtype_name (retype->to));
}

static SondeGraphValue *
make_twin (SondeDtypeConversion *retype, SondeGraphValue *value)
{
  gboolean learns = retype->parameters_change
                    && (value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_STATE);
  gboolean fixed = value->producer == NULL && value->constant != NULL
                   && value->role != SONDE_ROLE_INPUT && !learns;
  SondeTensor *tensor = fixed ? sonde_value_get_tensor (value->constant) : NULL;
  g_autofree char *name = twin_name (retype, value);
  SondeGraphValue *twin;

  if (tensor != NULL)
    {
      g_autoptr (SondeTensor) converted = sonde_tensor_cast (tensor, retype->to);

      return sonde_graph_add_initialiser (retype->graph, name, converted, SONDE_ROLE_CONSTANT);
    }

  twin = sonde_node_get_output (add_cast (retype, name, value, retype->to, 1), 0);
  twin->type = value->type;
  twin->type.dtype = retype->to;
  return twin;
}

gboolean
sonde_convert_dtype_has (const SondeDtypeConversion *retype, const SondeGraphValue *value)
{
  return g_hash_table_contains (retype->twins, value);
}

void
sonde_convert_dtype_input (SondeDtypeConversion *retype, SondeNode *node, guint k)
{
  SondeGraphValue *value = sonde_node_get_input (node, k);
  SondeGraphValue *twin = g_hash_table_lookup (retype->twins, value);

  if (twin == NULL)
    {
      twin = make_twin (retype, value);
      g_hash_table_insert (retype->twins, value, twin);
    }
  sonde_node_set_input (retype->graph, node, k, twin);
}

void
sonde_convert_dtype_output (SondeDtypeConversion *retype, SondeNode *node, guint k)
{
  SondeGraphValue *value = sonde_legalise_take_output (retype->graph, node, k), *twin;
  g_autofree char *name = twin_name (retype, value);
  SondeType type = value->type;

  type.dtype = retype->to;
  twin = sonde_graph_add_value (retype->graph, name, &type);
  sonde_node_set_output (retype->graph, node, k, twin);
  sonde_node_set_output (retype->graph, add_cast (retype, name, twin, value->type.dtype, 0), 0,
                         value);
  g_hash_table_insert (retype->twins, value, twin);
}
