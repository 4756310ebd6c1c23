/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/cards/sonde-scalar-card.h"

#include "app/pages/scalars/sonde-derived-curve.h"
#include "app/pages/scalars/sonde-scalar-groups.h"
#include "app/widgets/sonde-turns.h"
#include "app/widgets/sonde-workspace-watch.h"
#include "data/browsing/sonde-chart-plans.h"
#include "data/base/sonde-format.h"

#define LIST_PACE 50 /* of the time that a list of the runs took, in which there is no other */
#define MANY_RUNS                                                                                  \
  500 /* whose series are listed when it is the card's turn, a millisecond for each hundred */
#define MAX_NOTES 16 /* runs that are asked what they say about the tag; a read of a file each */

struct _SondeScalarCard
{
  SondeTagCard parent_instance;
  SondeScalarPlanFunc find_plan; /* (nullable) */
  void *plan_data;
  SondeWorkspace *workspace;
  SondeScalarView *view;
  GHashTable *series; /* SondeSeries shown now -> itself */
  SondeChartSetup *setup;
  GHashTable *derived;       /* "run path\nexpression" -> SondeDerivedCurve */
  SondeScalarGroups *groups; /* of the shown runs, where the setup asks for them */
  SondeScalarParameterFunc find_parameter;
  void *parameter_data;
  gint64 next_list_us; /* while the store loads, runs are not listed before */
  guint64 structure;   /* of the workspace when they were chosen */
};

G_DEFINE_FINAL_TYPE (SondeScalarCard, sonde_scalar_card, SONDE_TYPE_TAG_CARD)

static const char *
get_tag (SondeScalarCard *card)
{
  return sonde_tag_card_get_tag (SONDE_TAG_CARD (card));
}

static const SondeChartPlan *
get_plan (SondeScalarCard *card)
{
  return card->find_plan != NULL && get_tag (card) != NULL
             ? card->find_plan (get_tag (card), card->plan_data)
             : NULL;
}

/* ---- how it is drawn ----------------------------------------------------- */

/* Rates are steps by nature: their corners are what one looks for. */
static gboolean
is_schedule (const char *tag)
{
  g_autofree char *lower = g_ascii_strdown (tag, -1);
  const char *slash = strrchr (lower, '/'), *name = slash != NULL ? slash + 1 : lower;

  return g_str_equal (name, "lr") || g_str_equal (name, "epoch") || g_str_has_prefix (name, "lr-")
         || g_str_has_prefix (name, "lr_") || strstr (name, "learning-rate") != NULL
         || strstr (name, "learning_rate") != NULL || strstr (name, "learning rate") != NULL;
}

static void
set_smoothing (SondeScalarCard *card, const SondeChartSetup *setup)
{
  gboolean asked = sonde_chart_setup_says (setup, SONDE_CHART_FIELD_SMOOTH);

  if (setup->smooth == SONDE_CHART_SMOOTH_NONE
      || (!asked && get_tag (card) != NULL && is_schedule (get_tag (card))))
    sonde_scalar_view_set_smoothing (card->view, 0);
  else if (setup->smooth == SONDE_CHART_SMOOTH_EXPONENTIAL)
    sonde_scalar_view_set_smoothing (card->view, setup->weight);
  else if (setup->smooth == SONDE_CHART_SMOOTH_RUNNING)
    sonde_scalar_view_set_smoothing_by (card->view, SONDE_SCALAR_SMOOTH_RUNNING, setup->window);
  else
    sonde_scalar_view_set_smoothing_by (card->view, SONDE_SCALAR_SMOOTH_GAUSSIAN, setup->sigma);
}

/* Runs of a group have steps and times since their start in common, nothing else. */
static SondeScalarX
choose_x (const SondeChartSetup *setup)
{
  if (setup->group != SONDE_CHART_GROUP_NONE && setup->x == SONDE_CHART_X_WALL)
    return SONDE_SCALAR_X_RELATIVE;
  if (setup->group != SONDE_CHART_GROUP_NONE && setup->x > SONDE_CHART_X_WALL)
    return SONDE_SCALAR_X_STEP;
  return setup->x > SONDE_CHART_X_WALL ? SONDE_SCALAR_X_METRIC : (SondeScalarX) setup->x;
}

/* The scalar whose values are the places on the x axis; NULL: steps or times are. */
static const char *
get_x_tag (SondeScalarCard *card, SondeRun *run)
{
  const SondeChartSetup *setup = card->setup;
  GPtrArray *tags;

  if (setup->x == SONDE_CHART_X_METRIC)
    return setup->x_tag;
  tags = setup->x == SONDE_CHART_X_EPOCH ? sonde_run_get_tags (run) : NULL;
  for (guint i = 0; tags != NULL && i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];
      const char *slash = strrchr (tag->tag, '/');

      if (tag->kind == SONDE_RECORD_SCALARS
          && g_ascii_strcasecmp (slash != NULL ? slash + 1 : tag->tag, "epoch") == 0)
        return tag->tag;
    }
  return NULL;
}

