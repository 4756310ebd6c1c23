/* SPDX-License-Identifier: Apache-2.0
 * Dumps of msprobe: an iteration is a step of one rank, and every entry a step of its run. */
#include "app/worker/dumps/sonde-dump-source.h"

#include <inttypes.h>
#include <string.h>

#include "app/worker/dumps/sonde-dump-msprobe-graph.h"
#include "data/base/sonde-error.h"
#include "data/records/msprobe/sonde-msprobe-folder.h"
#include "engine/types/sonde-frame.h"

/* @places: (element-type SondeMsprobePlace): of one rank; @others: names of the other ranks */
typedef struct
{
  SondeDumpSource base;
  GArray *places;
  char **others;
} MsprobeSource;

static MsprobeSource *
self_of (SondeDumpSource *source)
{
  return (MsprobeSource *) source;
}

static const SondeMsprobePlace *
get_place (SondeDumpSource *source, guint index)
{
  return &g_array_index (self_of (source)->places, SondeMsprobePlace, index);
}

/* ---- listings ------------------------------------------------------------ */

static SondeType
type_of (const SondeMsprobeTensor *tensor)
{
  return tensor->dtype != SONDE_DTYPE_INVALID ? sonde_type_tensor (tensor->dtype, &tensor->shape)
                                              : sonde_type_unknown ();
}

/* Keys in the listing may make two names the same. (transfer full) */
static char *
name_once (const SondeDumpListing *listing, const char *name)
{
  char *unique = g_strdup (name);

  for (guint i = 2; g_hash_table_contains (listing->by_name, unique); i++)
    {
      g_free (unique);
      unique = g_strdup_printf ("%s#%u", name, i);
    }
  return unique;
}

static SondeDumpListing *
make_listing (SondeMsprobeDump *dump)
{
  SondeDumpListing *listing
      = sonde_dump_listing_new (dump, (GDestroyNotify) sonde_msprobe_dump_free);
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < dump->entries->len; i++)
    g_ptr_array_add (lines, g_strdup (g_array_index (dump->entries, SondeMsprobeEntry, i).name));
  for (guint i = 0; i < dump->tensors->len; i++)
    {
      const SondeMsprobeTensor *tensor = &g_array_index (dump->tensors, SondeMsprobeTensor, i);
      SondeType type = type_of (tensor);
      g_autofree char *text = sonde_type_to_string (&type);

      g_ptr_array_add (lines, g_strdup_printf ("%s %s", tensor->name, text));
      sonde_dump_listing_add (listing, name_once (listing, tensor->name), &type, tensor);
    }
  sonde_dump_listing_sign (listing, lines);
  return listing;
}

static SondeDumpListing *
source_list (SondeDumpSource *source, guint index, GError **error)
{
  SondeMsprobeDump *dump = sonde_msprobe_dump_open (NULL, get_place (source, index)->path, error);

  return dump != NULL ? make_listing (dump) : NULL;
}

static SondeGraph *
source_make_graph (SondeDumpSource *source, const SondeDumpListing *listing)
{
  SondeGraph *graph = sonde_dump_msprobe_graph_new (listing->owner, listing);

  sonde_dump_graph_add_end (graph);
  return graph;
}

static SondeTensor *
source_read (SondeDumpSource *source, const SondeDumpListing *listing, const SondeDumpItem *item,
             GError **error)
{
  return sonde_msprobe_dump_read (listing->owner, item->item, error);
}

/* ---- stacks -------------------------------------------------------------- */

/* That of its forward call, where backward has none. (nullable) */
static const GArray *
find_stack (const SondeMsprobeDump *dump, const char *node)
{
  g_autofree char *forward = sonde_msprobe_name_dup_forward (node);
  const SondeMsprobeEntry *entry = sonde_msprobe_dump_find_entry (dump, node);

  if ((entry == NULL || entry->stack < 0) && forward != NULL)
    entry = sonde_msprobe_dump_find_entry (dump, forward);
  return entry != NULL && entry->stack >= 0 ? g_ptr_array_index (dump->stacks, entry->stack) : NULL;
}

