/* SPDX-License-Identifier: Apache-2.0
 * A graph as a whole: the rows of all families, inputs and outputs with their layouts. */
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

/* ---- rows ---------------------------------------------------------------- */

static GHashTable *
list_rows (void)
{
  static const SondeTensorflowRow *const families[] = {
    sonde_tensorflow_elementwise_rows, sonde_tensorflow_arithmetic_rows,
    sonde_tensorflow_window_rows,      sonde_tensorflow_image_rows,
    sonde_tensorflow_matrix_rows,      sonde_tensorflow_reduce_rows,
    sonde_tensorflow_shape_rows,       sonde_tensorflow_slice_rows,
    sonde_tensorflow_join_rows,        sonde_tensorflow_index_rows,
    sonde_tensorflow_scatter_rows,     sonde_tensorflow_quantise_rows,
    sonde_tensorflow_function_rows,    sonde_tensorflow_variable_rows,
    sonde_tensorflow_flow_rows,        sonde_tensorflow_list_rows,
  };
  GHashTable *rows = g_hash_table_new (g_str_hash, g_str_equal);

  for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
    for (const SondeTensorflowRow *row = families[i]; row->op != NULL; row++)
      g_hash_table_insert (rows, (gpointer) row->op, (gpointer) row);
  return rows;
}

/* ---- inputs and outputs -------------------------------------------------- */

static SondeConversionPort *
add_port (GPtrArray *ports, const char *name)
{
  SondeConversionPort *port = g_new0 (SondeConversionPort, 1);

  port->name = g_strdup (name);
  g_ptr_array_add (ports, port);
  return port;
}

/* Where something took it with channels first, it had them last. */
static void
set_layout (SondeTensorflowLower *lower, SondeConversionPort *port, SondeGraphValue *value)
{
  if (sonde_lowering_find_channels_first (lower->to, value) != NULL)
    port->layout = value->type.rank == 4 ? "NHWC" : value->type.rank == 5 ? "NDHWC" : NULL;
}

/* It has its place in the results before anything is lowered. */
void
sonde_tensorflow_add_input (SondeTensorflowLower *lower, guint number, const char *name,
                            const SondeType *type)
{
  SondeTensorflowResult *result = &lower->results[number];

  if (type->dtype == SONDE_DTYPE_INVALID)
    {
      const Tensorflow__AttrValue *dtype
          = sonde_tensorflow_attr (lower->body->nodes[number], "dtype");

      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_UNSUPPORTED,
                           "input “%s” is of type %s, which nothing is calculated with", name,
                           sonde_tensorflow_dtype_name (dtype != NULL ? dtype->type : 0));
      return;
    }
  if (result->state == SONDE_TENSORFLOW_MADE)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "node “%s” is an input twice",
                           lower->body->nodes[number]->name);
      return;
    }
  result->outputs = g_new0 (SondeGraphValue *, 1);
  result->n_outputs = 1;
  result->outputs[0] = sonde_lowering_add_input (lower->to, name, type);
  result->state = SONDE_TENSORFLOW_MADE;
  g_hash_table_add (lower->reserved, result->outputs[0]->name);
  add_port (sonde_lowering_get_conversion (lower->to)->inputs, name);
}

void
sonde_tensorflow_add_output (SondeTensorflowLower *lower, SondeGraphValue *value, const char *name)
{
  SondeConversion *conversion = sonde_lowering_get_conversion (lower->to);

  if (sonde_lowering_has_failed (lower->to))
    return;
  set_layout (lower, add_port (conversion->outputs, name), value);
  sonde_lowering_add_output (lower->to, value, name);
}

/* Only now is known what took them. */
static void
set_input_layouts (SondeTensorflowLower *lower)
{
  const SondeConversion *conversion = sonde_lowering_get_conversion (lower->to);
  const SondeGraph *graph = sonde_lowering_get_graph (lower->to);

  for (guint i = 0; i < graph->inputs->len; i++)
    set_layout (lower, conversion->inputs->pdata[i], graph->inputs->pdata[i]);
}

/* ---- all ----------------------------------------------------------------- */

void
sonde_tensorflow_lower_model (SondeLowering *to, SondeTensorflowFile *file,
                              SondeTensorflowEdges add_inputs, SondeTensorflowEdges add_outputs,
                              gconstpointer data)
{
  g_autoptr (GHashTable) rows = list_rows ();
  g_autoptr (GHashTable) reserved = g_hash_table_new (g_str_hash, g_str_equal);
  guint nodes_left = SONDE_TENSORFLOW_MAX_NODES;
  SondeTensorflowLower lower
      = { .to = to, .file = file, .rows = rows, .reserved = reserved, .nodes_left = &nodes_left };

  sonde_tensorflow_lower_init (&lower, NULL, &file->main, "");
  add_inputs (&lower, data);
  if (!sonde_lowering_has_failed (to))
    add_outputs (&lower, data);
  if (!sonde_lowering_has_failed (to) && sonde_lowering_get_graph (to)->outputs->len == 0)
    sonde_lowering_fail (to, SONDE_DATA_ERROR_DAMAGED, "the graph computes nothing");
  if (!sonde_lowering_has_failed (to))
    set_input_layouts (&lower);
  sonde_tensorflow_lower_clear (&lower);
}