static void
set_x_series (SondeScalarCard *card)
{
  gboolean by_metric = choose_x (card->setup) == SONDE_SCALAR_X_METRIC;
  GHashTableIter iter;
  void *series;

  g_hash_table_iter_init (&iter, card->series);
  while (g_hash_table_iter_next (&iter, &series, NULL))
    {
      SondeRun *run = sonde_series_get_run (series);
      const char *tag = by_metric && run != NULL ? get_x_tag (card, run) : NULL;

      sonde_scalar_view_set_x_series (card->view, series,
                                      tag != NULL ? sonde_run_get_series (run, tag) : NULL);
    }
}

static void
apply_setup (SondeScalarCard *card)
{
  const SondeChartSetup *setup = card->setup;
  SondeScalarX x = choose_x (setup);

  set_smoothing (card, setup);
  sonde_scalar_view_set_log_y (card->view, setup->log_y);
  sonde_scalar_view_set_log_x (card->view, setup->log_x);
  sonde_scalar_view_set_x (card->view, x,
                           setup->x == SONDE_CHART_X_EPOCH    ? _ ("epoch")
                           : setup->x == SONDE_CHART_X_METRIC ? setup->x_tag
                                                              : NULL);
  sonde_scalar_view_set_limits (card->view, setup->x_low, setup->x_high, setup->y_low,
                                setup->y_high);
  sonde_scalar_view_set_clip (card->view, setup->clip);
  sonde_scalar_view_set_marks (card->view, (guint) setup->marks);
  sonde_scalar_view_set_order (card->view, setup->order);
  sonde_scalar_view_set_hidden (card->view, (const char *const *) setup->hidden);
  sonde_scalar_view_set_rules (card->view, (const char *const *) setup->rules,
                               (const char *const *) setup->milestones);
}

/* ---- which runs ---------------------------------------------------------- */

/* (nullable): the scalar of a tag, or what an expression with "=" in front gives. */
static SondeSeries *
find_series (SondeScalarCard *card, SondeRun *run, const char *tag)
{
  g_autofree char *key = NULL;
  SondeDerivedCurve *curve;

  if (*tag != '=')
    return sonde_run_get_series (run, tag);
  key = g_strconcat (sonde_run_get_path (run), "\n", tag, NULL);
  curve = g_hash_table_lookup (card->derived, key);
  if (curve == NULL)
    {
      curve = sonde_derived_curve_new (run, tag + 1);
      if (curve != NULL)
        g_hash_table_insert (card->derived, g_steal_pointer (&key), curve);
    }
  return curve != NULL ? sonde_derived_curve_get_series (curve) : NULL;
}

static gboolean
is_not_shown (void *key, void *curve, void *shown)
{
  return !g_hash_table_contains (shown, sonde_derived_curve_get_series (curve));
}

/* Shows one series; of several tags in a chart the second has the hue of its run with other
 * dashes. */
static void
show_series (SondeScalarCard *card, GHashTable *shown, SondeRun *run, const char *tag, guint number,
             gboolean name_tag)
{
  SondeSeries *series = find_series (card, run, tag);
  const char *title = sonde_workspace_get_run_title (card->workspace, run);
  g_autofree char *full = name_tag ? g_strdup_printf ("%s · %s", tag, title) : g_strdup (title);

  if (series == NULL || g_hash_table_contains (shown, series))
    return;
  g_hash_table_add (shown, g_object_ref (series));
  sonde_scalar_view_add (card->view, series, full,
                         sonde_series_with_dashes (sonde_run_get_color_index (run), number));
}

/* All tags that the plan names: exactly, or by expressions anchored at the start. */
static void
show_planned (SondeScalarCard *card, GHashTable *shown, SondeRun *run, const SondeChartPlan *plan)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  guint number = 0;

  for (guint p = 0; plan->tags[p] != NULL; p++)
    {
      g_autoptr (GRegex) pattern = sonde_chart_plan_compile (plan, p);

      for (guint i = 0; i < tags->len; i++)
        {
          const SondeRunTag *tag = tags->pdata[i];

          if (tag->kind == SONDE_RECORD_SCALARS
              && (pattern != NULL ? g_regex_match (pattern, tag->tag, 0, NULL)
                                  : g_str_equal (tag->tag, plan->tags[p])))
            show_series (card, shown, run, tag->tag, number++, TRUE);
        }
    }
}

