/* SPDX-License-Identifier: Apache-2.0
 * One iteration of a dump as an execution. */
#include "app/worker/dumps/sonde-dump-replay.h"

#include <string.h>

#include "data/base/sonde-error.h"

void
sonde_dump_replay_free (SondeDumpReplay *iteration)
{
  if (iteration == NULL)
    return;
  g_clear_pointer (&iteration->execution, sonde_execution_free);
  g_clear_pointer (&iteration->plan, sonde_plan_unref);
  sonde_dump_listing_unref (iteration->listing);
  sonde_dump_listing_unref (iteration->before);
  g_free (iteration->signature);
  g_free (iteration);
}

/* What is in the file of @value; NULL: it was not dumped. */
static const SondeDumpEntry *
find_entry (SondeDumpReplay *iteration, const SondeGraphValue *value)
{
  g_autofree char *of = value->producer == NULL ? sonde_dump_name_of_previous (value->name) : NULL;
  const SondeDumpEntry *entry;

  if (of == NULL)
    return g_hash_table_lookup (iteration->listing->by_name, value->name);
  if (iteration->before == NULL && iteration->index > 0)
    iteration->before
        = sonde_dump_listing_new (iteration->folder, iteration->index - 1, iteration->ran, NULL);
  entry = iteration->before != NULL ? g_hash_table_lookup (iteration->before->by_name, of) : NULL;
  if (entry == NULL || memcmp (&entry->type, &value->type, sizeof entry->type) != 0)
    return NULL;
  return entry;
}

static gboolean
has_value (gpointer data, const SondeGraphValue *value)
{
  return find_entry (data, value) != NULL;
}

static SondeTensor *
read_value (gpointer data, const SondeGraphValue *value, GError **error)
{
  SondeDumpReplay *iteration = data;
  const SondeDumpEntry *entry = find_entry (iteration, value);
  g_autoptr (SondeTensor) tensor = NULL;
  g_autofree char *is = NULL, *was = NULL;
  SondeShape shape;
  SondeType type;

  if (entry == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Value “%s” was not dumped in iteration %" PRIi64 ".", value->name,
                       sonde_dump_folder_get_iteration (iteration->folder, iteration->index));
      return NULL;
    }
  tensor = sonde_dump_folder_read (iteration->folder, entry, error);
  if (tensor == NULL
      || (sonde_type_get_shape (&entry->type, &shape) && tensor->dtype == entry->type.dtype
          && sonde_shape_equal (&shape, &tensor->shape)))
    return g_steal_pointer (&tensor);
  type = sonde_type_tensor (tensor->dtype, &tensor->shape);
  is = sonde_type_to_string (&type);
  was = sonde_type_to_string (&entry->type);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s” was %s when the dump was opened, but is %s now.", entry->path, was, is);
  return NULL;
}

static const SondeRecords records = { has_value, read_value };

static SondePlan *
make_plan (const SondeDumpReplay *iteration, SondeDevice *device, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_dump_graph_new (iteration->listing, iteration->ran);
  const SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE };

  return sonde_plan_new (graph, device, &options, error);
}

SondeDumpReplay *
sonde_dump_replay_new (const SondeDumpReplaySource *source, guint index,
                       const SondeDumpReplay *like, GError **error)
{
  g_autoptr (SondeDumpReplay) iteration = g_new0 (SondeDumpReplay, 1);

  iteration->folder = source->folder;
  iteration->ran = source->ran;
  iteration->index = index;
  if (like != NULL && like->index == index)
    iteration->listing = sonde_dump_listing_ref (like->listing);
  else
    iteration->listing = sonde_dump_listing_new (source->folder, index, source->ran, error);
  if (iteration->listing == NULL)
    return NULL;
  if (like != NULL && like->index + 1 == index)
    iteration->before = sonde_dump_listing_ref (like->listing);
  iteration->signature = sonde_dump_listing_dup_signature (iteration->listing);
  if (like != NULL && g_str_equal (like->signature, iteration->signature))
    iteration->plan = sonde_plan_ref (like->plan);
  else
    iteration->plan = make_plan (iteration, source->device, error);
  return iteration->plan != NULL ? g_steal_pointer (&iteration) : NULL;
}

gboolean
sonde_dump_replay_begin (SondeDumpReplay *iteration, SondeExecution *taken, GError **error)
{
  g_autoptr (SondeTensor) number = sonde_tensor_new_i64 (
      sonde_dump_folder_get_iteration (iteration->folder, iteration->index));

  iteration->execution = taken != NULL ? taken : sonde_execution_new (iteration->plan, error);
  if (iteration->execution == NULL)
    return FALSE;
  sonde_execution_set_records (iteration->execution, &records, iteration);
  return sonde_execution_set_input (iteration->execution, SONDE_DUMP_ITERATION, number, error);
}
