/* SPDX-License-Identifier: Apache-2.0
 * What a person says of runs: names, notes, tags, pins, colours; each change is a step of the
 * history and is saved soon after. */
#include <string.h>

#include "app/workspace/sonde-workspace-private.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-theme.h"

#define SAVE_AFTER_MS 500
#define RULE_GROUP "runs"
#define RULE_KEY "color-by"
#define REGEX_PREFIX "regex:"
#define UNMATCHED 0x808080 /* grey */

/* ---- a change ------------------------------------------------------------ */

/* @path: of the run; @values: before and after */
typedef struct
{
  char *path, *values[2];
} MarkedRun;

struct _SondeMarkChange
{
  SondeWorkspace *workspace; /* it owns the history that owns this */
  SondeRunMark mark;
  GPtrArray *runs; /* element-type MarkedRun */
};

static void
marked_run_free (void *data)
{
  MarkedRun *run = data;

  g_free (run->path);
  g_free (run->values[0]);
  g_free (run->values[1]);
  g_free (run);
}

static void
mark_change_free (void *data)
{
  SondeMarkChange *change = data;

  g_ptr_array_unref (change->runs);
  g_free (change);
}

SondeMarkChange *
sonde_mark_change_begin (SondeWorkspace *workspace, SondeRunMark mark)
{
  SondeMarkChange *change = g_new (SondeMarkChange, 1);

  *change = (SondeMarkChange){ workspace, mark, g_ptr_array_new_with_free_func (marked_run_free) };
  return change;
}

void
sonde_mark_change_put (SondeMarkChange *change, SondeRun *run, const char *value)
{
  const char *path = sonde_run_get_path (run);
  const char *old = sonde_run_marks_get (change->workspace->marks, path, change->mark);
  MarkedRun *marked;

  value = value != NULL && *value != '\0' ? value : NULL;
  if (g_strcmp0 (old, value) == 0)
    return;
  marked = g_new (MarkedRun, 1);
  *marked = (MarkedRun){ g_strdup (path), { g_strdup (old), g_strdup (value) } };
  g_ptr_array_add (change->runs, marked);
}

static gboolean
save (gpointer data)
{
  SondeWorkspace *workspace = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *sentence = NULL;

  workspace->save_source = 0;
  if (sonde_run_marks_save (workspace->marks, &error))
    return G_SOURCE_REMOVE;
  sentence
      = g_strdup_printf (_ ("Changes to runs cannot be saved: %s"), sonde_error_get_text (error));
  sonde_workspace_report (workspace, sentence);
  return G_SOURCE_REMOVE;
}

static void
on_marks_changed (SondeWorkspace *workspace)
{
  sonde_run_subset_update (workspace->shown);
  sonde_workspace_color_runs (workspace, TRUE);
  sonde_workspace_tell_choice (workspace);
}

static void
mark_change_apply (gpointer data, gboolean redo)
{
  SondeMarkChange *change = data;
  SondeWorkspace *workspace = change->workspace;

  for (guint i = 0; i < change->runs->len; i++)
    {
      const MarkedRun *run = change->runs->pdata[i];

      sonde_run_marks_set (workspace->marks, run->path, change->mark, run->values[redo]);
    }
  if (workspace->save_source == 0)
    workspace->save_source = g_timeout_add (SAVE_AFTER_MS, save, workspace);
  on_marks_changed (workspace);
}

void
sonde_mark_change_commit (SondeMarkChange *change, char *label)
{
  g_autofree char *owned = label;

  if (change->runs->len == 0)
    {
      mark_change_free (change);
      return;
    }
  mark_change_apply (change, TRUE);
  sonde_history_add (change->workspace->history, label, mark_change_apply, change,
                     mark_change_free);
}

/* ---- what is said -------------------------------------------------------- */

const char *
sonde_workspace_get_run_mark (SondeWorkspace *workspace, SondeRun *run, SondeRunMark mark)
{
  g_return_val_if_fail (SONDE_IS_RUN (run), NULL);
  return sonde_run_marks_get (workspace->marks, sonde_run_get_path (run), mark);
}

static const char *
get_label (SondeRunMark mark)
{
  static const char *const labels[SONDE_N_RUN_MARKS]
      = { N_ ("Display Name"), N_ ("Note"),      N_ ("Tags of Runs"),
          N_ ("Pin Runs"),     N_ ("Hide Runs"), N_ ("Colour of Runs") };

  return _ (labels[mark]);
}

void
sonde_workspace_mark_runs (SondeWorkspace *workspace, GPtrArray *runs, SondeRunMark mark,
                           const char *value)
{
  SondeMarkChange *change;

  g_return_if_fail (mark < SONDE_N_RUN_MARKS);
  change = sonde_mark_change_begin (workspace, mark);
  for (guint i = 0; i < runs->len; i++)
    sonde_mark_change_put (change, runs->pdata[i], value);
  sonde_mark_change_commit (change, g_strdup (get_label (mark)));
}

