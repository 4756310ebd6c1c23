/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-opened-paths.h"
#include "app/workspace/sonde-workspace-private.h"
#include "data/base/sonde-text.h"

enum
{
  PROP_0,
  PROP_RUN,
  PROP_PROFILE,
  N_PROPERTIES
};

enum
{
  CHANGED,
  SETTING_CHANGED,
  PROBLEM,
  NOTICE,
  SESSION_CHANGED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPERTIES];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeWorkspace, sonde_workspace, G_TYPE_OBJECT)

/* ---- settings ------------------------------------------------------------ */

gboolean
sonde_workspace_save_settings (SondeWorkspace *workspace, GError **error)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), FALSE);
  return sonde_window_settings_save (workspace->settings, error);
}

/* ---- runs ---------------------------------------------------------------- */

/* ---- what was opened ----------------------------------------------------- */

static void
on_model_changed (SondeWorkspace *workspace)
{
  g_signal_emit (workspace, signals[CHANGED], 0);
}

static void
add_model (SondeWorkspace *workspace)
{
  for (gsize i = 0; workspace->documents[i] != NULL && workspace->model == NULL; i++)
    if (sonde_opened_model_is_path (workspace->documents[i]))
      workspace->model = sonde_opened_model_new (workspace->documents[i]);
  if (workspace->model != NULL)
    g_signal_connect_object (workspace->model, "changed", G_CALLBACK (on_model_changed), workspace,
                             G_CONNECT_SWAPPED);
}

SondeOpenedModel *
sonde_workspace_get_model (SondeWorkspace *workspace)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), NULL);
  return workspace->model;
}

const char *
sonde_workspace_get_missing_path (SondeWorkspace *workspace)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), NULL);
  for (gsize i = 0; workspace->paths[i] != NULL; i++)
    if (!g_file_test (workspace->paths[i], G_FILE_TEST_EXISTS))
      return workspace->paths[i];
  return NULL;
}

/* ---- what is debugged ---------------------------------------------------- */

GObject *
sonde_workspace_get_session (SondeWorkspace *workspace)
{
  return (GObject *) workspace->session;
}

SondeSessionRun *
sonde_workspace_get_session_run (SondeWorkspace *workspace)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), NULL);
  return workspace->session_run;
}

gboolean
sonde_workspace_is_running (SondeWorkspace *workspace, SondeRun *run)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), FALSE);
  return sonde_run_is_live (run)
         && (workspace->session_run == NULL
             || !sonde_session_run_holds (workspace->session_run, run));
}

guint
sonde_workspace_count_running (SondeWorkspace *workspace)
{
  GListModel *runs;
  guint n_running = 0;

  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), 0);
  /* who is held is looked for only while somebody is */
  if (workspace->session_run == NULL || !sonde_session_run_is_held (workspace->session_run))
    return sonde_run_store_get_n_live (workspace->store);
  runs = G_LIST_MODEL (workspace->store);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      n_running += sonde_workspace_is_running (workspace, run) ? 1 : 0;
    }
  return n_running;
}

/* Lists and charts tell a run that is held from one that is written. */
static void
on_session_changed (SondeWorkspace *workspace)
{
  gboolean is_held = sonde_session_run_is_held (workspace->session_run);

  if (is_held != workspace->is_held)
    {
      workspace->is_held = is_held;
      sonde_workspace_tell_choice (workspace);
    }
  g_signal_emit (workspace, signals[SESSION_CHANGED], 0);
}

/* Once a folder: nobody is to search for what a training wrote. */
static void
on_recording (SondeWorkspace *workspace, const char *folder)
{
  g_autofree char *name = g_path_get_basename (folder), *parent = g_path_get_dirname (folder);
  g_autofree char *action = g_strdup_printf ("win.show-curves::%s", folder);
  g_autofree char *sentence = NULL;

  /* Translators: a run's folder and the folder that it is in. */
  sentence = g_strdup_printf (_ ("Recording to “%s” in “%s”"), name, parent);
  g_signal_emit (workspace, signals[NOTICE], 0, sentence, _ ("Show"), action);
}

static void
on_recorded_run (SondeWorkspace *workspace, SondeRun *run)
{
  sonde_workspace_prefer_run (workspace, run);
}

