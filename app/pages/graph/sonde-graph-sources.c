/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/graph/sonde-graph-sources.h"

#include "app/workspace/sonde-opened-model.h"
#include "app/workspace/sonde-graph-reading.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

/* A model file, a graph record of the run, or without both what is debugged. */
typedef struct
{
  char *path; /* (nullable) */
  char *tag;  /* (nullable) */
} Source;

struct _SondeGraphSources
{
  GObject parent_instance;
  GtkStringList *titles;
  GPtrArray *list;         /* (element-type Source) */
  char *signature;         /* of the list, so that it is rebuilt only when it is another one */
  SondeOpenedModel *model; /* (nullable) */
  SondeRun *run;
  SondeGraph *debugged; /* (nullable) */
};

G_DEFINE_FINAL_TYPE (SondeGraphSources, sonde_graph_sources, G_TYPE_OBJECT)

/* ---- the list ------------------------------------------------------------ */

static void
source_free (void *data)
{
  Source *source = data;

  g_free (source->path);
  g_free (source->tag);
  g_free (source);
}

static void
add_source (SondeGraphSources *self, const char *title, const char *path, const char *tag)
{
  Source *source = g_new0 (Source, 1);

  source->path = g_strdup (path);
  source->tag = g_strdup (tag);
  g_ptr_array_add (self->list, source);
  gtk_string_list_append (self->titles, title);
}

static char *
graph_title (const char *tag)
{
  static const struct
  {
    const char *tag, *title;
  } known[] = {
    { "graph", N_ ("As Written") },
    { "graph/executed", N_ ("As Executed") },
    { "__run_graph__", N_ ("Graph of the Run") }, /* TensorBoard's name for it */
  };

  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (tag, known[i].tag))
      return g_strdup (_ (known[i].title));
  return sonde_text_make_visible (tag);
}

static char *
make_signature (const char *const *documents, SondeRun *run, const SondeGraph *debugged)
{
  GPtrArray *tags = run != NULL ? sonde_run_get_tags (run) : NULL;
  GString *signature = g_string_new (run != NULL ? sonde_run_get_path (run) : "");

  for (gsize i = 0; documents[i] != NULL; i++)
    g_string_append_printf (signature, "\n%s", documents[i]);
  g_string_append_printf (signature, "\n%p", (const void *) debugged);
  for (guint i = 0; tags != NULL && i < tags->len; i++)
    {
      const SondeRunTag *tag = g_ptr_array_index (tags, i);

      if (tag->kind == SONDE_RECORD_GRAPH)
        g_string_append_printf (signature, "\n%s %" PRIu64, tag->tag, tag->count);
    }
  return g_string_free (signature, FALSE);
}

static void
rebuild (SondeGraphSources *self, const char *const *documents)
{
  GPtrArray *tags = self->run != NULL ? sonde_run_get_tags (self->run) : NULL;

  g_ptr_array_set_size (self->list, 0);
  gtk_string_list_splice (self->titles, 0, g_list_model_get_n_items (G_LIST_MODEL (self->titles)),
                          NULL);
  for (gsize i = 0; documents[i] != NULL; i++)
    if (sonde_opened_model_is_path (documents[i]))
      {
        g_autofree char *title = g_path_get_basename (documents[i]);

        add_source (self, title, documents[i], NULL);
      }
  for (guint i = 0; tags != NULL && i < tags->len; i++)
    {
      const SondeRunTag *tag = g_ptr_array_index (tags, i);
      g_autofree char *title = graph_title (tag->tag);

      if (tag->kind == SONDE_RECORD_GRAPH)
        add_source (self, title, NULL, tag->tag);
    }
  if (self->debugged != NULL)
    add_source (self, _ ("In the Debugger"), NULL, NULL);
}

static void
set_debugged (SondeGraphSources *self, SondeGraph *graph)
{
  if (graph != NULL)
    sonde_graph_ref (graph);
  g_clear_pointer (&self->debugged, sonde_graph_unref);
  self->debugged = graph;
}

