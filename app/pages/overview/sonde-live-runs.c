/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/overview/sonde-live-runs.h"

#include "app/pages/overview/sonde-run-bar.h"
#include "app/widgets/sonde-tab-stop.h"
#include "data/base/sonde-text.h"
#include "viewers/sonde-badge.h"

#include <math.h>

#define N_COLUMNS 4 /* of text: name, steps, rate, what remains */

typedef struct
{
  GtkWidget *row;
  SondeBadge *mark;
  GtkLabel *name, *steps, *rate, *remaining;
  GtkProgressBar *progress;
  SondeRun *run; /* (nullable) */
} Line;

struct _SondeLiveRuns
{
  GtkBox parent_instance;
  SondeWorkspace *workspace; /* (nullable): until the first setting */
  GtkListBox *box;
  Line lines[SONDE_LIVE_RUNS_MAX];
  GtkWidget *more;
};

G_DEFINE_FINAL_TYPE (SondeLiveRuns, sonde_live_runs, GTK_TYPE_BOX)

/* ---- lines --------------------------------------------------------------- */

static SondeTrial *
find_trial (GListModel *trials, SondeRun *run)
{
  for (guint i = 0; i < g_list_model_get_n_items (trials); i++)
    {
      g_autoptr (SondeTrial) trial = g_list_model_get_item (trials, i);

      if (sonde_trial_get_run (trial) == run)
        return trial; /* the list keeps it */
    }
  return NULL;
}

static void
tell_line (Line *line, const char *title, const char *steps, const char *remaining)
{
  g_autofree char *text = remaining != NULL ? g_strdup_printf (_ ("%s: step %s, remaining: %s"),
                                                               title, steps, remaining)
                                            : g_strdup_printf (_ ("%s: step %s"), title, steps);

  gtk_accessible_update_property (GTK_ACCESSIBLE (line->row), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
                                  -1);
}

static void
set_line (SondeLiveRuns *list, Line *line, SondeRun *run, SondeTrial *trial)
{
  const char *title = sonde_workspace_get_run_title (list->workspace, run);
  g_autofree char *steps = NULL, *rate = NULL, *remaining = NULL, *left = NULL;
  SondeRunProgress progress;

  sonde_run_progress_get (run, trial, &progress);
  steps = sonde_run_bar_dup_steps (run, &progress);
  rate = sonde_run_bar_dup_rate (&progress);
  remaining = sonde_run_bar_dup_remaining (run, &progress);
  g_set_object (&line->run, run);
  sonde_badge_set_series (line->mark, sonde_run_get_color_index (run));
  gtk_label_set_label (line->name, title);
  gtk_label_set_label (line->steps, steps);
  gtk_label_set_label (line->rate, rate != NULL ? rate : "");
  if (remaining != NULL && progress.remaining_ns > 0)
    left = g_strdup_printf (_ ("%s left"), remaining);
  gtk_label_set_label (line->remaining, left != NULL ? left : remaining != NULL ? remaining : "");
  gtk_widget_set_opacity (GTK_WIDGET (line->progress), isnan (progress.fraction) ? 0 : 1);
  gtk_progress_bar_set_fraction (line->progress,
                                 isnan (progress.fraction) ? 0 : CLAMP (progress.fraction, 0, 1));
  tell_line (line, title, steps, remaining);
}

void
sonde_live_runs_set (SondeLiveRuns *list, SondeWorkspace *workspace, GPtrArray *runs,
                     GListModel *trials)
{
  guint n = MIN (runs->len, SONDE_LIVE_RUNS_MAX);
  g_autofree char *more = NULL;

  g_return_if_fail (SONDE_IS_LIVE_RUNS (list));
  list->workspace = workspace; /* the page's, which outlives the list */
  gtk_widget_set_visible (GTK_WIDGET (list), runs->len > 1);
  for (guint i = 0; i < SONDE_LIVE_RUNS_MAX; i++)
    {
      gtk_widget_set_visible (list->lines[i].row, i < n);
      if (i < n)
        set_line (list, &list->lines[i], runs->pdata[i], find_trial (trials, runs->pdata[i]));
      else
        g_clear_object (&list->lines[i].run);
    }
  gtk_widget_set_visible (list->more, runs->len > n);
  more = g_strdup_printf (P_ ("%u more live run", "%u more live runs", runs->len - n),
                          runs->len - n);
  gtk_button_set_label (GTK_BUTTON (list->more), more);
}

