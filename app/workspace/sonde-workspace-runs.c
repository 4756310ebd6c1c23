/* SPDX-License-Identifier: Apache-2.0
 * Which of the store's runs a window lists, and which of them its pages show. */
#include "app/workspace/sonde-workspace-private.h"
#include "data/base/sonde-text.h"

static gboolean
is_to_be_shown (SondeRun *run, void *user_data)
{
  SondeWorkspace *workspace = user_data;

  return sonde_workspace_is_shown (workspace, run)
         && sonde_workspace_matches_filter (workspace, run);
}

static gboolean
matches (SondeWorkspace *workspace, const char *text)
{
  return text != NULL && g_regex_match (workspace->filter, text, 0, NULL);
}

gboolean
sonde_workspace_matches_filter (SondeWorkspace *workspace, SondeRun *run)
{
  if (workspace->filter == NULL)
    return TRUE;
  return matches (workspace, sonde_run_get_name (run))
         || matches (workspace, sonde_workspace_get_run_title (workspace, run))
         || matches (workspace, sonde_workspace_get_run_mark (workspace, run, SONDE_RUN_MARK_TAGS))
         || matches (workspace, sonde_workspace_get_run_mark (workspace, run, SONDE_RUN_MARK_NOTE));
}

/* (transfer full) (nullable) */
static SondeRun *
dup_first_match (SondeWorkspace *workspace)
{
  GListModel *runs = G_LIST_MODEL (workspace->store);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      if (sonde_workspace_matches_filter (workspace, run))
        return g_steal_pointer (&run);
    }
  return NULL;
}

/* A page of one run shows one that is listed; that which was chosen comes back with the filter that
 * lists it again. */
static void
leave_filtered_run (SondeWorkspace *workspace)
{
  SondeRun *chosen = workspace->filtered_run != NULL ? workspace->filtered_run : workspace->run;
  g_autoptr (SondeRun) kept = chosen != NULL ? g_object_ref (chosen) : NULL;
  g_autoptr (SondeRun) other = NULL;

  if (kept == NULL)
    return;
  if (sonde_workspace_matches_filter (workspace, kept))
    {
      sonde_workspace_show_run (workspace, kept);
      g_clear_object (&workspace->filtered_run);
      return;
    }
  other = dup_first_match (workspace);
  if (other == NULL)
    return;
  sonde_workspace_show_run (workspace, other);
  g_set_object (&workspace->filtered_run, kept);
}

gboolean
sonde_workspace_set_filter (SondeWorkspace *workspace, const char *pattern, GError **error)
{
  GRegex *regex = NULL;

  g_return_val_if_fail (workspace != NULL, FALSE);
  if (pattern != NULL && *pattern != '\0')
    {
      regex = g_regex_new (pattern, G_REGEX_CASELESS | G_REGEX_OPTIMIZE, 0, error);
      if (regex == NULL)
        return FALSE;
    }
  g_clear_pointer (&workspace->filter, g_regex_unref);
  workspace->filter = regex;
  sonde_run_subset_update (workspace->shown);
  leave_filtered_run (workspace);
  sonde_workspace_tell_choice (workspace);
  return TRUE;
}

SondeRun *
sonde_workspace_get_run (SondeWorkspace *workspace)
{
  g_return_val_if_fail (workspace != NULL, NULL);
  return workspace->run;
}

void
sonde_workspace_set_run (SondeWorkspace *workspace, SondeRun *run)
{
  g_return_if_fail (workspace != NULL);
  g_clear_object (&workspace->filtered_run);
  workspace->run_is_default = workspace->run_is_default && run == workspace->run;
  sonde_workspace_show_run (workspace, run);
}

gboolean
sonde_workspace_prefer_run (SondeWorkspace *workspace, SondeRun *run)
{
  g_return_val_if_fail (workspace != NULL, FALSE);
  if (!workspace->run_is_default)
    return FALSE;
  sonde_workspace_set_run (workspace, run);
  workspace->run_is_default = TRUE;
  return TRUE;
}

static gboolean
holds_one_of (SondeRun *run, const SondeRecordKind *kinds, guint n_kinds)
{
  GPtrArray *tags = sonde_run_get_tags (run);

  for (guint i = 0; i < tags->len; i++)
    for (guint k = 0; k < n_kinds; k++)
      if (((const SondeRunTag *) tags->pdata[i])->kind == kinds[k])
        return TRUE;
  return FALSE;
}