gboolean
sonde_graph_sources_update (SondeGraphSources *sources, const char *const *documents,
                            SondeOpenedModel *model, SondeRun *run, SondeGraph *debugged)
{
  g_autofree char *signature = make_signature (documents, run, debugged);

  g_return_val_if_fail (SONDE_IS_GRAPH_SOURCES (sources), FALSE);
  g_set_object (&sources->run, run);
  g_set_object (&sources->model, model);
  set_debugged (sources, debugged);
  if (g_strcmp0 (signature, sources->signature) == 0 && sources->list->len > 0)
    return FALSE;
  g_free (sources->signature);
  sources->signature = g_steal_pointer (&signature);
  rebuild (sources, documents);
  return TRUE;
}

guint
sonde_graph_sources_get_n (SondeGraphSources *sources)
{
  return sources->list->len;
}

GListModel *
sonde_graph_sources_get_titles (SondeGraphSources *sources)
{
  return G_LIST_MODEL (sources->titles);
}

/* ---- reading ------------------------------------------------------------- */

static void
answer (GTask *task, SondeGraph *graph, GError *error)
{
  if (graph != NULL)
    g_task_return_pointer (task, graph, (GDestroyNotify) sonde_graph_unref);
  else
    g_task_return_error (task, error);
}

/* @object: the task that the reading is part of */
static void
on_parsed (GObject *object, GAsyncResult *result, gpointer data)
{
  GError *error = NULL;
  SondeGraph *graph = sonde_graph_read_finish (result, &error);

  answer (G_TASK (object), graph, error);
}

static void
on_model_read (GObject *model, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  GError *error = NULL;
  SondeGraph *graph = sonde_opened_model_read_finish (SONDE_OPENED_MODEL (model), result, &error);

  answer (task, graph, error);
}

static gboolean
is_opened_model (SondeGraphSources *sources, const Source *source)
{
  return sources->model != NULL
         && g_strcmp0 (source->path, sonde_opened_model_get_path (sources->model)) == 0;
}

static void
on_record_read (GObject *run, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  GError *error = NULL;
  g_autoptr (GPtrArray) records = sonde_run_read_blobs_finish (SONDE_RUN (run), result, &error);
  SondeRecord *record
      = records != NULL && records->len > 0 ? g_ptr_array_index (records, records->len - 1) : NULL;

  if (error != NULL)
    g_task_return_error (task, error);
  else
    sonde_graph_read_async (G_OBJECT (task), NULL, record, TRUE, g_task_get_cancellable (task),
                            on_parsed);
}

void
sonde_graph_sources_read_async (SondeGraphSources *sources, guint i, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (sources, cancellable, callback, data);
  const Source *source = g_ptr_array_index (sources->list, i);
  g_autoptr (GArray) blobs = NULL;

  if (is_opened_model (sources, source))
    {
      sonde_opened_model_read_async (sources->model, cancellable, on_model_read,
                                     g_object_ref (task));
      return;
    }
  if (source->path != NULL)
    {
      sonde_graph_read_async (G_OBJECT (task), source->path, NULL, TRUE, cancellable, on_parsed);
      return;
    }
  if (source->tag == NULL)
    {
      g_task_return_pointer (task, sonde_graph_ref (sources->debugged),
                             (GDestroyNotify) sonde_graph_unref);
      return;
    }
  blobs = sonde_run_list_blobs (sources->run, source->tag, SONDE_RECORD_GRAPH);
  if (blobs->len > 1)
    g_array_remove_range (blobs, 0, blobs->len - 1);
  sonde_run_read_blobs_async (sources->run, blobs, cancellable, on_record_read,
                              g_object_ref (task));
}

SondeGraph *
sonde_graph_sources_read_finish (SondeGraphSources *sources, GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_graph_sources_dispose (GObject *object)
{
  SondeGraphSources *self = SONDE_GRAPH_SOURCES (object);

  g_clear_object (&self->titles);
  g_clear_object (&self->run);
  g_clear_object (&self->model);
  set_debugged (self, NULL);
  g_clear_pointer (&self->list, g_ptr_array_unref);
  g_clear_pointer (&self->signature, g_free);
  G_OBJECT_CLASS (sonde_graph_sources_parent_class)->dispose (object);
}

static void
sonde_graph_sources_class_init (SondeGraphSourcesClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_graph_sources_dispose;
}

static void
sonde_graph_sources_init (SondeGraphSources *self)
{
  self->titles = gtk_string_list_new (NULL);
  self->list = g_ptr_array_new_with_free_func (source_free);
}

SondeGraphSources *
sonde_graph_sources_new (void)
{
  return g_object_new (SONDE_TYPE_GRAPH_SOURCES, NULL);
}