const char *
sonde_workspace_get_run_title (SondeWorkspace *workspace, SondeRun *run)
{
  const char *title = sonde_workspace_get_run_mark (workspace, run, SONDE_RUN_MARK_TITLE);

  if (title != NULL)
    return title;
  if (g_str_equal (sonde_run_get_name (run), "."))
    {
      g_autofree char *folder = g_path_get_basename (sonde_run_get_path (run));
      return sonde_window_settings_keep (workspace->settings, folder);
    }
  return sonde_run_get_name (run);
}

void
sonde_workspace_set_run_title (SondeWorkspace *workspace, SondeRun *run, const char *title)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new ();

  g_ptr_array_add (runs, run);
  sonde_workspace_mark_runs (workspace, runs, SONDE_RUN_MARK_TITLE, title);
}

/* ---- colours ------------------------------------------------------------- */

const char *
sonde_workspace_get_color_rule (SondeWorkspace *workspace)
{
  const char *rule = sonde_workspace_get_setting (workspace, RULE_GROUP, RULE_KEY);

  return rule != NULL ? rule : "run";
}

static GRegex *
compile_rule (const char *rule, GError **error)
{
  return g_regex_new (rule + strlen (REGEX_PREFIX), G_REGEX_OPTIMIZE, 0, error);
}

gboolean
sonde_workspace_set_color_rule (SondeWorkspace *workspace, const char *rule, GError **error)
{
  g_return_val_if_fail (rule != NULL, FALSE);
  if (g_str_has_prefix (rule, REGEX_PREFIX))
    {
      g_autoptr (GRegex) regex = compile_rule (rule, error);

      if (regex == NULL)
        return FALSE;
    }
  sonde_workspace_change_setting (workspace, RULE_GROUP, RULE_KEY,
                                  g_str_equal (rule, "run") ? NULL : rule, _ ("Colours of Runs"));
  return TRUE;
}

/* What runs of one colour share; NULL: it has none. (transfer full) */
static char *
dup_regex_group (GRegex *regex, SondeRun *run)
{
  g_autoptr (GMatchInfo) match = NULL;
  g_auto (GStrv) groups = NULL;

  if (!g_regex_match (regex, sonde_run_get_name (run), 0, &match))
    return NULL;
  groups = g_match_info_fetch_all (match);
  return g_strjoinv ("\n", groups[1] != NULL ? groups + 1 : groups);
}

/* The number of @group in order of appearance. @group: (transfer full) (nullable) */
static guint
number_of (GHashTable *numbers, char *group)
{
  gpointer number;

  if (group == NULL)
    return sonde_series_own_color (UNMATCHED);
  if (g_hash_table_lookup_extended (numbers, group, NULL, &number))
    {
      g_free (group);
      return GPOINTER_TO_UINT (number);
    }
  number = GUINT_TO_POINTER (g_hash_table_size (numbers));
  g_hash_table_insert (numbers, group, number);
  return GPOINTER_TO_UINT (number);
}

/* -1: the order of appearance. */
static gint64
color_of (SondeWorkspace *workspace, SondeRun *run, GRegex *regex, GHashTable *numbers)
{
  const char *own = sonde_workspace_get_run_mark (workspace, run, SONDE_RUN_MARK_COLOR);
  guint index;

  if (own != NULL && sonde_series_parse_color (own, &index))
    return index;
  if (regex != NULL)
    return number_of (numbers, dup_regex_group (regex, run));
  if (numbers != NULL)
    return number_of (numbers, g_path_get_dirname (sonde_run_get_name (run)));
  return -1;
}

void
sonde_workspace_color_runs (SondeWorkspace *workspace, gboolean anew)
{
  GListModel *runs = G_LIST_MODEL (workspace->store);
  const char *rule = sonde_workspace_get_color_rule (workspace);
  gboolean by_regex = g_str_has_prefix (rule, REGEX_PREFIX);
  g_autoptr (GRegex) regex = NULL;
  g_autoptr (GHashTable) numbers = NULL;

  if (!anew && workspace->colored == sonde_run_store_get_structure (workspace->store))
    return;
  workspace->colored = sonde_run_store_get_structure (workspace->store);
  regex = by_regex ? compile_rule (rule, NULL) : NULL;
  if (regex != NULL || g_str_equal (rule, "folder"))
    numbers = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      sonde_run_set_color_index (run, color_of (workspace, run, regex, numbers));
    }
}

/* ---- beginning and end --------------------------------------------------- */

static void
on_setting_changed (SondeWorkspace *workspace, const char *group, const char *key)
{
  if (!g_str_equal (group, RULE_GROUP) || !g_str_equal (key, RULE_KEY))
    return;
  sonde_workspace_color_runs (workspace, TRUE);
  sonde_workspace_tell_choice (workspace);
}

void
sonde_workspace_add_marks (SondeWorkspace *workspace)
{
  workspace->marks = sonde_run_marks_new (NULL);
  g_signal_connect_object (workspace->marks, "changed", G_CALLBACK (on_marks_changed), workspace,
                           G_CONNECT_SWAPPED);
  g_signal_connect (workspace, "setting-changed", G_CALLBACK (on_setting_changed), NULL);
}

void
sonde_workspace_clear_marks (SondeWorkspace *workspace)
{
  if (workspace->save_source != 0)
    {
      g_source_remove (workspace->save_source);
      save (workspace);
    }
}