SondeRun *
sonde_workspace_dup_run_with (SondeWorkspace *workspace, const SondeRecordKind *kinds,
                              guint n_kinds)
{
  GListModel *runs = sonde_run_subset_get_model (workspace->shown);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      if (holds_one_of (run, kinds, n_kinds))
        return g_steal_pointer (&run);
    }
  return NULL;
}

/* What explains samples is numbered by them: that is no step of a training. */
static gboolean
has_steps (SondeRecordKind kind)
{
  return kind != SONDE_RECORD_SALIENCY && kind != SONDE_RECORD_COUNTERFACTUAL
         && kind != SONDE_RECORD_METRIC && kind != SONDE_RECORD_EXPLAIN;
}

/* Over everything that has steps: images and curves of foreign runs may come without a scalar. */
static gint64
get_last_step (SondeRun *run)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  gint64 last = sonde_run_get_last_step (run);

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];

      if (tag->kind != SONDE_RECORD_SCALARS && has_steps (tag->kind))
        last = MAX (last, tag->last_step);
    }
  return last;
}

static void
take_last (SondeWorkspace *workspace, SondeRun *run)
{
  gint64 last = get_last_step (run);

  if (last <= workspace->last)
    return;
  workspace->last = last;
  workspace->last_run = run;
}

static void
find_last (SondeWorkspace *workspace)
{
  GListModel *runs = sonde_run_subset_get_model (workspace->shown);

  workspace->last = -1;
  workspace->last_run = NULL;
  workspace->last_structure = sonde_workspace_get_structure (workspace);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      take_last (workspace, run);
    }
}

/* FALSE: the run that was ahead of all others is not what it was. */
static gboolean
follow_last (SondeWorkspace *workspace)
{
  GPtrArray *changed = sonde_run_store_get_changed (workspace->store);

  if (workspace->last_structure != sonde_workspace_get_structure (workspace))
    return FALSE;
  for (guint i = 0; i < changed->len; i++)
    {
      SondeRun *run = changed->pdata[i];

      if (run == workspace->last_run && get_last_step (run) < workspace->last)
        return FALSE;
      if (is_to_be_shown (run, workspace))
        take_last (workspace, run);
    }
  return TRUE;
}

/* An arrival in one of thousands of runs asks that one alone. */
static void
update_last (SondeWorkspace *workspace)
{
  if (!follow_last (workspace))
    find_last (workspace);
  sonde_step_cursor_set_last (workspace->cursor, MAX (workspace->last, 0));
}

/* The one that began last, of those with something in them: a folder above trials often has a file of its
 * own with nothing in it. (transfer full) (nullable) */
static SondeRun *
dup_latest_run (SondeWorkspace *workspace)
{
  GListModel *runs = G_LIST_MODEL (workspace->store);
  g_autoptr (SondeRun) latest = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      if (sonde_run_get_tags (run)->len > 0
          && (latest == NULL || sonde_run_get_start_ns (run) > sonde_run_get_start_ns (latest)))
        g_set_object (&latest, run);
    }
  return g_steal_pointer (&latest);
}

/* Once, when all that was there has been read: what comes later does not take the page away from who reads
 * it. */
static void
prefer_latest_run (SondeWorkspace *workspace)
{
  g_autoptr (SondeRun) latest = NULL;

  if (!workspace->run_is_default || workspace->run == NULL
      || sonde_run_store_is_loading (workspace->store)
      || (workspace->latest_is_chosen && sonde_run_get_tags (workspace->run)->len > 0))
    return;
  latest = dup_latest_run (workspace);
  if (latest == NULL)
    return;
  workspace->latest_is_chosen = TRUE;
  sonde_workspace_prefer_run (workspace, latest);
}

static void
on_store_changed (SondeWorkspace *workspace)
{
  prefer_latest_run (workspace);
  update_last (workspace);
  sonde_workspace_color_runs (workspace, FALSE);
  sonde_workspace_tell (workspace);
}

static gboolean
is_in_store (SondeWorkspace *workspace, SondeRun *wanted)
{
  GListModel *runs = G_LIST_MODEL (workspace->store);

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      if (run == wanted)
        return TRUE;
    }
  return FALSE;
}

/* One by one, when thousands come at once: the store says "changed" when all of them have. */
static void
on_runs_changed (GListModel *runs, guint position, guint removed, guint added,
                 SondeWorkspace *workspace)
{
  g_autoptr (SondeRun) first = NULL;

  if (removed > 0 && workspace->filtered_run != NULL
      && !is_in_store (workspace, workspace->filtered_run))
    g_clear_object (&workspace->filtered_run);
  if (workspace->run != NULL && (removed == 0 || is_in_store (workspace, workspace->run)))
    return;
  first = g_list_model_get_item (runs, 0);
  sonde_workspace_set_run (workspace, first);
  workspace->run_is_default = TRUE;
}

