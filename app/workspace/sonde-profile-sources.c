/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-profile-sources.h"

#include "data/profiles/sonde-recorded-profile.h"

struct _SondeProfileSources
{
  GObject parent_instance;
  SondeRunStore *store;
  SondeProfileTitle title;
  gpointer title_data;
  GPtrArray *traces; /* (element-type filename) */
  GPtrArray *list;   /* SondeProfileSource */
  char *signature;   /* of the list */
  SondeTraceDocument *document;
  guint64 n_records; /* of the open run's profiles when it was opened */
  char *
      awaited; /* (nullable): path of a run that was opened, whose records the store may not know yet */
};

enum
{
  CHANGED,
  DOCUMENT_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeProfileSources, sonde_profile_sources, G_TYPE_OBJECT)

static void
free_source (gpointer data)
{
  SondeProfileSource *source = data;

  g_free (source->path);
  g_clear_object (&source->run);
  g_free (source);
}

/* ---- the list ------------------------------------------------------------ */

/* Records of profiles in @run. */
static guint64
count_records (SondeRun *run)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  guint64 n = 0;

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = g_ptr_array_index (tags, i);

      if (tag->kind == SONDE_RECORD_SPAN && g_str_equal (tag->tag, SONDE_RECORDED_PROFILE_TAG))
        n += tag->count;
    }
  return n;
}

gboolean
sonde_profile_sources_is_recorded (SondeRun *run)
{
  return count_records (run) > 0; /* also beside the files of another format */
}

static void
add_source (SondeProfileSources *sources, const char *path, SondeRun *run)
{
  SondeProfileSource *source = g_new0 (SondeProfileSource, 1);

  source->path = g_strdup (path);
  source->run = run != NULL ? g_object_ref (run) : NULL;
  g_ptr_array_add (sources->list, source);
}

static void
list_sources (SondeProfileSources *sources)
{
  GListModel *runs = G_LIST_MODEL (sources->store);

  g_ptr_array_set_size (sources->list, 0);
  for (guint i = 0; i < sources->traces->len; i++)
    add_source (sources, g_ptr_array_index (sources->traces, i), NULL);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      if (sonde_profile_sources_is_recorded (run)
          || g_strcmp0 (sonde_run_get_path (run), sources->awaited) == 0)
        add_source (sources, sonde_run_get_path (run), run);
    }
}

static char *
make_signature (SondeProfileSources *sources)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < sources->list->len; i++)
    {
      const SondeProfileSource *source = sonde_profile_sources_get (sources, i);
      g_autofree char *title = sonde_profile_sources_dup_title (sources, i);

      g_string_append_printf (text, "%s\n%s\n", source->path, title);
    }
  return g_string_free (text, FALSE);
}

/* Records of profiles that the open document knows of. */
static guint64
count_seen (SondeProfileSources *sources)
{
  switch (sonde_trace_document_get_state (sources->document))
    {
    case SONDE_TRACE_DOCUMENT_LOADING:
      return G_MAXUINT64; /* asked again when it is READY */
    case SONDE_TRACE_DOCUMENT_READY:
      return sonde_trace_document_get_recordings (sources->document)->n_records;
    default:
      return sources->n_records;
    }
}

void
sonde_profile_sources_follow (SondeProfileSources *sources)
{
  int i = sources->document == NULL ? -1
                                    : sonde_profile_sources_find (
                                        sources, sonde_trace_document_get_path (sources->document));
  const SondeProfileSource *source = i >= 0 ? sonde_profile_sources_get (sources, (guint) i) : NULL;

  if (source != NULL && source->run != NULL && count_records (source->run) > count_seen (sources))
    sonde_profile_sources_open (sources, source->path, 0);
}

void
sonde_profile_sources_update (SondeProfileSources *sources)
{
  g_autofree char *signature = NULL;

  g_return_if_fail (SONDE_IS_PROFILE_SOURCES (sources));
  list_sources (sources);
  signature = make_signature (sources);
  if (g_strcmp0 (signature, sources->signature) != 0)
    {
      g_free (sources->signature);
      sources->signature = g_steal_pointer (&signature);
      g_signal_emit (sources, signals[CHANGED], 0);
    }
  sonde_profile_sources_follow (sources);
}

guint
sonde_profile_sources_get_n (SondeProfileSources *sources)
{
  return sources->list->len;
}

const SondeProfileSource *
sonde_profile_sources_get (SondeProfileSources *sources, guint i)
{
  return g_ptr_array_index (sources->list, i);
}

char *
sonde_profile_sources_dup_title (SondeProfileSources *sources, guint i)
{
  const SondeProfileSource *source = sonde_profile_sources_get (sources, i);

  if (source->run != NULL)
    return g_strdup (sources->title (sources->title_data, source->run));
  {
    g_autofree char *name = g_path_get_basename (source->path);

    return g_filename_display_name (name);
  }
}

