/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-profile-child.h"

#include "app/workspace/sonde-progress-child.h"
#include "app/workspace/sonde-recording-folder.h"

struct _SondeProfileChild
{
  GObject parent_instance;
  SondeProgressChild *child;
  char *folder; /* of the profile that is being made */
};

enum
{
  CHANGED,
  DONE,
  FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeProfileChild, sonde_profile_child, G_TYPE_OBJECT)

static void
on_changed (SondeProfileChild *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
on_done (SondeProfileChild *self)
{
  g_autofree char *folder = g_steal_pointer (&self->folder);

  g_signal_emit (self, signals[DONE], 0, folder);
}

static void
on_failed (SondeProfileChild *self, const char *sentence)
{
  g_autofree char *folder = g_steal_pointer (&self->folder);

  sonde_recording_folder_remove (folder);
  g_signal_emit (self, signals[FAILED], 0, sentence);
}

void
sonde_profile_child_start (SondeProfileChild *child, const char *model, guint n_runs,
                           const char *folder)
{
  g_autofree char *runs = g_strdup_printf ("%u", n_runs);
  const char *const arguments[]
      = { "profile", "--progress", "--runs", runs, "--run", folder, "--", model, NULL };

  g_return_if_fail (SONDE_IS_PROFILE_CHILD (child));
  if (sonde_progress_child_is_running (child->child))
    return;
  child->folder = g_strdup (folder);
  sonde_progress_child_start (child->child, arguments);
}

static void
remove_folder (gpointer folder)
{
  sonde_recording_folder_remove (folder);
  g_free (folder);
}

void
sonde_profile_child_cancel (SondeProfileChild *child)
{
  g_return_if_fail (SONDE_IS_PROFILE_CHILD (child));
  if (sonde_progress_child_is_running (child->child))
    sonde_progress_child_cancel (child->child, remove_folder, g_steal_pointer (&child->folder));
}

gboolean
sonde_profile_child_is_running (SondeProfileChild *child)
{
  return sonde_progress_child_is_running (child->child);
}

gboolean
sonde_profile_child_get_progress (SondeProfileChild *child, guint *done, guint *n)
{
  return sonde_progress_child_get_progress (child->child, done, n);
}

static void
sonde_profile_child_finalize (GObject *object)
{
  SondeProfileChild *self = SONDE_PROFILE_CHILD (object);

  g_clear_object (&self->child);
  g_free (self->folder);
  G_OBJECT_CLASS (sonde_profile_child_parent_class)->finalize (object);
}

static void
sonde_profile_child_class_init (SondeProfileChildClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_profile_child_finalize;
  signals[CHANGED]
      = g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[DONE] = g_signal_new ("done", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                1, G_TYPE_STRING);
  signals[FAILED] = g_signal_new ("failed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sonde_profile_child_init (SondeProfileChild *self)
{
}

SondeProfileChild *
sonde_profile_child_new (const char *program)
{
  SondeProfileChild *self = g_object_new (SONDE_TYPE_PROFILE_CHILD, NULL);

  self->child = sonde_progress_child_new (program);
  g_signal_connect_object (self->child, "changed", G_CALLBACK (on_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->child, "done", G_CALLBACK (on_done), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->child, "failed", G_CALLBACK (on_failed), self, G_CONNECT_SWAPPED);
  return self;
}
