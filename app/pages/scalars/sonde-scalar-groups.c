/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/scalars/sonde-scalar-groups.h"

#include "data/base/sonde-text.h"
#include "data/charts/sonde-curve-group.h"

#define PAUSE_MS 300 /* between two computations while runs grow */

struct _SondeScalarGroups
{
  GPtrArray *list; /* SondeScalarGroup */
  SondeChartCentre centre;
  SondeChartBand band;
  void (*changed) (void *user_data);
  void *user_data;
  GCancellable *cancellable; /* of the computation that runs */
  guint source;
};

/* What the thread works on: copies of all points. */
typedef struct
{
  SondeChartCentre centre;
  SondeChartBand band;
  GPtrArray *groups; /* GPtrArray of GArray of SondePoint */
  GArray *results;   /* SondeCurveGroup */
} Work;

static void on_member_changed (SondeSeries *member, SondeScalarGroups *groups);

static void
group_free (void *data)
{
  SondeScalarGroup *group = data;

  g_free (group->name);
  g_ptr_array_unref (group->members);
  g_clear_object (&group->centre);
  g_clear_object (&group->lower);
  g_clear_object (&group->upper);
  g_free (group);
}

static void
stop (SondeScalarGroups *groups)
{
  if (groups->cancellable != NULL)
    g_cancellable_cancel (groups->cancellable);
  g_clear_object (&groups->cancellable);
  g_clear_handle_id (&groups->source, g_source_remove);
  for (guint i = 0; i < groups->list->len; i++)
    {
      SondeScalarGroup *group = groups->list->pdata[i];

      for (guint k = 0; k < group->members->len; k++)
        g_signal_handlers_disconnect_by_func (group->members->pdata[k], on_member_changed, groups);
    }
}

SondeScalarGroups *
sonde_scalar_groups_new (void (*changed) (void *user_data), void *user_data)
{
  SondeScalarGroups *groups = g_new0 (SondeScalarGroups, 1);

  groups->list = g_ptr_array_new_with_free_func (group_free);
  groups->changed = changed;
  groups->user_data = user_data;
  return groups;
}

void
sonde_scalar_groups_free (SondeScalarGroups *groups)
{
  if (groups == NULL)
    return;
  stop (groups);
  g_ptr_array_unref (groups->list);
  g_free (groups);
}

/* ---- members ------------------------------------------------------------- */

void
sonde_scalar_groups_begin (SondeScalarGroups *groups, SondeChartCentre centre, SondeChartBand band)
{
  stop (groups);
  g_ptr_array_set_size (groups->list, 0);
  groups->centre = centre;
  groups->band = band;
}

static SondeScalarGroup *
find_group (SondeScalarGroups *groups, const char *name)
{
  SondeScalarGroup *group;

  for (guint i = 0; i < groups->list->len; i++)
    {
      group = groups->list->pdata[i];
      if (g_str_equal (group->name, name))
        return group;
    }
  group = g_new0 (SondeScalarGroup, 1);
  group->name = g_strdup (name);
  group->members = g_ptr_array_new_with_free_func (g_object_unref);
  group->centre = sonde_series_new_computed (NULL, NULL, 0);
  if (groups->band != SONDE_CHART_BAND_NONE)
    {
      group->lower = sonde_series_new_computed (NULL, NULL, 0);
      group->upper = sonde_series_new_computed (NULL, NULL, 0);
    }
  g_ptr_array_add (groups->list, group);
  return group;
}

void
sonde_scalar_groups_add (SondeScalarGroups *groups, const char *name, SondeSeries *member)
{
  g_ptr_array_add (find_group (groups, name)->members, g_object_ref (member));
  g_signal_connect (member, "changed", G_CALLBACK (on_member_changed), groups);
}

GPtrArray *
sonde_scalar_groups_get_list (SondeScalarGroups *groups)
{
  return groups->list;
}

gboolean
sonde_scalar_groups_is_busy (SondeScalarGroups *groups)
{
  return groups->cancellable != NULL || groups->source != 0;
}

/* ---- computing ----------------------------------------------------------- */

static void
work_free (void *data)
{
  Work *work = data;

  for (guint i = 0; i < work->results->len; i++)
    sonde_curve_group_clear (&g_array_index (work->results, SondeCurveGroup, i));
  g_array_unref (work->results);
  g_ptr_array_unref (work->groups);
  g_free (work);
}

/* Times relative to the run's start: those of runs that began on other days would mean nothing. */
static GArray *
copy_points (SondeSeries *series)
{
  SondeRun *run = sonde_series_get_run (series);
  gint64 start = run != NULL ? sonde_run_get_start_ns (run) : 0;
  guint n = (guint) MIN (sonde_series_get_n_points (series), G_MAXUINT / sizeof (SondePoint));
  GArray *points = g_array_sized_new (FALSE, FALSE, sizeof (SondePoint), n);

  g_array_set_size (points, n);
  g_array_set_size (points,
                    (guint) sonde_series_copy_points (series, 0, n, (SondePoint *) points->data));
  for (guint i = 0; i < points->len; i++)
    g_array_index (points, SondePoint, i).wall_time_ns -= start;
  return points;
}