void
sonde_workspace_set_session (SondeWorkspace *workspace, GObject *session)
{
  g_return_if_fail (SONDE_IS_WORKSPACE (workspace));
  g_return_if_fail (workspace->session == NULL);
  workspace->session = SONDE_DEBUG_SESSION (g_object_ref (session));
  workspace->session_run = sonde_session_run_new (workspace->store, workspace->session);
  g_signal_connect_object (workspace->session_run, "changed", G_CALLBACK (on_session_changed),
                           workspace, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace->session_run, "recording", G_CALLBACK (on_recording),
                           workspace, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace->session_run, "found", G_CALLBACK (on_recorded_run), workspace,
                           G_CONNECT_SWAPPED);
  on_session_changed (workspace);
}

/* ---- the rest ------------------------------------------------------------ */

/* All runs are looked through only when there may be others, or other kinds of records. */
static void
update_profiles (SondeWorkspace *workspace)
{
  guint64 structure = sonde_workspace_get_structure (workspace);

  if (workspace->profiled == structure)
    {
      sonde_profile_sources_follow (workspace->profiles);
      return;
    }
  workspace->profiled = structure;
  sonde_profile_sources_update (workspace->profiles);
}

SondeWorkspace *
sonde_workspace_new (const SondeIo *io, const char *program, const char *const *paths,
                     const char *index_folder)
{
  SondeWorkspace *workspace = g_object_new (SONDE_TYPE_WORKSPACE, NULL);
  static const char *const none[] = { NULL };
  SondeOpenedPaths opened;

  paths = paths != NULL ? paths : none;
  sonde_opened_paths_init (&opened, paths);
  workspace->program = g_strdup (program);
  workspace->paths = g_strdupv ((char **) paths);
  workspace->documents = g_steal_pointer (&opened.documents);
  workspace->explained = g_steal_pointer (&opened.explained);
  workspace->traces = g_steal_pointer (&opened.traces);
  if (opened.dump != NULL)
    sonde_workspace_set_debug_arguments (workspace,
                                         (const char *const[]){ "debug", opened.dump, NULL });
  g_free (opened.dump);
  workspace->store = sonde_run_store_new (io, (const char *const *) opened.runs, index_folder);
  g_strfreev (opened.runs);
  add_model (workspace);
  sonde_workspace_add_marks (workspace);
  sonde_workspace_add_runs (workspace);
  workspace->profiles
      = sonde_profile_sources_new (workspace->store, (const char *const *) workspace->traces,
                                   (SondeProfileTitle) sonde_workspace_get_run_title, workspace);
  g_signal_connect (workspace, "changed", G_CALLBACK (update_profiles), NULL);
  workspace->recorder = sonde_profile_recorder_new (program, workspace->profiles);
  g_signal_connect_object (workspace->recorder, "problem", G_CALLBACK (sonde_workspace_report),
                           workspace, G_CONNECT_SWAPPED);
  return workspace;
}

void
sonde_workspace_start (SondeWorkspace *workspace)
{
  g_return_if_fail (SONDE_IS_WORKSPACE (workspace));
  sonde_run_store_start (workspace->store);
  if (workspace->model != NULL)
    sonde_opened_model_start (workspace->model);
}

const char *
sonde_workspace_get_program (SondeWorkspace *workspace)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), NULL);
  return workspace->program;
}

SondeRunStore *
sonde_workspace_get_store (SondeWorkspace *workspace)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), NULL);
  return workspace->store;
}

SondeStepCursor *
sonde_workspace_get_cursor (SondeWorkspace *workspace)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), NULL);
  return workspace->cursor;
}

const char *
sonde_workspace_get_explained (SondeWorkspace *workspace)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), NULL);
  return workspace->explained;
}

const char *
sonde_workspace_get_trace (SondeWorkspace *workspace)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), NULL);
  return workspace->traces[0];
}

SondeProfileRecorder *
sonde_workspace_get_recorder (SondeWorkspace *workspace)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), NULL);
  return workspace->recorder;
}

SondeProfileSources *
sonde_workspace_get_profiles (SondeWorkspace *workspace)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), NULL);
  return workspace->profiles;
}

SondeTraceDocument *
sonde_workspace_get_profile (SondeWorkspace *workspace)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), NULL);
  return workspace->profile;
}

void
sonde_workspace_set_profile (SondeWorkspace *workspace, SondeTraceDocument *document)
{
  g_return_if_fail (SONDE_IS_WORKSPACE (workspace));
  if (g_set_object (&workspace->profile, document))
    g_object_notify_by_pspec (G_OBJECT (workspace), properties[PROP_PROFILE]);
}

const char *const *
sonde_workspace_get_documents (SondeWorkspace *workspace)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), NULL);
  return (const char *const *) workspace->documents;
}