int
sonde_profile_sources_find (SondeProfileSources *sources, const char *path)
{
  for (guint i = 0; i < sources->list->len; i++)
    if (g_str_equal (sonde_profile_sources_get (sources, i)->path, path))
      return (int) i;
  return -1;
}

/* ---- what is open -------------------------------------------------------- */

/* Records may have come while it was read. */
static void
on_state_changed (SondeProfileSources *sources)
{
  if (sources->document != NULL)
    sonde_profile_sources_follow (sources);
}

static void
close_document (SondeProfileSources *sources)
{
  if (sources->document != NULL)
    {
      g_signal_handlers_disconnect_by_data (sources->document, sources);
      sonde_trace_document_cancel (sources->document);
    }
  g_clear_object (&sources->document);
  sources->n_records = 0;
}

/* Whether the store has it, recorded or not. */
static gboolean
is_run (SondeProfileSources *sources, const char *path)
{
  GListModel *runs = G_LIST_MODEL (sources->store);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      if (g_str_equal (sonde_run_get_path (run), path))
        return TRUE;
    }
  return FALSE;
}

static void
open_document (SondeProfileSources *sources, const char *path, guint64 recording)
{
  SondeRun *run;
  int i;

  g_free (sources->awaited);
  sources->awaited = is_run (sources, path) ? g_strdup (path) : NULL;
  list_sources (sources); /* the store may know of a run of which nobody was told yet */
  i = sonde_profile_sources_find (sources, path);
  run = i >= 0 ? sonde_profile_sources_get (sources, (guint) i)->run : NULL;
  sources->n_records = run != NULL ? count_records (run) : 0;
  sources->document = sonde_trace_document_new (path, recording);
  g_signal_connect_object (sources->document, "state-changed", G_CALLBACK (on_state_changed),
                           sources, G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  if (i < 0)
    g_ptr_array_insert (sources->traces, 0, g_strdup (path));
}

void
sonde_profile_sources_open (SondeProfileSources *sources, const char *path, guint64 recording)
{
  g_autofree char *kept = g_strdup (path); /* may be of what is closed */

  g_return_if_fail (SONDE_IS_PROFILE_SOURCES (sources));
  if (kept == NULL && sources->document == NULL)
    return;
  close_document (sources);
  if (kept != NULL)
    open_document (sources, kept, recording);
  g_signal_emit (sources, signals[DOCUMENT_CHANGED], 0);
  sonde_profile_sources_update (sources);
}

gboolean
sonde_profile_sources_open_any (SondeProfileSources *sources, SondeRun *run)
{
  g_return_val_if_fail (SONDE_IS_PROFILE_SOURCES (sources), FALSE);
  if (sources->document != NULL)
    return TRUE;
  list_sources (sources);
  if (sources->list->len == 0)
    return FALSE;
  if (sources->traces->len == 0 && run != NULL && sonde_profile_sources_is_recorded (run))
    sonde_profile_sources_open (sources, sonde_run_get_path (run), 0);
  else
    sonde_profile_sources_open (sources, sonde_profile_sources_get (sources, 0)->path, 0);
  return TRUE;
}

SondeTraceDocument *
sonde_profile_sources_get_document (SondeProfileSources *sources)
{
  g_return_val_if_fail (SONDE_IS_PROFILE_SOURCES (sources), NULL);
  return sources->document;
}

/* ---- object -------------------------------------------------------------- */

SondeProfileSources *
sonde_profile_sources_new (SondeRunStore *store, const char *const *traces, SondeProfileTitle title,
                           gpointer data)
{
  SondeProfileSources *sources = g_object_new (SONDE_TYPE_PROFILE_SOURCES, NULL);

  sources->store = g_object_ref (store);
  sources->title = title;
  sources->title_data = data;
  for (gsize i = 0; traces[i] != NULL; i++)
    g_ptr_array_add (sources->traces, g_strdup (traces[i]));
  list_sources (sources);
  return sources;
}

static void
sonde_profile_sources_dispose (GObject *object)
{
  close_document (SONDE_PROFILE_SOURCES (object));
  G_OBJECT_CLASS (sonde_profile_sources_parent_class)->dispose (object);
}

static void
sonde_profile_sources_finalize (GObject *object)
{
  SondeProfileSources *sources = SONDE_PROFILE_SOURCES (object);

  g_clear_object (&sources->store);
  g_ptr_array_unref (sources->traces);
  g_ptr_array_unref (sources->list);
  g_free (sources->signature);
  g_free (sources->awaited);
  G_OBJECT_CLASS (sonde_profile_sources_parent_class)->finalize (object);
}

static void
sonde_profile_sources_class_init (SondeProfileSourcesClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_profile_sources_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_profile_sources_finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  signals[DOCUMENT_CHANGED] = g_signal_new ("document-changed", G_TYPE_FROM_CLASS (klass),
                                            G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_profile_sources_init (SondeProfileSources *sources)
{
  sources->traces = g_ptr_array_new_with_free_func (g_free);
  sources->list = g_ptr_array_new_with_free_func (free_source);
}