static SondeFrame *
make_frame (const SondeMsprobeFrame *line)
{
  SondeFrame *frame = g_new0 (SondeFrame, 1);

  frame->kind = SONDE_FRAME_PYTHON;
  frame->iteration = -1;
  frame->node = g_strdup ("");
  frame->op = g_strdup ("");
  frame->body = g_strdup ("");
  frame->at = line->file != NULL
                  ? g_strdup_printf ("%s:%u in %s", line->file, line->line, line->function)
                  : g_strdup ("");
  frame->at_op = g_strdup (line->source != NULL ? line->source : "");
  frame->originals = g_new0 (char *, 1);
  frame->scopes = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_scope_free);
  return frame;
}

static GPtrArray *
source_list_frames (SondeDumpSource *source, const SondeDumpListing *listing, const char *node)
{
  const GArray *stack = find_stack (listing->owner, node);
  GPtrArray *frames = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_free);

  for (guint i = 0; stack != NULL && i < stack->len; i++)
    g_ptr_array_add (frames, make_frame (&g_array_index (stack, SondeMsprobeFrame, i)));
  return frames;
}

/* ---- the source ---------------------------------------------------------- */

static const char *
source_get_name (SondeDumpSource *source)
{
  return get_place (source, 0)->rank;
}

static const char *const *
source_get_others (SondeDumpSource *source)
{
  return (const char *const *) self_of (source)->others;
}

static guint
source_get_n_iterations (SondeDumpSource *source)
{
  return self_of (source)->places->len;
}

static gint64
source_get_iteration (SondeDumpSource *source, guint index)
{
  return get_place (source, index)->step;
}

static void
source_free (SondeDumpSource *source)
{
  MsprobeSource *self = self_of (source);

  g_array_unref (self->places);
  g_strfreev (self->others);
  g_free (self);
}

static const SondeDumpSourceClass msprobe_source = {
  .has_steps = TRUE,
  .get_name = source_get_name,
  .get_others = source_get_others,
  .get_n_iterations = source_get_n_iterations,
  .get_iteration = source_get_iteration,
  .list = source_list,
  .make_graph = source_make_graph,
  .read = source_read,
  .list_frames = source_list_frames,
  .free = source_free,
};

/* ---- opening ------------------------------------------------------------- */

static gboolean
parse_sets (const char *const *sets, const char **rank, GError **error)
{
  for (; sets != NULL && *sets != NULL; sets++)
    {
      if (!g_str_has_prefix (*sets, "rank="))
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                           "--set “%s” cannot be used with a dump of msprobe; use rank=N.", *sets);
          return FALSE;
        }
      *rank = *sets + strlen ("rank=");
    }
  return TRUE;
}

/* The other ranks. (transfer full) */
static char **
list_others (const GArray *places, const char *chosen)
{
  char **ranks = sonde_msprobe_list_ranks (places);
  guint n = 0;

  for (guint i = 0; ranks[i] != NULL; i++)
    if (g_str_equal (ranks[i], chosen))
      g_free (ranks[i]);
    else
      ranks[n++] = ranks[i];
  ranks[n] = NULL;
  return ranks;
}

SondeDumpSource *
sonde_dump_msprobe_open (const char *path, const char *const *sets, GError **error)
{
  g_autoptr (GArray) places = sonde_msprobe_find (NULL, path), chosen = NULL;
  const char *rank = NULL;
  MsprobeSource *self;

  if (places->len == 0 || !parse_sets (sets, &rank, error))
    return NULL;
  chosen = sonde_msprobe_choose_rank (places, rank, error);
  if (chosen == NULL)
    return NULL;
  self = g_new0 (MsprobeSource, 1);
  self->base.klass = &msprobe_source;
  self->others = list_others (places, g_array_index (chosen, SondeMsprobePlace, 0).rank);
  self->places = g_steal_pointer (&chosen);
  return &self->base;
}
