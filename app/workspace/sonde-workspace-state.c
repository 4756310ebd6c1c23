/* SPDX-License-Identifier: Apache-2.0
 * What the other files of the workspace stand on: its signals, settings and history. */
#include "app/workspace/sonde-workspace-private.h"
#include "data/base/sonde-text.h"

/* ---- signals ------------------------------------------------------------- */

void
sonde_workspace_tell (SondeWorkspace *workspace)
{
  g_signal_emit_by_name (workspace, "changed");
}

void
sonde_workspace_show_again (SondeWorkspace *workspace)
{
  sonde_workspace_tell_choice (workspace);
}

void
sonde_workspace_tell_choice (SondeWorkspace *workspace)
{
  workspace->n_choices++;
  sonde_workspace_tell (workspace);
}

void
sonde_workspace_show_run (SondeWorkspace *workspace, SondeRun *run)
{
  if (g_set_object (&workspace->run, run))
    g_object_notify (G_OBJECT (workspace), "run");
}

/* ---- what was opened ----------------------------------------------------- */

void
sonde_workspace_report (SondeWorkspace *workspace, const char *sentence)
{
  g_return_if_fail (workspace != NULL);
  g_signal_emit_by_name (workspace, "problem", sentence);
}

void
sonde_workspace_report_done (SondeWorkspace *workspace, const char *sentence)
{
  g_return_if_fail (workspace != NULL);
  g_signal_emit_by_name (workspace, "notice", sentence, _ ("Undo"), "win.undo");
}

/* ---- settings ------------------------------------------------------------ */

const char *
sonde_workspace_get_setting (SondeWorkspace *workspace, const char *group, const char *key)
{
  g_return_val_if_fail (workspace != NULL, NULL);
  return sonde_window_settings_get (workspace->settings, group, key);
}

void
sonde_workspace_set_setting (SondeWorkspace *workspace, const char *group, const char *key,
                             const char *value)
{
  g_return_if_fail (workspace != NULL);
  sonde_window_settings_set (workspace->settings, group, key, value);
}

/* One setting, before and after. */
typedef struct
{
  SondeWorkspace *workspace; /* it owns the history that owns this */
  char *group, *key, *values[2];
} SettingChange;

static void
setting_change_free (void *data)
{
  SettingChange *change = data;

  g_free (change->group);
  g_free (change->key);
  g_free (change->values[0]);
  g_free (change->values[1]);
  g_free (change);
}

static void
setting_change_apply (gpointer data, gboolean redo)
{
  SettingChange *change = data;

  sonde_workspace_set_setting (change->workspace, change->group, change->key, change->values[redo]);
  g_signal_emit_by_name (change->workspace, "setting-changed", change->group, change->key);
}

void
sonde_workspace_change_setting (SondeWorkspace *workspace, const char *group, const char *key,
                                const char *value, const char *label)
{
  const char *old = sonde_workspace_get_setting (workspace, group, key);
  SettingChange *change;

  if (g_strcmp0 (old, value) == 0)
    return;
  change = g_new (SettingChange, 1);
  *change = (SettingChange){
    workspace, g_strdup (group), g_strdup (key), { g_strdup (old), g_strdup (value) }
  };
  setting_change_apply (change, TRUE);
  sonde_history_add (workspace->history, label, setting_change_apply, change, setting_change_free);
}

SondeHistory *
sonde_workspace_get_history (SondeWorkspace *workspace)
{
  g_return_val_if_fail (workspace != NULL, NULL);
  return workspace->history;
}

guint64
sonde_workspace_get_structure (SondeWorkspace *workspace)
{
  g_return_val_if_fail (workspace != NULL, 0);
  return sonde_run_store_get_structure (workspace->store) + workspace->n_choices;
}
