/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-session-run.h"

#include <stdlib.h>

#include "engine/frontend/sonde-debug-describe.h"

struct _SondeSessionRun
{
  GObject parent_instance;

  SondeRunStore *store;       /* borrowed from the workspace, which owns this */
  SondeDebugSession *session; /* owned */
  char *folder;               /* (nullable): that of this session, as it was told */
  char *path;                 /* (nullable): the same as the store calls it */
  gboolean is_found;
};

enum
{
  CHANGED,
  RECORDING,
  FOUND,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeSessionRun, sonde_session_run, G_TYPE_OBJECT)

/* Free of links, as the paths of runs are. */
static char *
dup_real_path (const char *folder)
{
  char *real = realpath (folder, NULL);
  char *path = g_strdup (real != NULL ? real : folder);

  free (real);
  return path;
}

static void
look_for_run (SondeSessionRun *self)
{
  GListModel *runs = G_LIST_MODEL (self->store);

  for (guint i = 0; i < g_list_model_get_n_items (runs) && self->path != NULL && !self->is_found;
       i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      if (!g_str_equal (sonde_run_get_path (run), self->path))
        continue;
      self->is_found = TRUE;
      g_signal_emit (self, signals[FOUND], 0, run);
    }
}

static void
set_folder (SondeSessionRun *self, const char *folder)
{
  if (g_strcmp0 (folder, self->folder) == 0)
    return;
  g_free (self->folder);
  self->folder = g_strdup (folder);
  g_clear_pointer (&self->path, g_free);
  self->is_found = FALSE;
  if (folder == NULL)
    return;
  self->path = dup_real_path (folder);
  sonde_run_store_add_path (self->store, folder);
  g_signal_emit (self, signals[RECORDING], 0, self->path);
  look_for_run (self);
}

/* A session that is over leaves its run in the list. */
static void
on_session_changed (SondeSessionRun *self)
{
  const SondeSessionStatus *status = sonde_session_run_get_status (self);

  set_folder (self, status != NULL ? status->facts.run_directory : NULL);
  g_signal_emit (self, signals[CHANGED], 0);
}

SondeSessionRun *
sonde_session_run_new (SondeRunStore *store, SondeDebugSession *session)
{
  SondeSessionRun *self = g_object_new (SONDE_TYPE_SESSION_RUN, NULL);

  self->store = store;
  self->session = g_object_ref (session);
  g_signal_connect_object (session, "changed", G_CALLBACK (on_session_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "loaded", G_CALLBACK (on_session_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "over", G_CALLBACK (on_session_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (store, "items-changed", G_CALLBACK (look_for_run), self,
                           G_CONNECT_SWAPPED);
  return self;
}

const SondeSessionStatus *
sonde_session_run_get_status (SondeSessionRun *self)
{
  return sonde_debug_session_is_loaded (self->session)
             ? sonde_debug_session_get_status (self->session)
             : NULL;
}

char *
sonde_session_run_dup_text (SondeSessionRun *self)
{
  const SondeSessionStatus *status = sonde_session_run_get_status (self);

  return status != NULL
             ? sonde_debug_describe_briefly (status, sonde_debug_session_get_pace (self->session))
             : NULL;
}

gboolean
sonde_session_run_is_held (SondeSessionRun *self)
{
  const SondeSessionStatus *status = sonde_session_run_get_status (self);

  return status != NULL && self->path != NULL && status->state != SONDE_SESSION_RUNNING;
}

gboolean
sonde_session_run_holds (SondeSessionRun *self, SondeRun *run)
{
  return sonde_session_run_is_held (self) && g_str_equal (sonde_run_get_path (run), self->path);
}

static void
sonde_session_run_dispose (GObject *object)
{
  SondeSessionRun *self = SONDE_SESSION_RUN (object);

  g_clear_object (&self->session);
  G_OBJECT_CLASS (sonde_session_run_parent_class)->dispose (object);
}

static void
sonde_session_run_finalize (GObject *object)
{
  SondeSessionRun *self = SONDE_SESSION_RUN (object);

  g_free (self->folder);
  g_free (self->path);
  G_OBJECT_CLASS (sonde_session_run_parent_class)->finalize (object);
}

static void
sonde_session_run_class_init (SondeSessionRunClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_session_run_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_session_run_finalize;
  signals[CHANGED]
      = g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[RECORDING] = g_signal_new ("recording", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                     G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[FOUND] = g_signal_new ("found", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                 1, SONDE_TYPE_RUN);
}

static void
sonde_session_run_init (SondeSessionRun *self)
{
}
