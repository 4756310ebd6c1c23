/* SPDX-License-Identifier: Apache-2.0
 * Each iteration is a run of one step whose values are recorded ones: they are read from their
 * files when somebody asks, so that watches, expressions and going back are the same code as for
 * what runs. Iterations with the same values share a plan and its execution. */
#include "app/worker/sonde-dump-activity.h"

#include <math.h>
#include <string.h>

#include "app/worker/sonde-dump-graph.h"
#include "data/base/sonde-error.h"

typedef struct _DumpActivity DumpActivity;

/* An iteration that is looked at: values are read through it. */
typedef struct
{
  DumpActivity *activity;
  guint index;
  SondeDumpListing *listing, *before; /* @before: (nullable): made when it is asked for */
  char *signature;
  SondePlan *plan;
  SondeExecution *execution;
} Look;

struct _DumpActivity
{
  SondeActivity base;
  SondeDumpFolder *folder;
  SondeDevice *device;
  SondeGraph *ran; /* (nullable): the graph file's */
  char *title;
  Look *present;
  Look *aside, *earlier;   /* (nullable): what is looked at elsewhere, what prev() is read from */
  SondeExecution *retired; /* (nullable): somebody may still hold it until the next run begins */
  gboolean over;
};

static DumpActivity *
self_of (gpointer activity)
{
  return activity;
}

/* ---- one iteration ------------------------------------------------------- */

static void
look_free (Look *look)
{
  if (look == NULL)
    return;
  g_clear_pointer (&look->execution, sonde_execution_free);
  g_clear_pointer (&look->plan, sonde_plan_unref);
  sonde_dump_listing_unref (look->listing);
  sonde_dump_listing_unref (look->before);
  g_free (look->signature);
  g_free (look);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Look, look_free)

static guint64
step_of (DumpActivity *self, guint index)
{
  return (guint64) sonde_dump_folder_get_iteration (self->folder, index) + 1;
}

/* The first iteration that is not before @step; how many there are where all are. */
static guint
index_of (DumpActivity *self, guint64 step)
{
  guint low = 0, high = sonde_dump_folder_get_n_iterations (self->folder);

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (step_of (self, middle) < step)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* What is in the file of @value; NULL: it was not dumped. */
static const SondeDumpEntry *
find_entry (Look *look, const SondeGraphValue *value)
{
  g_autofree char *of = value->producer == NULL ? sonde_dump_name_of_previous (value->name) : NULL;
  const SondeDumpEntry *entry;

  if (of == NULL)
    return g_hash_table_lookup (look->listing->by_name, value->name);
  if (look->before == NULL && look->index > 0)
    look->before = sonde_dump_listing_new (look->activity->folder, look->index - 1,
                                           look->activity->ran, NULL);
  entry = look->before != NULL ? g_hash_table_lookup (look->before->by_name, of) : NULL;
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
  Look *look = data;
  const SondeDumpEntry *entry = find_entry (look, value);
  g_autoptr (SondeTensor) tensor = NULL;
  g_autofree char *is = NULL, *was = NULL;
  SondeShape shape;
  SondeType type;

  if (entry == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Value “%s” was not dumped in iteration %" PRIi64 ".", value->name,
                       sonde_dump_folder_get_iteration (look->activity->folder, look->index));
      return NULL;
    }
  tensor = sonde_dump_folder_read (look->activity->folder, entry, error);
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
make_plan (DumpActivity *self, const SondeDumpListing *listing, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_dump_graph_new (listing, self->ran);
  const SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE };

  return sonde_plan_new (graph, self->device, &options, error);
}

/* @like: (nullable): may have the same values; then they share the plan */
static Look *
look_new (DumpActivity *self, guint index, const Look *like, GError **error)
{
  g_autoptr (Look) look = g_new0 (Look, 1);

  look->activity = self;
  look->index = index;
  if (like != NULL && like->index == index)
    look->listing = sonde_dump_listing_ref (like->listing);
  else
    look->listing = sonde_dump_listing_new (self->folder, index, self->ran, error);
  if (look->listing == NULL)
    return NULL;
  if (like != NULL && like->index + 1 == index)
    look->before = sonde_dump_listing_ref (like->listing);
  look->signature = sonde_dump_listing_dup_signature (look->listing);
  if (like != NULL && g_str_equal (like->signature, look->signature))
    look->plan = sonde_plan_ref (like->plan);
  else
    look->plan = make_plan (self, look->listing, error);
  return look->plan != NULL ? g_steal_pointer (&look) : NULL;
}

