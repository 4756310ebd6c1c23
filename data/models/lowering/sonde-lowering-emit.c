/* SPDX-License-Identifier: Apache-2.0
 * Nodes, constants and names of a conversion. */
#include "data/models/lowering/sonde-lowering-private.h"

/* ---- values of enclosing graphs ------------------------------------------ */

gboolean
sonde_lowering_owns (const SondeLowering *lowering, const SondeGraphValue *value)
{
  const SondeGraph *graph = lowering->graphs->pdata[lowering->graphs->len - 1];

  return value->id < graph->values->len && graph->values->pdata[value->id] == value;
}

SondeGraphValue *
sonde_lowering_reach (SondeLowering *lowering, SondeGraphValue *value)
{
  if (value == NULL || sonde_lowering_owns (lowering, value))
    return value;
  return sonde_graph_capture_value (sonde_lowering_get_graph (lowering), value->name);
}

/* ---- nodes --------------------------------------------------------------- */

/* Gives @node its place in the source. @inserted: it is none of what the source says. */
static void
add_provenance (SondeLowering *lowering, SondeNode *node, gboolean inserted)
{
  SondeOpenSource *open = sonde_lowering_get_open (lowering);

  node->origin_kind = inserted ? SONDE_ORIGIN_INSERTED : SONDE_ORIGIN_SOURCE;
  if (open == NULL)
    return;
  sonde_node_set_source (node, open->node->name, open->node->op, open->place);
  node->scope = open->scope;
  if (!inserted)
    g_ptr_array_add (open->node->to, node);
}

/* (transfer full) (nullable): the name of the node to be made, see sonde_lowering_begin() */
static char *
dup_node_name (SondeLowering *lowering, const char *op, gboolean inserted)
{
  const SondeOpenSource *open = sonde_lowering_get_open (lowering);

  if (open == NULL)
    return NULL;
  if (!inserted && open->node->to->len == 0)
    return g_strdup (open->node->name);
  return g_strdup_printf ("%s.%s", open->node->name, op);
}

static SondeNode *
add_node (SondeLowering *lowering, const char *domain, const char *op,
          SondeGraphValue *const *inputs, guint n_inputs, guint n_outputs, gboolean inserted)
{
  g_autofree char *name = dup_node_name (lowering, op, inserted);
  g_autofree SondeGraphValue **reached = g_new (SondeGraphValue *, MAX (n_inputs, 1));
  SondeNode *node = NULL;

  for (guint i = 0; i < n_inputs; i++)
    reached[i] = sonde_lowering_reach (lowering, inputs[i]);
  node = sonde_graph_add_node (sonde_lowering_get_graph (lowering), name, domain, op, reached,
                               n_inputs, n_outputs);
  add_provenance (lowering, node, inserted);
  return node;
}

SondeNode *
sonde_lowering_node (SondeLowering *lowering, const char *domain, const char *op,
                     SondeGraphValue *const *inputs, guint n_inputs, guint n_outputs)
{
  return add_node (lowering, domain, op, inputs, n_inputs, n_outputs, FALSE);
}

SondeGraphValue *
sonde_lowering_op (SondeLowering *lowering, const char *op, SondeGraphValue *const *inputs,
                   guint n_inputs)
{
  return sonde_node_get_output (add_node (lowering, "", op, inputs, n_inputs, 1, FALSE), 0);
}

SondeGraphValue *
sonde_lowering_insert (SondeLowering *lowering, const char *op, SondeGraphValue *value)
{
  return sonde_node_get_output (add_node (lowering, "", op, SONDE_VALUES (value), 1, TRUE), 0);
}

SondeNode *
sonde_lowering_refuse (SondeLowering *lowering, SondeGraphValue *const *inputs, guint n_inputs,
                       guint n_outputs, SondeMessage *what, SondeMessage *advice)
{
  const SondeOpenSource *open = sonde_lowering_get_open (lowering);

  g_return_val_if_fail (open != NULL, NULL);

  sonde_lowering_note (lowering, SONDE_NOTE_ERROR, what, advice);
  sonde_lowering_mark (lowering, SONDE_LOWERED_UNSUPPORTED);
  return sonde_lowering_node (lowering, SONDE_DOMAIN_UNCONVERTED, open->node->op, inputs, n_inputs,
                              n_outputs);
}

/* ---- constants ----------------------------------------------------------- */

SondeGraphValue *
sonde_lowering_constant (SondeLowering *lowering, const char *name, SondeTensor *tensor)
{
  SondeGraphValue *value = sonde_graph_add_initialiser (sonde_lowering_get_graph (lowering), name,
                                                        tensor, SONDE_ROLE_CONSTANT);

  g_hash_table_add (lowering->named, value);
  return value;
}

/* (transfer full) @tensor */
static SondeGraphValue *
take_constant (SondeLowering *lowering, const char *kind, SondeTensor *tensor)
{
  const SondeOpenSource *open = sonde_lowering_get_open (lowering);
  g_autofree char *name
      = open != NULL ? g_strdup_printf ("%s.%s", open->node->name, kind) : g_strdup (kind);
  SondeGraphValue *value = sonde_lowering_constant (lowering, name, tensor);

  sonde_tensor_unref (tensor);
  return value;
}

SondeGraphValue *
sonde_lowering_ints (SondeLowering *lowering, const gint64 *values, gsize n)
{
  const SondeShape shape = { .rank = 1, .dims = { (gint64) n } };

  return take_constant (lowering, "ints",
                        sonde_tensor_new_from_data (SONDE_DTYPE_I64, &shape, values));
}

SondeGraphValue *
sonde_lowering_int (SondeLowering *lowering, gint64 value)
{
  return take_constant (lowering, "int", sonde_tensor_new_i64 (value));
}

SondeGraphValue *
sonde_lowering_number (SondeLowering *lowering, SondeDtype dtype, double value)
{
  const SondeShape scalar = { .rank = 0 };
  SondeTensor *tensor = sonde_tensor_new (dtype, &scalar);

  sonde_tensor_set_double (tensor, 0, value);
  return take_constant (lowering, "number", tensor);
}

const SondeTensor *
sonde_lowering_get_constant (const SondeGraphValue *value)
{
  return value != NULL && value->constant != NULL ? sonde_value_get_tensor (value->constant) : NULL;
}

/* ---- names --------------------------------------------------------------- */

SondeGraphValue *
sonde_lowering_name (SondeLowering *lowering, SondeGraphValue *value, const char *name)
{
  SondeGraph *graph = sonde_lowering_get_graph (lowering);

  if (!sonde_lowering_owns (lowering, value) || g_hash_table_contains (lowering->named, value))
    {
      const SondeType type = value->type;

      value = sonde_lowering_insert (lowering, "Identity", value);
      value->type = type;
    }
  if (!sonde_graph_rename_value (graph, value, name))
    sonde_lowering_fail (lowering, SONDE_DATA_ERROR_DAMAGED, "two values are called “%s”", name);
  g_hash_table_add (lowering->named, value);
  return value;
}
