/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/overview/sonde-run-bar.h"

#include "app/widgets/sonde-bar-layout.h"
#include "app/widgets/sonde-run-title.h"
#include "app/widgets/sonde-tooltip.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#include <math.h>

typedef enum
{
  FACT_STATE,
  FACT_STEP,
  FACT_EPOCH,
  FACT_RATE,
  FACT_REMAINING,
  FACT_POINTS,
  FACT_DURATION,
  FACT_STARTED,
  N_FACTS
} Fact;

static const char *const fact_names[N_FACTS]
    = { N_ ("State"),     N_ ("Step"),          N_ ("Epoch"),         N_ ("Rate"),
        N_ ("Remaining"), N_ ("Scalar Points"), N_ ("Training Time"), N_ ("Started") };

struct _SondeRunBar
{
  GtkBox parent_instance;
  SondeRunTitle *title;
  GtkWidget *boxes[N_FACTS];
  GtkLabel *labels[N_FACTS];
  GtkProgressBar *progress;
};

G_DEFINE_FINAL_TYPE (SondeRunBar, sonde_run_bar, GTK_TYPE_BOX)

/* ---- texts --------------------------------------------------------------- */

char *
sonde_run_bar_dup_rate (const SondeRunProgress *progress)
{
  g_autofree char *number = NULL;

  if (!(progress->steps_per_second > 0))
    return NULL;
  number
      = sonde_format_number (progress->steps_per_second < 10 ? progress->steps_per_second
                                                             : round (progress->steps_per_second));
  return g_strdup_printf (_ ("%s steps/s"), number);
}

char *
sonde_run_bar_dup_steps (SondeRun *run, const SondeRunProgress *progress)
{
  g_autofree char *step = NULL, *total = NULL;

  if (progress->total_steps < 0)
    return sonde_run_get_last_step (run) < 0 ? g_strdup ("–")
                                             : sonde_format_count (sonde_run_get_last_step (run));
  step = sonde_format_count (progress->step);
  total = sonde_format_count (progress->total_steps);
  return g_strdup_printf (C_ ("progress", "%s of %s"), step, total);
}

char *
sonde_run_bar_dup_remaining (SondeRun *run, const SondeRunProgress *progress)
{
  if (!sonde_run_is_live (run) || progress->remaining_ns < 0)
    return NULL;
  return progress->remaining_ns == 0 ? g_strdup (_ ("done"))
                                     : sonde_format_duration (progress->remaining_ns);
}

static char *
dup_epoch (const SondeRunProgress *progress)
{
  g_autofree char *epoch = sonde_format_count (progress->epoch);
  g_autofree char *epochs = sonde_format_count (progress->epochs);

  if (progress->epoch < 0)
    return NULL;
  return progress->epochs < 0 ? g_steal_pointer (&epoch)
                              : g_strdup_printf (C_ ("progress", "%s of %s"), epoch, epochs);
}

/* Scalars: how many there are, and when the last of them came. */
static guint64
count_points (SondeRun *run, gint64 *last_ns)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  guint64 n = 0;

  *last_ns = 0;
  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];
      SondeSeries *series
          = tag->kind == SONDE_RECORD_SCALARS ? sonde_run_get_series (run, tag->tag) : NULL;
      SondePoint point;

      if (series == NULL)
        continue;
      n += tag->count;
      if (sonde_series_get_last (series, &point))
        *last_ns = MAX (*last_ns, point.wall_time_ns);
    }
  return n;
}

/* (transfer full) (nullable): not known */
static char *
dup_fact (SondeWorkspace *workspace, SondeRun *run, const SondeRunProgress *progress, Fact fact)
{
  gint64 start = sonde_run_get_start_ns (run), last;
  guint64 n_points = count_points (run, &last);

  switch (fact)
    {
    case FACT_STATE:
      return g_strdup (!sonde_run_is_live (run)                      ? _ ("ended")
                       : sonde_workspace_is_running (workspace, run) ? _ ("live")
                                                                     : _ ("paused"));
    case FACT_STEP:
      return sonde_run_bar_dup_steps (run, progress);
    case FACT_EPOCH:
      return dup_epoch (progress);
    case FACT_RATE:
      return sonde_run_is_live (run) ? sonde_run_bar_dup_rate (progress) : NULL;
    case FACT_REMAINING:
      return sonde_run_bar_dup_remaining (run, progress);
    case FACT_POINTS:
      return sonde_format_count ((gint64) n_points);
    case FACT_DURATION:
      return last > start ? sonde_format_duration (last - start) : NULL;
    case FACT_STARTED:
      return start > 0 ? sonde_format_ago (g_get_real_time () * 1000 - start) : NULL;
    default:
      g_return_val_if_reached (NULL);
    }
}

