/* SPDX-License-Identifier: Apache-2.0
 * A GraphDef alone, usually frozen: placeholders are its inputs, what nobody reads its outputs. */
#include "data/models/tensorflow/sonde-tensorflow-lower.h"
#include "data/models/tensorflow/sonde-tensorflow-ports.h"
#include "data/models/tensorflow/sonde-tensorflow.h"
#include "data/wire/sonde-wire-cursor.h"

#define MAX_BYTES ((guint64) G_MAXINT)

/* ---- inputs -------------------------------------------------------------- */

static gboolean
is_input (const Tensorflow__NodeDef *node)
{
  return g_str_equal (node->op, "Placeholder");
}

static void
add_inputs (SondeTensorflowLower *lower, gconstpointer data)
{
  for (guint i = 0; i < lower->body->n_nodes && !sonde_lowering_has_failed (lower->to); i++)
    {
      const Tensorflow__NodeDef *node = lower->body->nodes[i];

      if (is_input (node))
        {
          const SondeType type = sonde_tensorflow_type_of_placeholder (node);

          sonde_tensorflow_add_input (lower, i, node->name, &type);
        }
    }
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
add_outputs (SondeTensorflowLower *lower, gconstpointer data)
{
  g_autoptr (GHashTable) read = list_read (lower->body);

  for (guint i = 0; i < lower->body->n_nodes && !sonde_lowering_has_failed (lower->to); i++)
    {
      const Tensorflow__NodeDef *node = lower->body->nodes[i];

      if (!g_hash_table_contains (read, node->name) && !sonde_tensorflow_is_idle (node)
          && !is_input (node))
        sonde_tensorflow_add_output (lower, sonde_tensorflow_evaluate (lower, node->name),
                                     node->name);
    }
}

static void
describe (SondeLowering *to, const SondeTensorflowFile *file)
{
  const Tensorflow__VersionDef *versions = file->graph->versions;

  if (versions != NULL && versions->has_producer)
    sonde_lowering_get_conversion (to)->format_version = g_strdup_printf ("%d", versions->producer);
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
    {
      sonde_lowering_take_error (lowering, error);
      return;
    }
  describe (lowering, file);
  sonde_tensorflow_lower_model (lowering, file, add_inputs, add_outputs, NULL);
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
