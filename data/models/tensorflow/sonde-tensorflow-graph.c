/* SPDX-License-Identifier: Apache-2.0
 * A GraphDef alone, usually frozen: placeholders are its inputs, what nobody reads its outputs. */
#include "data/models/tensorflow/sonde-tensorflow-lower.h"
#include "data/models/tensorflow/sonde-tensorflow-ports.h"
#include "data/models/tensorflow/sonde-tensorflow.h"
#include "data/wire/sonde-wire-cursor.h"

#define MAX_BYTES ((guint64) G_MAXINT)

/* ---- rows ---------------------------------------------------------------- */

GHashTable *
sonde_tensorflow_list_rows (void)
{
  static const SondeTensorflowRow *const families[] = {
    sonde_tensorflow_elementwise_rows, sonde_tensorflow_arithmetic_rows,
    sonde_tensorflow_window_rows,      sonde_tensorflow_image_rows,
    sonde_tensorflow_matrix_rows,      sonde_tensorflow_reduce_rows,
    sonde_tensorflow_shape_rows,       sonde_tensorflow_slice_rows,
    sonde_tensorflow_join_rows,        sonde_tensorflow_index_rows,
    sonde_tensorflow_scatter_rows,     sonde_tensorflow_quantise_rows,
  };
  GHashTable *rows = g_hash_table_new (g_str_hash, g_str_equal);

  for (gsize i = 0; i < G_N_ELEMENTS (families); i++)
    for (const SondeTensorflowRow *row = families[i]; row->op != NULL; row++)
      g_assert (g_hash_table_insert (rows, (gpointer) row->op, (gpointer) row));
  return rows;
}

/* ---- inputs -------------------------------------------------------------- */

static gboolean
is_input (const Tensorflow__NodeDef *node)
{
  return g_str_equal (node->op, "Placeholder");
}

/* Inputs have their place in the results before anything is lowered. */
static void
add_input (SondeTensorflowLower *lower, guint number)
{
  const Tensorflow__NodeDef *node = lower->body->nodes[number];
  const Tensorflow__AttrValue *shape = sonde_tensorflow_attr (node, "shape");
  SondeType type = sonde_tensorflow_type (sonde_tensorflow_attr_dtype (node, "dtype"),
                                          shape != NULL ? shape->shape : NULL);
  SondeTensorflowResult *result = &lower->results[number];

  if (type.dtype == SONDE_DTYPE_INVALID)
    {
      const Tensorflow__AttrValue *dtype = sonde_tensorflow_attr (node, "dtype");

      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_UNSUPPORTED,
                           "input “%s” is of type %s, which nothing is calculated with", node->name,
                           sonde_tensorflow_dtype_name (dtype != NULL ? dtype->type : 0));
      return;
    }
  g_hash_table_add (lower->reserved, node->name);
  result->outputs = g_new0 (SondeGraphValue *, 1);
  result->n_outputs = 1;
  result->outputs[0] = sonde_lowering_add_input (lower->to, node->name, &type);
  result->state = SONDE_TENSORFLOW_MADE;
}

/* ---- outputs ------------------------------------------------------------- */

/* Names of nodes whose values another node reads. */
static GHashTable *
list_read (const SondeTensorflowBody *body)
{
  GHashTable *read = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (gsize i = 0; i < body->n_nodes; i++)
    for (gsize k = 0; k < body->nodes[i]->n_input; k++)
      {
        g_auto (SondeTensorflowReference) reference = { 0 };

        if (sonde_tensorflow_reference_init (&reference, body->nodes[i]->input[k])
            && !reference.control && !sonde_tensorflow_is_idle (body->nodes[i]))
          g_hash_table_add (read, g_steal_pointer (&reference.name));
      }
  return read;
}

static void
add_port (GPtrArray *ports, SondeTensorflowLower *lower, const char *name, SondeGraphValue *value)
{
  SondeConversionPort *port = g_new0 (SondeConversionPort, 1);

  port->name = g_strdup (name);
  if (sonde_lowering_find_channels_first (lower->to, value) != NULL)
    port->layout = value->type.rank == 4 ? "NHWC" : value->type.rank == 5 ? "NDHWC" : NULL;
  g_ptr_array_add (ports, port);
}

