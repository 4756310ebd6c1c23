/* SPDX-License-Identifier: Apache-2.0
 * The report of a conversion. */
#include "data/models/lowering/sonde-conversion.h"

#include "data/base/sonde-error.h"

#define OPERATORS_TOLD 24

const char *
sonde_lowered_how_name (SondeLoweredHow how)
{
  static const char *const names[] = {
    [SONDE_LOWERED_UNSUPPORTED] = "unsupported", [SONDE_LOWERED_APPROXIMATE] = "approximate",
    [SONDE_LOWERED_DECOMPOSED] = "decomposed",   [SONDE_LOWERED_DIRECT] = "direct",
    [SONDE_LOWERED_FOLDED] = "folded",           [SONDE_LOWERED_DROPPED] = "dropped",
  };

  return names[how];
}

/* ---- life ---------------------------------------------------------------- */

static void
free_node (SondeConvertedNode *node)
{
  g_free (node->name);
  g_free (node->op);
  g_ptr_array_unref (node->to);
  g_free (node);
}

static void
free_note (SondeConversionNote *note)
{
  g_free (note->where);
  g_free (note->op);
  sonde_message_free (note->what);
  sonde_message_free (note->advice);
  g_free (note);
}

static void
free_port (SondeConversionPort *port)
{
  g_free (port->name);
  g_free (port->scales);
  g_free (port->zero_points);
  g_free (port);
}

SondeConversion *
sonde_conversion_new (const char *format)
{
  SondeConversion *conversion = g_new0 (SondeConversion, 1);

  conversion->format = format;
  conversion->signatures = g_ptr_array_new_with_free_func (g_free);
  conversion->nodes = g_ptr_array_new_with_free_func ((GDestroyNotify) free_node);
  conversion->notes = g_ptr_array_new_with_free_func ((GDestroyNotify) free_note);
  conversion->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) free_port);
  conversion->outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) free_port);
  return conversion;
}

void
sonde_conversion_free (SondeConversion *conversion)
{
  if (conversion == NULL)
    return;
  g_free (conversion->format_version);
  g_free (conversion->producer);
  g_free (conversion->signature);
  g_ptr_array_unref (conversion->signatures);
  g_ptr_array_unref (conversion->nodes);
  g_ptr_array_unref (conversion->notes);
  g_ptr_array_unref (conversion->inputs);
  g_ptr_array_unref (conversion->outputs);
  g_free (conversion);
}

/* ---- what is missing ----------------------------------------------------- */

static gboolean
is_missing (const SondeConvertedNode *node)
{
  return node->how == SONDE_LOWERED_UNSUPPORTED;
}

gboolean
sonde_conversion_is_complete (const SondeConversion *conversion)
{
  for (guint i = 0; i < conversion->nodes->len; i++)
    if (is_missing (conversion->nodes->pdata[i]))
      return FALSE;
  return TRUE;
}

/* (nullable): the first note of severity ERROR on a node of that name and operator */
static const SondeConversionNote *
find_note (const SondeConversion *conversion, const SondeConvertedNode *node)
{
  for (guint i = 0; i < conversion->notes->len; i++)
    {
      const SondeConversionNote *note = conversion->notes->pdata[i];

      if (note->severity == SONDE_NOTE_ERROR && g_strcmp0 (note->op, node->op) == 0
          && g_str_equal (note->where, node->name))
        return note;
    }
  return NULL;
}

/* Operators that did not fit. @first: their first nodes, in order; @counts: operator -> how many */
static void
count_missing (const SondeConversion *conversion, GPtrArray *first, GHashTable *counts)
{
  for (guint i = 0; i < conversion->nodes->len; i++)
    {
      SondeConvertedNode *node = conversion->nodes->pdata[i];
      guint seen = GPOINTER_TO_UINT (g_hash_table_lookup (counts, node->op));

      if (!is_missing (node))
        continue;
      if (seen == 0)
        g_ptr_array_add (first, node);
      g_hash_table_insert (counts, node->op, GUINT_TO_POINTER (seen + 1));
    }
}

static void
append_missing (SondeMessage *message, const SondeConversion *conversion,
                const SondeConvertedNode *node, guint count)
{
  const SondeConversionNote *note = find_note (conversion, node);

  if (note == NULL)
    {
      sonde_message_append_format (message, "\n  %s (%u×, first “%s”)", node->op, count,
                                   node->name);
      return;
    }
  sonde_message_append_format (message, "\n  %s (%u×, first “%s”): ", node->op, count, node->name);
  sonde_message_append (message, note->what);
  if (note->advice == NULL)
    return;
  sonde_message_append_text (message, ". ");
  sonde_message_append (message, note->advice);
}

void
sonde_conversion_set_unsupported_error (const SondeConversion *conversion, const char *path,
                                        GError **error)
{
  g_autoptr (GPtrArray) first = g_ptr_array_new ();
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);
  SondeMessage *message = NULL;

  count_missing (conversion, first, counts);
  message = sonde_message_new ("“%s” has %u operators that cannot be converted:", path, first->len);
  for (guint i = 0; i < MIN (first->len, OPERATORS_TOLD); i++)
    {
      const SondeConvertedNode *node = first->pdata[i];

      append_missing (message, conversion, node,
                      GPOINTER_TO_UINT (g_hash_table_lookup (counts, node->op)));
    }
  if (first->len > OPERATORS_TOLD)
    sonde_message_append_format (message, "\n  … and %u more", first->len - OPERATORS_TOLD);
  sonde_set_error_message (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED, message);
}