/* Gives it an execution, @taken or one of its own. */
static gboolean
look_begin (Look *look, SondeExecution *taken, GError **error)
{
  const gint64 iteration = sonde_dump_folder_get_iteration (look->activity->folder, look->index);
  g_autoptr (SondeTensor) number = sonde_tensor_new_i64 (iteration);

  look->execution = taken != NULL ? taken : sonde_execution_new (look->plan, error);
  if (look->execution == NULL)
    return FALSE;
  sonde_execution_set_records (look->execution, &records, look);
  return sonde_execution_set_input (look->execution, SONDE_DUMP_ITERATION, number, error);
}

/* ---- going through them -------------------------------------------------- */

/* The present iteration is @index from here on; nothing of it has run. */
static gboolean
go_to (DumpActivity *self, guint index, GError **error)
{
  Look *old = self->present, *look = look_new (self, index, old, error);
  gboolean shares = look != NULL && old != NULL && look->plan == old->plan;

  if (look == NULL)
    return FALSE;
  if (old != NULL)
    sonde_execution_abandon (old->execution);
  if (!look_begin (look, shares ? old->execution : NULL, error))
    {
      look->execution = shares ? NULL : look->execution;
      look_free (look);
      return FALSE;
    }
  if (old != NULL && !shares)
    {
      sonde_execution_move_observers (look->execution, old->execution);
      sonde_execution_set_records (old->execution, NULL, NULL);
      g_clear_pointer (&self->retired, sonde_execution_free);
      self->retired = old->execution;
    }
  if (old != NULL)
    old->execution = NULL;
  look_free (old);
  self->present = look;
  self->over = FALSE;
  return TRUE;
}

static SondeRunResult
activity_run (SondeActivity *activity, GError **error)
{
  DumpActivity *self = self_of (activity);

  while (TRUE)
    {
      SondeRunResult result = sonde_execution_run (self->present->execution, error);

      if (result != SONDE_RUN_DONE)
        return result;
      self->over = self->present->index + 1 == sonde_dump_folder_get_n_iterations (self->folder);
      if (self->over)
        return SONDE_RUN_DONE;
      if (!go_to (self, self->present->index + 1, error))
        return SONDE_RUN_FAILED;
    }
}

static void
activity_interrupt (SondeActivity *activity)
{
  sonde_execution_interrupt (self_of (activity)->present->execution);
}

static SondeExecution *
activity_get_execution (SondeActivity *activity)
{
  return self_of (activity)->present->execution;
}

static SondeGraph *
activity_get_graph (SondeActivity *activity)
{
  return sonde_plan_get_graph (self_of (activity)->present->plan);
}

static void
activity_get_facts (SondeActivity *activity, SondeSessionFacts *facts)
{
  DumpActivity *self = self_of (activity);

  memset (facts, 0, sizeof *facts);
  facts->kind = SONDE_ACTIVITY_DUMP;
  facts->title = self->title;
  facts->step = step_of (self, self->present->index);
  facts->total_steps = step_of (self, sonde_dump_folder_get_n_iterations (self->folder) - 1);
  facts->loss = facts->accuracy = facts->learning_rate = facts->samples_per_second = NAN;
}

static gboolean
activity_restart (SondeActivity *activity, GError **error)
{
  return go_to (self_of (activity), 0, error);
}

static void
activity_free (SondeActivity *activity)
{
  DumpActivity *self = self_of (activity);

  look_free (self->present);
  look_free (self->aside);
  look_free (self->earlier);
  g_clear_pointer (&self->retired, sonde_execution_free);
  g_clear_pointer (&self->device, sonde_device_unref);
  g_clear_pointer (&self->ran, sonde_graph_unref);
  sonde_dump_folder_free (self->folder);
  g_free (self->title);
  g_free (self);
}

/* ---- back, and beside ---------------------------------------------------- */

static guint64
get_run (gpointer data)
{
  DumpActivity *self = self_of (data);

  return self->present->index + (self->over ? 1 : 0);
}

static guint64
find_run (gpointer data, guint64 step)
{
  return index_of (self_of (data), step);
}

static gboolean
get_first (gpointer data, guint64 *run)
{
  *run = 0;
  return TRUE;
}

static gboolean
restore (gpointer data, guint64 run, guint64 *restored, GError **error)
{
  DumpActivity *self = self_of (data);
  guint last = sonde_dump_folder_get_n_iterations (self->folder) - 1;

  *restored = MIN (run, last);
  return go_to (self, (guint) *restored, error);
}

static SondeRunResult
run (gpointer data, GError **error)
{
  return activity_run (data, error);
}

/* @kept: what was looked at there last */
static SondeExecution *
look_beside (DumpActivity *self, guint index, Look **kept, GError **error)
{
  g_autoptr (Look) look = NULL;

  if (index == self->present->index)
    return self->present->execution;
  if (*kept != NULL && (*kept)->index == index)
    return (*kept)->execution;
  look = look_new (self, index, self->present, error);
  if (look == NULL || !look_begin (look, NULL, error))
    return NULL;
  look_free (*kept);
  *kept = g_steal_pointer (&look);
  return (*kept)->execution;
}