static void
add_outputs (SondeTensorflowLower *lower)
{
  SondeConversion *conversion = sonde_lowering_get_conversion (lower->to);
  g_autoptr (GHashTable) read = list_read (lower->body);

  for (guint i = 0; i < lower->body->n_nodes && !sonde_lowering_has_failed (lower->to); i++)
    {
      const Tensorflow__NodeDef *node = lower->body->nodes[i];
      SondeGraphValue *value;

      if (g_hash_table_contains (read, node->name) || sonde_tensorflow_is_idle (node)
          || is_input (node))
        continue;
      value = sonde_tensorflow_evaluate (lower, node->name);
      if (sonde_lowering_has_failed (lower->to))
        return;
      add_port (conversion->outputs, lower, node->name, value);
      sonde_lowering_add_output (lower->to, value, node->name);
    }
  if (sonde_lowering_get_graph (lower->to)->outputs->len == 0)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "the graph computes nothing");
}

/* ---- the graph ----------------------------------------------------------- */

static void
describe (SondeLowering *to, const SondeTensorflowFile *file)
{
  const Tensorflow__VersionDef *versions = file->graph->versions;

  if (versions != NULL && versions->has_producer)
    sonde_lowering_get_conversion (to)->format_version = g_strdup_printf ("%d", versions->producer);
}

void
sonde_tensorflow_lower_graph (SondeLowering *to, SondeTensorflowFile *file)
{
  g_autoptr (GHashTable) rows = sonde_tensorflow_list_rows ();
  g_autoptr (GHashTable) reserved = g_hash_table_new (g_str_hash, g_str_equal);
  guint nodes_left = SONDE_TENSORFLOW_MAX_NODES;
  SondeTensorflowLower lower
      = { .to = to, .file = file, .rows = rows, .reserved = reserved, .nodes_left = &nodes_left };

  describe (to, file);
  sonde_tensorflow_lower_init (&lower, NULL, &file->main, "");
  for (guint i = 0; i < file->main.n_nodes && !sonde_lowering_has_failed (to); i++)
    if (is_input (file->main.nodes[i]))
      add_input (&lower, i);
  if (!sonde_lowering_has_failed (to))
    add_outputs (&lower);
  for (guint i = 0; i < file->main.n_nodes && !sonde_lowering_has_failed (to); i++)
    if (is_input (file->main.nodes[i]))
      add_port (sonde_lowering_get_conversion (to)->inputs, &lower, file->main.nodes[i]->name,
                lower.results[i].outputs[0]);
  sonde_tensorflow_lower_clear (&lower);
}

/* ---- the file ------------------------------------------------------------ */

void
sonde_graphdef_read (SondeLowering *lowering, const SondeIo *io, const char *path)
{
  GError *error = NULL;
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, path, MAX_BYTES, &error);
  g_autoptr (SondeTensorflowFile) file
      = bytes != NULL ? sonde_tensorflow_file_parse (bytes, path, &error) : NULL;

  if (file == NULL)
    sonde_lowering_take_error (lowering, error);
  else
    sonde_tensorflow_lower_graph (lowering, file);
}

/* A node: a name, then an operator, which is a word. */
static gboolean
looks_like_node (const guint8 *data, gsize length)
{
  SondeWireCursor cursor = sonde_wire_cursor (data, length);
  SondeWireItem item;

  if (sonde_wire_next (&cursor, &item) != SONDE_WIRE_ITEM || item.number != 1
      || item.type != SONDE_WIRE_BYTES || item.length == 0)
    return FALSE;
  if (sonde_wire_next (&cursor, &item) != SONDE_WIRE_ITEM || item.number != 2
      || item.type != SONDE_WIRE_BYTES || item.length == 0)
    return FALSE;
  for (gsize i = 0; i < item.length; i++)
    if (!g_ascii_isalnum (item.bytes[i]) && item.bytes[i] != '_' && item.bytes[i] != '>')
      return FALSE;
  return TRUE;
}

gboolean
sonde_graphdef_sniff (const guint8 *start, gsize length)
{
  SondeWireCursor cursor = sonde_wire_cursor (start, length);
  guint64 key = 0, size = 0;

  if (!sonde_wire_take_key (&cursor, &key) || key != (1 << 3 | SONDE_WIRE_BYTES)
      || !sonde_wire_take_varint (&cursor, &size))
    return FALSE;
  return looks_like_node (cursor.at, MIN (size, (guint64) (cursor.end - cursor.at)));
}