/* The card's tag, and those that were put beside it. */
static void
show_own (SondeScalarCard *card, GHashTable *shown, SondeRun *run)
{
  char **curves = card->setup->curves;

  show_series (card, shown, run, get_tag (card), 0, curves != NULL);
  for (guint i = 0; curves != NULL && curves[i] != NULL; i++)
    show_series (card, shown, run, curves[i], i + 1, TRUE);
}

/* Triples of value, lower, upper. */
static void
show_bands (SondeScalarCard *card, SondeRun *run, const SondeChartPlan *plan)
{
  guint n = plan->is_margin ? g_strv_length (plan->tags) : 0;

  for (guint i = 0; i + 2 < n; i += 3)
    {
      SondeSeries *lower = sonde_run_get_series (run, plan->tags[i + 1]);
      SondeSeries *upper = sonde_run_get_series (run, plan->tags[i + 2]);

      if (lower != NULL && upper != NULL)
        sonde_scalar_view_set_band (card->view, lower, upper);
    }
}

/* ---- groups -------------------------------------------------------------- */

static gboolean
has_groups (SondeScalarCard *card)
{
  return card->setup->group != SONDE_CHART_GROUP_NONE && get_plan (card) == NULL;
}

static void
add_member (SondeScalarCard *card, SondeRun *run)
{
  const char *by = card->setup->group_by;
  SondeSeries *series = find_series (card, run, get_tag (card));
  const char *parameter = card->find_parameter != NULL && by != NULL
                                  && card->setup->group == SONDE_CHART_GROUP_PARAMETER
                              ? card->find_parameter (run, by, card->parameter_data)
                              : NULL;
  g_autofree char *name = NULL;

  if (series == NULL)
    return;
  name = sonde_scalar_groups_dup_name (
      card->setup, sonde_workspace_get_run_title (card->workspace, run), parameter);
  sonde_scalar_groups_add (card->groups, name, series);
}

static void
show_bound (SondeScalarCard *card, GHashTable *shown, SondeSeries *bound, guint number)
{
  g_hash_table_add (shown, g_object_ref (bound));
  sonde_scalar_view_add (card->view, bound, "", number);
  sonde_scalar_view_set_bound (card->view, bound);
}

static void
show_group (SondeScalarCard *card, GHashTable *shown, const SondeScalarGroup *group, guint number)
{
  g_autofree char *title = g_strdup_printf (P_ ("%s · %u run", "%s · %u runs", group->members->len),
                                            group->name, group->members->len);

  g_hash_table_add (shown, g_object_ref (group->centre));
  sonde_scalar_view_add (card->view, group->centre, title, number);
  if (group->lower == NULL)
    return;
  show_bound (card, shown, group->lower, number);
  show_bound (card, shown, group->upper, number);
  sonde_scalar_view_set_band (card->view, group->lower, group->upper);
}

static void
show_groups (SondeScalarCard *card, GHashTable *shown, GListModel *runs)
{
  GPtrArray *list;

  sonde_scalar_groups_begin (card->groups, (SondeChartCentre) card->setup->centre,
                             (SondeChartBand) card->setup->band);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      add_member (card, run);
    }
  sonde_scalar_groups_end (card->groups);
  list = sonde_scalar_groups_get_list (card->groups);
  for (guint i = 0; i < list->len; i++)
    show_group (card, shown, list->pdata[i], i);
}

/* ---- all of it ----------------------------------------------------------- */

/* (transfer full): the series shown now; each run's own, or those of groups. */
static GHashTable *
show_runs (SondeScalarCard *card, GListModel *runs, const SondeChartPlan *plan)
{
  GHashTable *shown = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  gboolean has_note = FALSE, grouped = has_groups (card);

  if (grouped)
    show_groups (card, shown, runs);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      if (plan != NULL)
        {
          show_planned (card, shown, run, plan);
          show_bands (card, run, plan);
        }
      else if (!grouped)
        show_own (card, shown, run);
      has_note
          = has_note || (i < MAX_NOTES && sonde_tag_card_take_note (SONDE_TAG_CARD (card), run));
    }
  return shown;
}