static void
on_activated (GtkListBox *box, GtkListBoxRow *row, SondeLiveRuns *list)
{
  SondeRun *run = list->lines[gtk_list_box_row_get_index (row)].run;

  if (run != NULL)
    sonde_workspace_set_run (list->workspace, run);
}

/* ---- making -------------------------------------------------------------- */

static GtkLabel *
append_label (GtkWidget *box, int width, double xalign, GtkSizeGroup *column)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), (float) xalign);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_width_chars (GTK_LABEL (label), MIN (width, 6));
  gtk_label_set_max_width_chars (GTK_LABEL (label), width);
  gtk_widget_add_css_class (label, "numeric");
  gtk_box_append (GTK_BOX (box), label);
  gtk_size_group_add_widget (column, label);
  return GTK_LABEL (label);
}

static void
make_line (SondeLiveRuns *list, Line *line, GtkSizeGroup **columns)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

  line->mark = SONDE_BADGE (sonde_badge_new ());
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (line->mark));
  line->name = append_label (box, 24, 0, columns[0]);
  gtk_widget_set_hexpand (GTK_WIDGET (line->name), TRUE);
  gtk_label_set_ellipsize (line->name, PANGO_ELLIPSIZE_MIDDLE);
  line->progress = GTK_PROGRESS_BAR (gtk_progress_bar_new ());
  gtk_widget_set_valign (GTK_WIDGET (line->progress), GTK_ALIGN_CENTER);
  gtk_widget_set_size_request (GTK_WIDGET (line->progress), 60, -1);
  gtk_widget_set_hexpand (GTK_WIDGET (line->progress), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (line->progress), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Progress of the run"), -1);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (line->progress));
  line->steps = append_label (box, 18, 1, columns[1]);
  line->rate = append_label (box, 14, 1, columns[2]);
  line->remaining = append_label (box, 16, 1, columns[3]);
  line->row = gtk_list_box_row_new ();
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (line->row), box);
  gtk_list_box_append (list->box, line->row);
}

static void
sonde_live_runs_dispose (GObject *object)
{
  SondeLiveRuns *list = SONDE_LIVE_RUNS (object);

  for (guint i = 0; i < SONDE_LIVE_RUNS_MAX; i++)
    g_clear_object (&list->lines[i].run);
  G_OBJECT_CLASS (sonde_live_runs_parent_class)->dispose (object);
}

static void
sonde_live_runs_class_init (SondeLiveRunsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_live_runs_dispose;
}

static void
sonde_live_runs_init (SondeLiveRuns *list)
{
  GtkWidget *title = gtk_label_new (_ ("Live Runs"));
  GtkWidget *stop = g_object_new (SONDE_TYPE_TAB_STOP, NULL);
  GtkSizeGroup *columns[N_COLUMNS];

  for (guint i = 0; i < N_COLUMNS; i++)
    columns[i] = gtk_size_group_new (GTK_SIZE_GROUP_HORIZONTAL);
  gtk_orientable_set_orientation (GTK_ORIENTABLE (list), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (list), 6);
  gtk_widget_add_css_class (GTK_WIDGET (list), "card");
  gtk_widget_add_css_class (GTK_WIDGET (list), "view-card");
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_widget_add_css_class (title, "card-title");
  list->box = GTK_LIST_BOX (gtk_list_box_new ());
  gtk_list_box_set_selection_mode (list->box, GTK_SELECTION_NONE);
  gtk_widget_add_css_class (GTK_WIDGET (list->box), "live-runs");
  gtk_accessible_update_property (GTK_ACCESSIBLE (list->box), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Live Runs"), -1);
  for (guint i = 0; i < SONDE_LIVE_RUNS_MAX; i++)
    make_line (list, &list->lines[i], columns);
  for (guint i = 0; i < N_COLUMNS; i++)
    g_object_unref (columns[i]);
  g_signal_connect (list->box, "row-activated", G_CALLBACK (on_activated), list);
  adw_bin_set_child (ADW_BIN (stop), GTK_WIDGET (list->box));
  list->more = gtk_button_new_with_label ("");
  gtk_actionable_set_detailed_action_name (GTK_ACTIONABLE (list->more), "win.page::runs");
  gtk_widget_set_halign (list->more, GTK_ALIGN_START);
  gtk_widget_add_css_class (list->more, "flat");
  gtk_widget_add_css_class (list->more, "card-link");
  gtk_box_append (GTK_BOX (list), title);
  gtk_box_append (GTK_BOX (list), stop);
  gtk_box_append (GTK_BOX (list), list->more);
}