static Work *
make_work (SondeScalarGroups *groups)
{
  Work *work = g_new0 (Work, 1);

  work->centre = groups->centre;
  work->band = groups->band;
  work->results = g_array_new (FALSE, TRUE, sizeof (SondeCurveGroup));
  work->groups = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  for (guint i = 0; i < groups->list->len; i++)
    {
      const SondeScalarGroup *group = groups->list->pdata[i];
      GPtrArray *members = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

      for (guint k = 0; k < group->members->len; k++)
        g_ptr_array_add (members, copy_points (group->members->pdata[k]));
      g_ptr_array_add (work->groups, members);
    }
  return work;
}

static void
compute (GTask *task, void *source, void *data, GCancellable *cancellable)
{
  Work *work = data;

  for (guint i = 0; i < work->groups->len && !g_cancellable_is_cancelled (cancellable); i++)
    {
      GPtrArray *members = work->groups->pdata[i];
      SondeCurveGroup result;

      sonde_curve_group_compute ((GArray *const *) members->pdata, members->len, work->centre,
                                 work->band, &result);
      g_array_append_val (work->results, result);
    }
  g_task_return_boolean (task, TRUE);
}

static void
set_points (SondeSeries *series, GArray *points)
{
  if (series != NULL && points != NULL)
    sonde_series_set_points (series, (const SondePoint *) points->data, points->len);
}

static void
on_computed (GObject *source, GAsyncResult *result, void *user_data)
{
  SondeScalarGroups *groups;
  Work *work = g_task_get_task_data (G_TASK (result));

  if (!g_task_propagate_boolean (G_TASK (result), NULL))
    return; /* @user_data may be gone */
  groups = user_data;
  for (guint i = 0; i < work->results->len && i < groups->list->len; i++)
    {
      const SondeCurveGroup *computed = &g_array_index (work->results, SondeCurveGroup, i);
      SondeScalarGroup *group = groups->list->pdata[i];

      set_points (group->centre, computed->centre);
      set_points (group->lower, computed->lower);
      set_points (group->upper, computed->upper);
    }
  g_clear_object (&groups->cancellable);
  groups->changed (groups->user_data);
}

static void
start (SondeScalarGroups *groups)
{
  g_autoptr (GTask) task = NULL;

  groups->cancellable = g_cancellable_new ();
  task = g_task_new (NULL, groups->cancellable, on_computed, groups);
  g_task_set_task_data (task, make_work (groups), work_free);
  g_task_run_in_thread (task, compute);
}

void
sonde_scalar_groups_end (SondeScalarGroups *groups)
{
  if (groups->list->len > 0)
    start (groups);
}

static gboolean
on_pause (void *user_data)
{
  SondeScalarGroups *groups = user_data;

  /* What runs now must come to its end, however fast the runs grow. */
  if (groups->cancellable != NULL)
    return G_SOURCE_CONTINUE;
  groups->source = 0;
  start (groups);
  return G_SOURCE_REMOVE;
}

static void
on_member_changed (SondeSeries *member, SondeScalarGroups *groups)
{
  if (groups->source == 0)
    groups->source = g_timeout_add (PAUSE_MS, on_pause, groups);
}

/* ---- names --------------------------------------------------------------- */

static char *
dup_match (const char *pattern, const char *title)
{
  g_autoptr (GRegex) regex
      = pattern != NULL ? g_regex_new (pattern, G_REGEX_CASELESS, 0, NULL) : NULL;
  g_autoptr (GMatchInfo) match = NULL;
  char *text;

  if (regex == NULL || !g_regex_match (regex, title, 0, &match))
    return NULL;
  text = g_match_info_fetch (match, g_match_info_get_match_count (match) > 1 ? 1 : 0);
  if (text != NULL && *text == '\0')
    g_clear_pointer (&text, g_free);
  return text;
}

char *
sonde_scalar_groups_dup_name (const SondeChartSetup *setup, const char *title,
                              const char *parameter)
{
  g_autofree char *name = NULL;
  const char *slash;

  if (setup->group == SONDE_CHART_GROUP_PARAMETER && parameter != NULL)
    return g_strdup_printf ("%s = %s", setup->group_by, parameter);
  if (setup->group == SONDE_CHART_GROUP_PATTERN)
    name = dup_match (setup->group_by, title);
  slash = strrchr (title, '/');
  if (setup->group == SONDE_CHART_GROUP_FOLDER)
    name = slash != NULL ? g_strndup (title, (gsize) (slash - title)) : g_strdup (_ ("General"));
  return name != NULL ? g_steal_pointer (&name) : g_strdup (title);
}
