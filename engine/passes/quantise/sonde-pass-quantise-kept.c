/* SPDX-License-Identifier: Apache-2.0
 * Convolutions of dequantised values in integers although the floats around them are wanted: a
 * convolution gets DequantizeLinear nodes of its own, of its data and its weights, whose results
 * nobody else reads. Devices run the three as one, from integers to floats; those that do not
 * compute the same floats as before. */
#include "engine/passes/quantise/sonde-quantise-private.h"

static gboolean
suits (const SondeNode *conv, const SondeTensor *q)
{
  return q->dtype == SONDE_DTYPE_I8 && q->shape.rank == 4
         && q->shape.dims[0] >= SONDE_QUANTISE_FEWEST && sonde_node_get_int (conv, "group", 1) == 1;
}

/* One scale or one for each output channel, and nothing but zeros as zero points. */
static gboolean
is_symmetric (const SondeNode *weights)
{
  SondeTensor *q = sonde_quantise_constant (sonde_node_get_input (weights, 0));
  SondeTensor *scale = sonde_quantise_constant (sonde_node_get_input (weights, 1));
  SondeTensor *zero = sonde_quantise_constant (sonde_node_get_input (weights, 2));

  for (gint64 i = 0; zero != NULL && i < sonde_tensor_n_elements (zero); i++)
    if (sonde_tensor_get_int (zero, i) != 0)
      return FALSE;

  return scale->dtype == SONDE_DTYPE_F32
         && (sonde_tensor_n_elements (scale) == 1
             || (sonde_node_get_int (weights, "axis", 1) == 0 && scale->shape.rank == 1
                 && sonde_tensor_n_elements (scale) == q->shape.dims[0]));
}

/* The result of a node like @node on @inputs. */
static SondeGraphValue *
dequantise_again (SondeGraph *graph, const SondeNode *node, const SondeNode *reader,
                  SondeGraphValue *const *inputs, guint n_inputs)
{
  SondeNode *copy
      = sonde_graph_add_node (graph, reader->name, "", "DequantizeLinear", inputs, n_inputs, 1);

  copy->version = node->version;
  for (guint i = 0; i < node->attributes->len; i++)
    sonde_node_take_attribute (copy,
                               sonde_attribute_copy (g_ptr_array_index (node->attributes, i)));
  sonde_node_add_origin (copy, reader, SONDE_ORIGIN_INSERTED);
  return sonde_node_get_output (copy, 0);
}

static SondeGraphValue *
dequantise_weights (SondeGraph *graph, const SondeNode *weights, const SondeNode *reader)
{
  SondeGraphValue *inputs[3];
  guint n = MIN (weights->inputs->len, 3);

  for (guint i = 0; i < n; i++)
    {
      SondeTensor *tensor = sonde_quantise_constant (sonde_node_get_input (weights, i));

      inputs[i] = tensor != NULL ? sonde_graph_add_initialiser (
                      graph, sonde_node_get_input (weights, i)->name, tensor, SONDE_ROLE_CONSTANT)
                                 : NULL;
    }

  return dequantise_again (graph, weights, reader, inputs, n);
}

static void
drop_unread (SondeGraph *graph, GHashTable *kept, SondeGraphValue *value)
{
  if (value->users->len > 0 || (value->captures != NULL && value->captures->len > 0)
      || g_ptr_array_find (graph->outputs, value, NULL)
      || g_hash_table_contains (kept, value->name))
    return;

  if (value->producer != NULL)
    sonde_graph_remove_node (graph, value->producer);
  sonde_graph_remove_value (graph, value);
}

static void
take_integers (SondeGraph *graph, const SondeGraph *original, GHashTable *kept, SondeNode *conv)
{
  SondeGraphValue *x = sonde_node_get_input (conv, 0), *w = sonde_node_get_input (conv, 1);
  SondeNode *weights = x != NULL && w != NULL ? sonde_quantise_find_weights (original, w) : NULL;
  SondeNode *data = weights != NULL && sonde_node_is (x->producer, SONDE_OP_ID_DEQUANTIZE_LINEAR)
                        ? x->producer
                        : NULL;
  SondeQuantised from;

  if (data == NULL || x == w || !sonde_quantise_read (data, sonde_node_get_input (data, 0), &from)
      || !suits (conv, sonde_quantise_constant (sonde_node_get_input (weights, 0)))
      || !is_symmetric (weights))
    return;

  sonde_node_set_input (graph, conv, 0,
                        dequantise_again (graph, data, conv,
                                          (SondeGraphValue *const *) data->inputs->pdata,
                                          data->inputs->len));
  sonde_node_set_input (graph, conv, 1, dequantise_weights (graph, weights, conv));
  drop_unread (graph, kept, x);
  drop_unread (graph, kept, w);
}

gboolean
sonde_pass_quantise_kept (SondeGraph *graph, const SondeGraph *original, const char *const *kept,
                          GError **error)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  if (order == NULL)
    return FALSE;

  for (; kept != NULL && *kept != NULL; kept++)
    g_hash_table_add (names, (gpointer) *kept);
  for (guint i = 0; i < order->len; i++)
    if (sonde_node_is (g_ptr_array_index (order, i), SONDE_OP_ID_CONV))
      take_integers (graph, original, names, g_ptr_array_index (order, i));
  return TRUE;
}