static void
update_series (SondeScalarCard *card)
{
  GListModel *runs = sonde_workspace_get_shown_runs (card->workspace);
  g_autoptr (GHashTable) shown = NULL;
  const SondeChartPlan *plan = get_plan (card);
  gint64 begun = g_get_monotonic_time ();
  GHashTableIter iter;
  void *series;

  card->structure = sonde_workspace_get_structure (card->workspace);
  /* Curves of several tags, or of groups, are not known by the colours of the runs. */
  sonde_scalar_view_set_legend (card->view,
                                plan != NULL || card->setup->curves != NULL || has_groups (card));
  shown = get_tag (card) != NULL ? show_runs (card, runs, plan)
                                 : g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  g_hash_table_iter_init (&iter, card->series);
  while (g_hash_table_iter_next (&iter, &series, NULL))
    if (!g_hash_table_contains (shown, series))
      sonde_scalar_view_remove (card->view, series);
  g_hash_table_unref (card->series);
  card->series = g_steal_pointer (&shown);
  if (!has_groups (card))
    g_hash_table_foreach_remove (card->derived, is_not_shown, card->series);
  set_x_series (card);
  card->next_list_us = begun + LIST_PACE * (g_get_monotonic_time () - begun);
}

static void
on_turn (void *card)
{
  update_series (card);
  sonde_scalar_view_set_waiting (((SondeScalarCard *) card)->view, FALSE);
}

static gboolean
waits (SondeScalarCard *card)
{
  return sonde_turns_waits (G_OBJECT (card->workspace), card);
}

/* At once, or, of many runs, when the cards before have been drawn. */
static void
queue_series (SondeScalarCard *card)
{
  GListModel *runs = sonde_workspace_get_shown_runs (card->workspace);

  if (g_list_model_get_n_items (runs) < MANY_RUNS && !waits (card))
    {
      update_series (card);
      return;
    }
  sonde_scalar_view_set_waiting (card->view, TRUE);
  sonde_turns_take (G_OBJECT (card->workspace), on_turn, card);
}

#define MAX_NAME 16 /* characters of a run's name in the head of a card */

/* Whose value it is, where there are several; runs differ rather at the end of their names. */
static char *
dup_owned (SondeScalarCard *card, SondeRun *run, const char *value)
{
  const char *title = sonde_workspace_get_run_title (card->workspace, run);
  glong length = g_utf8_strlen (title, -1);

  if (g_hash_table_size (card->series) < 2)
    return g_strdup (value);
  if (length <= MAX_NAME)
    return g_strdup_printf ("%s  %s", title, value);
  return g_strdup_printf ("…%s  %s", g_utf8_offset_to_pointer (title, length - MAX_NAME + 1),
                          value);
}

/* The value of the chosen run at the cursor. */
static void
update_value (SondeScalarCard *card)
{
  SondeRun *run = sonde_workspace_get_run (card->workspace);
  SondeStepCursor *cursor = sonde_workspace_get_cursor (card->workspace);
  SondeSeries *series
      = run != NULL && get_tag (card) != NULL ? find_series (card, run, get_tag (card)) : NULL;
  gint64 step = sonde_step_cursor_get_step (cursor);
  g_autofree char *text = NULL, *exact = NULL;
  SondePoint point;
  gboolean found = FALSE;

  if (series != NULL && sonde_step_cursor_is_following (cursor))
    found = sonde_series_get_last (series, &point);
  else if (series != NULL)
    {
      g_autoptr (GArray) at = sonde_series_query (series, step, step, 1);

      found = at->len > 0;
      if (found)
        point.value = g_array_index (at, SondeBucket, at->len - 1).last;
    }
  if (found)
    {
      g_autofree char *number = sonde_format_number (point.value);
      g_autofree char *digits = sonde_format_exact (point.value);

      text = dup_owned (card, run, number);
      exact = g_strdup_printf ("%s: %s", sonde_workspace_get_run_title (card->workspace, run),
                               digits);
    }
  sonde_tag_card_set_value (SONDE_TAG_CARD (card), text, exact);
}

/* While thousands of runs come, one message after the other, listing them anew takes no more than a part of
 * the time; the last message finds everything. */
static gboolean
is_early (SondeScalarCard *card)
{
  return g_get_monotonic_time () < card->next_list_us
         && sonde_run_store_is_loading (sonde_workspace_get_store (card->workspace));
}

static void
update (SondeScalarCard *card)
{
  if (get_tag (card) == NULL)
    return;
  if (card->structure != sonde_workspace_get_structure (card->workspace) && !is_early (card))
    queue_series (card);
  update_value (card);
}

void
sonde_scalar_card_update (SondeScalarCard *card)
{
  g_return_if_fail (SONDE_IS_SCALAR_CARD (card));
  queue_series (card);
  update_value (card);
}

static void
on_cursor (SondeScalarCard *card)
{
  SondeStepCursor *cursor = sonde_workspace_get_cursor (card->workspace);

  /* A cursor that follows stands on the right edge of every chart and would say nothing. */
  sonde_scalar_view_set_cursor (card->view, sonde_step_cursor_is_following (cursor)
                                                ? SONDE_SCALAR_NO_STEP
                                                : sonde_step_cursor_get_step (cursor));
  update_value (card);
}