const char *const *
sonde_workspace_get_paths (SondeWorkspace *workspace)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), NULL);
  return (const char *const *) workspace->paths;
}

void
sonde_workspace_add_path (SondeWorkspace *workspace, const char *path)
{
  guint n;

  g_return_if_fail (SONDE_IS_WORKSPACE (workspace) && path != NULL);
  if (g_strv_contains ((const char *const *) workspace->paths, path))
    return;
  n = g_strv_length (workspace->paths);
  workspace->paths = g_renew (char *, workspace->paths, n + 2);
  workspace->paths[n] = g_strdup (path);
  workspace->paths[n + 1] = NULL;
  sonde_run_store_add_path (workspace->store, path);
  sonde_workspace_tell_choice (workspace);
}

const char *const *
sonde_workspace_get_debug_arguments (SondeWorkspace *workspace)
{
  g_return_val_if_fail (SONDE_IS_WORKSPACE (workspace), NULL);
  return (const char *const *) workspace->debug_arguments;
}

void
sonde_workspace_set_debug_arguments (SondeWorkspace *workspace, const char *const *arguments)
{
  g_return_if_fail (SONDE_IS_WORKSPACE (workspace));
  g_strfreev (workspace->debug_arguments);
  workspace->debug_arguments = g_strdupv ((char **) arguments);
}

static void
sonde_workspace_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_RUN)
    g_value_set_object (value, SONDE_WORKSPACE (object)->run);
  else if (id == PROP_PROFILE)
    g_value_set_object (value, SONDE_WORKSPACE (object)->profile);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
sonde_workspace_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_RUN)
    sonde_workspace_set_run (SONDE_WORKSPACE (object), g_value_get_object (value));
  else if (id == PROP_PROFILE)
    sonde_workspace_set_profile (SONDE_WORKSPACE (object), g_value_get_object (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
sonde_workspace_dispose (GObject *object)
{
  SondeWorkspace *workspace = SONDE_WORKSPACE (object);

  g_clear_object (&workspace->recorder);
  g_clear_object (&workspace->profiles);
  g_clear_object (&workspace->model);
  g_clear_object (&workspace->run);
  g_clear_object (&workspace->filtered_run);
  g_clear_object (&workspace->profile);
  g_clear_object (&workspace->session_run);
  g_clear_object (&workspace->session);
  sonde_workspace_clear_marks (workspace);
  g_clear_object (&workspace->history);
  g_clear_pointer (&workspace->shown, sonde_run_subset_free);
  g_clear_object (&workspace->store);
  g_clear_object (&workspace->cursor);
  G_OBJECT_CLASS (sonde_workspace_parent_class)->dispose (object);
}

static void
sonde_workspace_finalize (GObject *object)
{
  SondeWorkspace *workspace = SONDE_WORKSPACE (object);

  g_free (workspace->program);
  g_strfreev (workspace->paths);
  g_strfreev (workspace->documents);
  g_free (workspace->explained);
  g_strfreev (workspace->traces);
  g_strfreev (workspace->debug_arguments);
  g_clear_pointer (&workspace->filter, g_regex_unref);
  g_clear_object (&workspace->marks);
  sonde_window_settings_free (workspace->settings);
  G_OBJECT_CLASS (sonde_workspace_parent_class)->finalize (object);
}

static void
sonde_workspace_class_init (SondeWorkspaceClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = sonde_workspace_dispose;
  object_class->finalize = sonde_workspace_finalize;
  object_class->get_property = sonde_workspace_get_property;
  object_class->set_property = sonde_workspace_set_property;
  properties[PROP_RUN]
      = g_param_spec_object ("run", NULL, NULL, SONDE_TYPE_RUN,
                             G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  properties[PROP_PROFILE]
      = g_param_spec_object ("profile", NULL, NULL, SONDE_TYPE_TRACE_DOCUMENT,
                             G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  signals[SETTING_CHANGED]
      = g_signal_new ("setting-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                      NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_STRING);
  signals[PROBLEM] = g_signal_new ("problem", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[NOTICE]
      = g_signal_new ("notice", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                      G_TYPE_NONE, 3, G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING);
  signals[SESSION_CHANGED] = g_signal_new ("session-changed", G_TYPE_FROM_CLASS (klass),
                                           G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_workspace_init (SondeWorkspace *workspace)
{
  workspace->cursor = sonde_step_cursor_new ();
  workspace->settings = sonde_window_settings_new ();
  workspace->history = sonde_history_new ();
}
