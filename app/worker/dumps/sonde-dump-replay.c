/* SPDX-License-Identifier: Apache-2.0
 * One iteration of a dump as an execution. */
#include "app/worker/dumps/sonde-dump-replay.h"

#include <inttypes.h>
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
  g_free (iteration);
}

/* "fc1.weight" of "before(fc1.weight)", which a weight updates in the graph. (transfer full)
 * (nullable) */
static char *
name_of_previous (const char *name)
{
  gsize length = strlen (name);

  if (!g_str_has_prefix (name, "before(") || name[length - 1] != ')')
    return NULL;
  return g_strndup (name + strlen ("before("), length - strlen ("before()"));
}

static const SondeDumpItem *
find_previous (SondeDumpReplay *iteration, const SondeGraphValue *value, const char *name)
{
  const SondeDumpItem *item;

  if (iteration->before == NULL && iteration->index > 0)
    iteration->before
        = iteration->source->klass->list (iteration->source, iteration->index - 1, NULL);
  item = iteration->before != NULL ? sonde_dump_listing_find (iteration->before, name) : NULL;
  return item != NULL && memcmp (&item->type, &value->type, sizeof item->type) == 0 ? item : NULL;
}

/* What there is of @value; NULL: it was not dumped. @listing: (out): the one it is in */
static const SondeDumpItem *
find_item (SondeDumpReplay *iteration, const SondeGraphValue *value,
           const SondeDumpListing **listing)
{
  g_autofree char *of = value->producer == NULL ? name_of_previous (value->name) : NULL;
  const SondeDumpItem *item = of != NULL
                                  ? find_previous (iteration, value, of)
                                  : sonde_dump_listing_find (iteration->listing, value->name);

  *listing = of != NULL ? iteration->before : iteration->listing;
  return item;
}

static gboolean
has_value (gpointer data, const SondeGraphValue *value)
{
  const SondeDumpListing *listing;

  return find_item (data, value, &listing) != NULL;
}

static gboolean
is_as_listed (const SondeTensor *tensor, const SondeType *type)
{
  SondeShape shape;

  return type->kind == SONDE_VALUE_NONE
         || (sonde_type_get_shape (type, &shape) && tensor->dtype == type->dtype
             && sonde_shape_equal (&shape, &tensor->shape));
}

static SondeTensor *
read_value (gpointer data, const SondeGraphValue *value, GError **error)
{
  SondeDumpReplay *iteration = data;
  const SondeDumpListing *listing;
  const SondeDumpItem *item = find_item (iteration, value, &listing);
  SondeDumpSource *source = iteration->source;
  g_autoptr (SondeTensor) tensor = NULL;
  g_autofree char *is = NULL, *was = NULL;
  SondeType type;

  if (item == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Value “%s” was not dumped in iteration %" PRIi64 ".", value->name,
                       source->klass->get_iteration (source, iteration->index));
      return NULL;
    }
  tensor = source->klass->read (source, listing, item, error);
  if (tensor == NULL || is_as_listed (tensor, &item->type))
    return g_steal_pointer (&tensor);
  type = sonde_type_tensor (tensor->dtype, &tensor->shape);
  is = sonde_type_to_string (&type);
  was = sonde_type_to_string (&item->type);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s” was %s when the dump was opened, but is %s now.", value->name, was, is);
  return NULL;
}

static const SondeRecords records = { has_value, read_value };

static SondePlan *
make_plan (const SondeDumpReplay *iteration, SondeDevice *device, GError **error)
{
  SondeDumpSource *source = iteration->source;
  g_autoptr (SondeGraph) graph = source->klass->make_graph (source, iteration->listing);
  const SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP,
                                     .no_fusion = TRUE,
                                     .recorded_steps = source->klass->has_steps };

  return sonde_plan_new (graph, device, &options, error);
}

SondeDumpReplay *
sonde_dump_replay_new (SondeDumpSource *source, SondeDevice *device, guint index,
                       const SondeDumpReplay *like, GError **error)
{
  g_autoptr (SondeDumpReplay) iteration = g_new0 (SondeDumpReplay, 1);

  iteration->source = source;
  iteration->index = index;
  if (like != NULL && like->index == index)
    iteration->listing = sonde_dump_listing_ref (like->listing);
  else
    iteration->listing = source->klass->list (source, index, error);
  if (iteration->listing == NULL)
    return NULL;
  if (like != NULL && like->index + 1 == index)
    iteration->before = sonde_dump_listing_ref (like->listing);
  if (like != NULL && g_str_equal (like->listing->signature, iteration->listing->signature))
    iteration->plan = sonde_plan_ref (like->plan);
  else
    iteration->plan = make_plan (iteration, device, error);
  return iteration->plan != NULL ? g_steal_pointer (&iteration) : NULL;
}

gboolean
sonde_dump_replay_begin (SondeDumpReplay *iteration, SondeExecution *taken, GError **error)
{
  g_autoptr (SondeTensor) number = sonde_tensor_new_i64 (
      iteration->source->klass->get_iteration (iteration->source, iteration->index));

  iteration->execution = taken != NULL ? taken : sonde_execution_new (iteration->plan, error);
  if (iteration->execution == NULL)
    return FALSE;
  sonde_execution_set_records (iteration->execution, &records, iteration);
  return sonde_execution_set_input (iteration->execution, SONDE_DUMP_ITERATION, number, error);
}