static void
on_cursor_moved (SondeScalarCard *card, gint64 step)
{
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (card->workspace), step);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_scalar_card_tag_changed (SondeTagCard *base)
{
  SondeScalarCard *card = SONDE_SCALAR_CARD (base);

  sonde_scalar_view_clear (card->view);
  g_hash_table_remove_all (card->series);
  apply_setup (card);
  on_cursor (card);
  if (get_tag (card) != NULL)
    sonde_scalar_card_update (card);
  else
    sonde_turns_give_up (G_OBJECT (card->workspace), card);
}

static gboolean
sonde_scalar_card_is_settled (SondeTagCard *base)
{
  SondeScalarCard *card = SONDE_SCALAR_CARD (base);

  return sonde_scalar_view_is_settled (card->view) && !sonde_scalar_groups_is_busy (card->groups)
         && !waits (card);
}

void
sonde_scalar_card_set_plans (SondeScalarCard *card, SondeScalarPlanFunc find_plan, void *user_data)
{
  g_return_if_fail (SONDE_IS_SCALAR_CARD (card));
  card->find_plan = find_plan;
  card->plan_data = user_data;
}

void
sonde_scalar_card_set_setup (SondeScalarCard *card, const SondeChartSetup *setup)
{
  g_return_if_fail (SONDE_IS_SCALAR_CARD (card));
  if (sonde_chart_setup_equal (card->setup, setup))
    return;
  sonde_chart_setup_free (card->setup);
  card->setup = sonde_chart_setup_copy (setup);
  apply_setup (card);
  if (get_tag (card) != NULL)
    sonde_scalar_card_update (card);
}

void
sonde_scalar_card_set_parameters (SondeScalarCard *card, SondeScalarParameterFunc find,
                                  void *user_data)
{
  g_return_if_fail (SONDE_IS_SCALAR_CARD (card));
  card->find_parameter = find;
  card->parameter_data = user_data;
}

SondeScalarView *
sonde_scalar_card_get_view (SondeScalarCard *card)
{
  g_return_val_if_fail (SONDE_IS_SCALAR_CARD (card), NULL);
  return card->view;
}

static void
sonde_scalar_card_dispose (GObject *object)
{
  SondeScalarCard *card = SONDE_SCALAR_CARD (object);

  if (card->workspace != NULL)
    sonde_turns_give_up (G_OBJECT (card->workspace), card);
  g_clear_pointer (&card->groups, sonde_scalar_groups_free);
  g_clear_pointer (&card->derived, g_hash_table_unref);
  G_OBJECT_CLASS (sonde_scalar_card_parent_class)->dispose (object);
  g_clear_pointer (&card->series, g_hash_table_unref);
  g_clear_pointer (&card->setup, sonde_chart_setup_free);
  g_clear_object (&card->workspace);
}

static void
sonde_scalar_card_class_init (SondeScalarCardClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_scalar_card_dispose;
  SONDE_TAG_CARD_CLASS (klass)->tag_changed = sonde_scalar_card_tag_changed;
  SONDE_TAG_CARD_CLASS (klass)->is_settled = sonde_scalar_card_is_settled;
}

static void
on_groups_computed (void *user_data)
{
  sonde_view_invalidate (SONDE_VIEW (((SondeScalarCard *) user_data)->view));
}

static void
sonde_scalar_card_init (SondeScalarCard *card)
{
  card->series = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  card->setup = sonde_chart_setup_new ();
  card->derived = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                         (GDestroyNotify) sonde_derived_curve_free);
  card->groups = sonde_scalar_groups_new (on_groups_computed, card);
  card->view = SONDE_SCALAR_VIEW (sonde_scalar_view_new ());
  sonde_tag_card_set_content (SONDE_TAG_CARD (card), GTK_WIDGET (card->view));
  g_signal_connect_object (card->view, "cursor-moved", G_CALLBACK (on_cursor_moved), card,
                           G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_scalar_card_new (SondeWorkspace *workspace)
{
  SondeScalarCard *card = g_object_new (SONDE_TYPE_SCALAR_CARD, NULL);

  card->workspace = g_object_ref (workspace);
  sonde_watch_workspace (GTK_WIDGET (card), workspace, G_CALLBACK (update));
  g_signal_connect_object (sonde_workspace_get_cursor (workspace), "notify", G_CALLBACK (on_cursor),
                           card, G_CONNECT_SWAPPED);
  return GTK_WIDGET (card);
}
