/* SPDX-License-Identifier: Apache-2.0
 * The frame of a conversion: graphs, nodes of the source, failures. */
#include "data/models/lowering/sonde-lowering-private.h"

static void
clear_open (SondeOpenSource *open)
{
  g_free (open->place);
}

SondeLowering *
sonde_lowering_new (const char *format, const char *path, const SondeModelOptions *options)
{
  SondeLowering *lowering = g_new0 (SondeLowering, 1);
  SondeGraph *root = sonde_graph_new (NULL);

  sonde_graph_set_opset (root, "", SONDE_LOWERING_OPSET);
  lowering->path = g_strdup (path);
  if (options != NULL)
    lowering->options = *options;
  lowering->conversion = sonde_conversion_new (format);
  lowering->graphs = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_graph_unref);
  g_ptr_array_add (lowering->graphs, root);
  lowering->open = g_array_new (FALSE, FALSE, sizeof (SondeOpenSource));
  g_array_set_clear_func (lowering->open, (GDestroyNotify) clear_open);
  lowering->named = g_hash_table_new (NULL, NULL);
  lowering->first = g_hash_table_new (NULL, NULL);
  lowering->last = g_hash_table_new (NULL, NULL);
  lowering->numbers = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return lowering;
}

void
sonde_lowering_free (SondeLowering *lowering)
{
  if (lowering == NULL)
    return;
  g_free (lowering->path);
  sonde_conversion_free (lowering->conversion);
  while (lowering->graphs->len > 0) /* subgraphs before what they capture */
    g_ptr_array_remove_index (lowering->graphs, lowering->graphs->len - 1);
  g_ptr_array_unref (lowering->graphs);
  g_array_unref (lowering->open);
  g_hash_table_unref (lowering->named);
  g_hash_table_unref (lowering->first);
  g_hash_table_unref (lowering->last);
  g_hash_table_unref (lowering->numbers);
  g_clear_error (&lowering->error);
  g_free (lowering);
}

const SondeModelOptions *
sonde_lowering_get_options (const SondeLowering *lowering)
{
  return &lowering->options;
}

const char *
sonde_lowering_get_path (const SondeLowering *lowering)
{
  return lowering->path;
}

SondeConversion *
sonde_lowering_get_conversion (SondeLowering *lowering)
{
  return lowering->conversion;
}

/* ---- graphs -------------------------------------------------------------- */

SondeGraph *
sonde_lowering_get_graph (SondeLowering *lowering)
{
  return lowering->graphs->pdata[lowering->graphs->len - 1];
}

void
sonde_lowering_push_graph (SondeLowering *lowering, const char *name)
{
  g_ptr_array_add (lowering->graphs,
                   sonde_graph_new_subgraph (sonde_lowering_get_graph (lowering), name));
}

SondeGraph *
sonde_lowering_pop_graph (SondeLowering *lowering)
{
  g_return_val_if_fail (lowering->graphs->len > 1, NULL);

  return g_ptr_array_steal_index (lowering->graphs, lowering->graphs->len - 1);
}

/* ---- nodes of the source ------------------------------------------------- */

SondeOpenSource *
sonde_lowering_get_open (const SondeLowering *lowering)
{
  return lowering->open->len == 0
             ? NULL
             : &g_array_index (lowering->open, SondeOpenSource, lowering->open->len - 1);
}

void
sonde_lowering_begin (SondeLowering *lowering, const char *name, const char *op, const char *place)
{
  SondeConvertedNode *node = g_new0 (SondeConvertedNode, 1);
  SondeOpenSource open = { node, g_strdup (place), sonde_scope_of_name (name), FALSE };

  node->name = g_strdup (name);
  node->op = g_strdup (op);
  node->how = SONDE_LOWERED_FOLDED;
  node->to = g_ptr_array_new ();
  g_ptr_array_add (lowering->conversion->nodes, node);
  g_array_append_val (lowering->open, open);
}

void
sonde_lowering_end (SondeLowering *lowering)
{
  SondeOpenSource *open = sonde_lowering_get_open (lowering);

  g_return_if_fail (open != NULL);

  if (!open->marked && open->node->to->len > 0)
    open->node->how = open->node->to->len == 1 ? SONDE_LOWERED_DIRECT : SONDE_LOWERED_DECOMPOSED;
  g_array_set_size (lowering->open, lowering->open->len - 1);
}

void
sonde_lowering_mark (SondeLowering *lowering, SondeLoweredHow how)
{
  SondeOpenSource *open = sonde_lowering_get_open (lowering);

  g_return_if_fail (open != NULL);

  open->node->how = how;
  open->marked = TRUE;
}

void
sonde_lowering_set_scope (SondeLowering *lowering, const char *scope)
{
  SondeOpenSource *open = sonde_lowering_get_open (lowering);

  g_return_if_fail (open != NULL);

  open->scope = *scope != '\0' ? g_intern_string (scope) : NULL;
}

void
sonde_lowering_note (SondeLowering *lowering, SondeNoteSeverity severity, SondeMessage *what,
                     SondeMessage *advice)
{
  const SondeOpenSource *open = sonde_lowering_get_open (lowering);
  SondeConversionNote *note = g_new0 (SondeConversionNote, 1);

  note->severity = severity;
  note->where = g_strdup (open != NULL ? open->node->name : lowering->path);
  note->op = open != NULL ? g_strdup (open->node->op) : NULL;
  note->what = what;
  note->advice = advice;
  g_ptr_array_add (lowering->conversion->notes, note);
}

/* ---- failures ------------------------------------------------------------ */

void
sonde_lowering_take_error (SondeLowering *lowering, GError *error)
{
  if (lowering->error == NULL)
    lowering->error = error;
  else
    g_error_free (error);
}

void
sonde_lowering_fail (SondeLowering *lowering, SondeDataError code, const char *format, ...)
{
  const SondeOpenSource *open = sonde_lowering_get_open (lowering);
  GError *error = NULL;
  va_list arguments;

  if (lowering->error != NULL)
    return;
  va_start (arguments, format);
  sonde_set_error_va (&error, SONDE_DATA_ERROR, (int) code, format, arguments);
  va_end (arguments);
  if (open != NULL)
    sonde_prefix_error (&error, "%s “%s”: ", open->node->op, open->node->name);
  sonde_prefix_error (&error, "“%s”: ", lowering->path);
  lowering->error = error;
}

gboolean
sonde_lowering_has_failed (const SondeLowering *lowering)
{
  return lowering->error != NULL;
}