/* ---- boxes --------------------------------------------------------------- */

gboolean
sonde_workspace_is_shown (SondeWorkspace *workspace, SondeRun *run)
{
  g_return_val_if_fail (workspace != NULL, FALSE);
  return sonde_workspace_get_run_mark (workspace, run, SONDE_RUN_MARK_HIDDEN) == NULL;
}

void
sonde_workspace_show_runs (SondeWorkspace *workspace, GPtrArray *runs, gboolean shown)
{
  SondeMarkChange *change;

  g_return_if_fail (workspace != NULL);
  change = sonde_mark_change_begin (workspace, SONDE_RUN_MARK_HIDDEN);
  for (guint i = 0; i < runs->len; i++)
    sonde_mark_change_put (change, runs->pdata[i], shown ? NULL : "true");
  sonde_mark_change_commit (change, g_strdup (shown ? _ ("Show Runs") : _ ("Hide Runs")));
}

void
sonde_workspace_set_shown (SondeWorkspace *workspace, SondeRun *run, gboolean shown)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new ();

  g_ptr_array_add (runs, run);
  sonde_workspace_show_runs (workspace, runs, shown);
}

void
sonde_workspace_show_only_runs (SondeWorkspace *workspace, GPtrArray *runs)
{
  GListModel *all = G_LIST_MODEL (workspace->store);
  g_autoptr (GHashTable) wanted = g_hash_table_new (NULL, NULL);
  SondeMarkChange *change = sonde_mark_change_begin (workspace, SONDE_RUN_MARK_HIDDEN);

  for (guint i = 0; runs != NULL && i < runs->len; i++)
    g_hash_table_add (wanted, runs->pdata[i]);
  for (guint i = 0; i < g_list_model_get_n_items (all); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (all, i);

      sonde_mark_change_put (change, run,
                             runs == NULL || g_hash_table_contains (wanted, run) ? NULL : "true");
    }
  sonde_mark_change_commit (change,
                            g_strdup (runs == NULL ? _ ("Show All Runs") : _ ("Show Only These")));
}

void
sonde_workspace_show_only (SondeWorkspace *workspace, SondeRun *run)
{
  g_autoptr (GPtrArray) runs = g_ptr_array_new ();

  if (run != NULL)
    g_ptr_array_add (runs, run);
  sonde_workspace_show_only_runs (workspace, run != NULL ? runs : NULL);
}

void
sonde_workspace_invert_shown (SondeWorkspace *workspace)
{
  GListModel *all = G_LIST_MODEL (workspace->store);
  SondeMarkChange *change = sonde_mark_change_begin (workspace, SONDE_RUN_MARK_HIDDEN);

  for (guint i = 0; i < g_list_model_get_n_items (all); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (all, i);

      if (sonde_workspace_matches_filter (workspace, run))
        sonde_mark_change_put (change, run,
                               sonde_workspace_is_shown (workspace, run) ? "true" : NULL);
    }
  sonde_mark_change_commit (change, g_strdup (_ ("Invert Which Runs Are Shown")));
}

void
sonde_workspace_show_only_matching (SondeWorkspace *workspace)
{
  GListModel *all = G_LIST_MODEL (workspace->store);
  SondeMarkChange *change = sonde_mark_change_begin (workspace, SONDE_RUN_MARK_HIDDEN);

  for (guint i = 0; i < g_list_model_get_n_items (all); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (all, i);

      sonde_mark_change_put (change, run,
                             sonde_workspace_matches_filter (workspace, run) ? NULL : "true");
    }
  sonde_mark_change_commit (change, g_strdup (_ ("Show Only Matching Runs")));
}

/* ---- the store ----------------------------------------------------------- */

void
sonde_workspace_add_runs (SondeWorkspace *workspace)
{
  workspace->shown
      = sonde_run_subset_new (G_LIST_MODEL (workspace->store), is_to_be_shown, workspace);
  g_signal_connect_object (workspace->store, "changed", G_CALLBACK (on_store_changed), workspace,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace->store, "items-changed", G_CALLBACK (on_runs_changed),
                           workspace, 0);
}

GListModel *
sonde_workspace_get_shown_runs (SondeWorkspace *workspace)
{
  g_return_val_if_fail (workspace != NULL, NULL);
  return sonde_run_subset_get_model (workspace->shown);
}