static SondeExecution *
look_at (gpointer data, guint64 step, GError **error)
{
  DumpActivity *self = self_of (data);
  guint index = index_of (self, step), n = sonde_dump_folder_get_n_iterations (self->folder);

  if (index < n && step_of (self, index) == step)
    return look_beside (self, index, &self->aside, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "The dump has no step %" PRIu64 " (iteration %" PRIi64
                   "); it has %u, from step %" PRIu64 " to %" PRIu64 ".",
                   step, (gint64) step - 1, n, step_of (self, 0), step_of (self, n - 1));
  return NULL;
}

static SondeTensor *
read_before (gpointer data, guint64 step, const char *name, GError **error)
{
  DumpActivity *self = self_of (data);
  guint index = index_of (self, step);
  SondeExecution *execution;
  SondeGraphValue *value;
  SondeGraph *graph;
  SondeNode *node;

  if (index == 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "“%s” has no previous value: step %" PRIu64 " is the first of the dump.",
                       name, step);
      return NULL;
    }
  execution = look_beside (self, index - 1, &self->earlier, error);
  if (execution == NULL)
    return NULL;
  graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));
  value = sonde_graph_find_value (graph, name);
  node = value == NULL ? sonde_graph_find_node (graph, name) : NULL;
  if (node != NULL)
    value = sonde_node_get_output (node, 0);
  if (value != NULL)
    return sonde_execution_read (execution, value, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "“%s” was not dumped in iteration %" PRIi64 ".", name,
                   sonde_dump_folder_get_iteration (self->folder, index - 1));
  return NULL;
}

static const SondeDebuggerHistory history = {
  .get_run = get_run,
  .find_run = find_run,
  .get_first = get_first,
  .restore = restore,
  .run = run,
  .read_before = read_before,
  .look_at = look_at,
};

static const SondeActivityClass dump_activity = {
  .run = activity_run,
  .interrupt = activity_interrupt,
  .get_execution = activity_get_execution,
  .get_graph = activity_get_graph,
  .get_facts = activity_get_facts,
  .restart = activity_restart,
  .history = &history,
  .free = activity_free,
};

/* ---- opening ------------------------------------------------------------- */

static gboolean
parse_number (const char *set, const char *value, gint64 *number, GError **error)
{
  guint64 parsed;

  if (!g_ascii_string_to_unsigned (value, 10, 0, G_MAXINT32, &parsed, error))
    {
      sonde_prefix_error (error, "--set %s: ", set);
      return FALSE;
    }
  *number = (gint64) parsed;
  return TRUE;
}

static gboolean
parse_choice (const char *const *sets, SondeDumpChoice *choice, GError **error)
{
  for (; sets != NULL && *sets != NULL; sets++)
    {
      const char *equals = strchr (*sets, '=');

      if (g_str_has_prefix (*sets, "net="))
        choice->net = equals + 1;
      else if (g_str_has_prefix (*sets, "rank=") || g_str_has_prefix (*sets, "graph="))
        {
          if (!parse_number (*sets, equals + 1, **sets == 'r' ? &choice->rank : &choice->graph,
                             error))
            return FALSE;
        }
      else
        {
          sonde_set_error (
              error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
              "--set “%s” cannot be used with a dump; use rank=N, net=NAME or graph=N.", *sets);
          return FALSE;
        }
    }
  return TRUE;
}

static char *
make_title (DumpActivity *self, const char *path)
{
  const char *const *others = sonde_dump_folder_get_others (self->folder);
  g_autofree char *whole = g_canonicalize_filename (path, NULL),
                  *base = g_path_get_basename (whole);
  g_autofree char *list = g_strjoinv (", ", (char **) others);

  return g_strdup_printf ("%s: %s%s%s%s", base, sonde_dump_folder_get_name (self->folder),
                          *others != NULL ? " (also there: " : "", list,
                          *others != NULL ? ")" : "");
}

SondeActivity *
sonde_dump_activity_new (const SondeOpenRequest *request, GError **error)
{
  SondeDumpChoice choice = { NULL, -1, -1 };
  DumpActivity *self = g_new0 (DumpActivity, 1);

  self->base.klass = &dump_activity;
  if (parse_choice (request->sets, &choice, error))
    self->folder = sonde_dump_folder_open (NULL, request->subject, &choice, error);
  if (self->folder != NULL)
    {
      self->device = sonde_device_open ("cpu", request->threads, error);
      /* values can be looked at without */
      self->ran = sonde_dump_folder_read_graph (self->folder, NULL);
      self->title = make_title (self, request->subject);
    }
  if (self->device != NULL && go_to (self, 0, error))
    return &self->base;
  activity_free (&self->base);
  return NULL;
}