/* What a number of the line is made of. (transfer full) (nullable) */
static char *
dup_tooltip (SondeRun *run, const SondeRunProgress *progress, Fact fact)
{
  if (fact == FACT_STARTED && sonde_run_get_start_ns (run) > 0)
    return sonde_format_clock (sonde_run_get_start_ns (run), NULL);
  if (fact == FACT_STEP && progress->total_name != NULL)
    return g_strdup_printf (_ ("The total is that of “%s”, as the run recorded it"),
                            progress->total_name);
  if (fact == FACT_REMAINING)
    return g_strdup (_ ("At the rate of the last steps"));
  return NULL;
}

/* ---- widget -------------------------------------------------------------- */

static void
set_fact (SondeRunBar *bar, Fact fact, const char *text, const char *tooltip)
{
  gtk_widget_set_visible (bar->boxes[fact], text != NULL);
  if (text == NULL)
    return;
  gtk_label_set_label (bar->labels[fact], text);
  sonde_set_tooltip (bar->boxes[fact], tooltip);
}

void
sonde_run_bar_set (SondeRunBar *bar, SondeWorkspace *workspace, SondeRun *run, SondeTrial *trial)
{
  SondeRunProgress progress;

  g_return_if_fail (SONDE_IS_RUN_BAR (bar));
  sonde_run_progress_get (run, trial, &progress);
  sonde_run_title_update (bar->title, workspace);
  for (Fact i = 0; i < N_FACTS; i++)
    {
      g_autofree char *text = dup_fact (workspace, run, &progress, i);
      g_autofree char *tooltip = dup_tooltip (run, &progress, i);

      set_fact (bar, i, text, tooltip);
    }
  gtk_widget_set_visible (GTK_WIDGET (bar->progress),
                          progress.fraction < 1
                              || (sonde_run_is_live (run) && !isnan (progress.fraction)));
  if (!isnan (progress.fraction))
    gtk_progress_bar_set_fraction (bar->progress, CLAMP (progress.fraction, 0, 1));
}

static GtkWidget *
make_fact (SondeRunBar *bar, Fact fact)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *name = gtk_label_new (_ (fact_names[fact])), *value = gtk_label_new ("");

  gtk_label_set_xalign (GTK_LABEL (name), 0);
  gtk_label_set_xalign (GTK_LABEL (value), 0);
  gtk_widget_add_css_class (name, "dim-label");
  gtk_widget_add_css_class (name, "fact-name");
  gtk_widget_add_css_class (value, "numeric");
  gtk_widget_add_css_class (value, "fact-value");
  gtk_box_append (GTK_BOX (box), name);
  gtk_box_append (GTK_BOX (box), value);
  gtk_widget_set_margin_end (box, 12);
  bar->boxes[fact] = box;
  bar->labels[fact] = GTK_LABEL (value);
  return box;
}

static void
sonde_run_bar_class_init (SondeRunBarClass *klass)
{
}

static void
sonde_run_bar_init (SondeRunBar *bar)
{
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

  gtk_orientable_set_orientation (GTK_ORIENTABLE (bar), GTK_ORIENTATION_VERTICAL);
  bar->title = g_object_new (SONDE_TYPE_RUN_TITLE, "hexpand", TRUE, NULL);
  bar->progress = GTK_PROGRESS_BAR (gtk_progress_bar_new ());
  gtk_widget_set_layout_manager (line, g_object_new (SONDE_TYPE_BAR_LAYOUT, NULL));
  gtk_widget_add_css_class (line, "page-bar");
  gtk_widget_add_css_class (GTK_WIDGET (bar->progress), "osd");
  gtk_accessible_update_property (GTK_ACCESSIBLE (bar->progress), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Progress of the run"), -1);
  gtk_box_append (GTK_BOX (line), GTK_WIDGET (bar->title));
  for (Fact i = 0; i < N_FACTS; i++)
    gtk_box_append (GTK_BOX (line), make_fact (bar, i));
  gtk_box_append (GTK_BOX (bar), line);
  gtk_box_append (GTK_BOX (bar), GTK_WIDGET (bar->progress));
}
