/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-data-pane.h"

#include <math.h>
#include <string.h>

#include "app/profiler/tables/sonde-fact-table.h"
#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/profiles/sonde-data-pipeline.h"
#include "viewers/profile/sonde-level-view.h"

struct _SondeDataPane
{
  AdwBin parent_instance;
  SondeTraceDocument *document;
  SondeDataPipeline *pipeline;
  SondeLevelView *waits, *queue; /* @queue: (nullable) */
  SondeFactTable *stages, *steps, *forecast;
  GtkWidget *tables;
  gboolean selecting;
};

G_DEFINE_FINAL_TYPE (SondeDataPane, sonde_data_pane, ADW_TYPE_BIN)

static const SondeFactColumn stage_columns[] = {
  { N_ ("Stage"), 0, FALSE },      { N_ ("Calls"), 90, TRUE },
  { N_ ("Mean"), 110, TRUE },      { N_ ("95th Percentile"), 140, TRUE },
  { N_ ("In a Step"), 110, TRUE }, { N_ ("Waited For"), 120, TRUE },
  { N_ ("Threads"), 90, TRUE },    { N_ ("Ready"), 90, TRUE },
};

static const SondeFactColumn step_columns[] = {
  { N_ ("Step"), 120, TRUE },
  { N_ ("Time"), 160, TRUE },
  { N_ ("Waits"), 160, TRUE },
  { N_ ("Share"), 120, TRUE },
};

static const SondeFactColumn forecast_columns[] = {
  { N_ ("Workers"), 120, TRUE },
  { N_ ("Step"), 160, TRUE },
  { N_ ("Waits"), 160, TRUE },
  { N_ ("Share"), 120, TRUE },
};

/* ---- tables -------------------------------------------------------------- */

static void
take_time (SondeFactTable *table, guint column, double ns)
{
  sonde_fact_table_take_number (
      table, column, ns, isnan (ns) ? NULL : sonde_format_duration ((gint64) llround (ns)), "ns");
}

static void
take_share (SondeFactTable *table, guint column, double share)
{
  sonde_fact_table_take_number (table, column, share, g_strdup_printf ("%.1f %%", share * 100),
                                NULL);
}

static void
take_count (SondeFactTable *table, guint column, guint64 n)
{
  sonde_fact_table_take_number (table, column, (double) n, sonde_format_count ((gint64) n), NULL);
}

static void
fill_stages (SondeDataPane *pane)
{
  sonde_fact_table_begin (pane->stages);
  for (guint i = 0; i < pane->pipeline->stages->len; i++)
    {
      const SondePipelineStage *stage
          = &g_array_index (pane->pipeline->stages, SondePipelineStage, i);

      sonde_fact_table_add_row (pane->stages, i);
      sonde_fact_table_set_text (pane->stages, 0, stage->stage);
      take_count (pane->stages, 1, stage->n_calls);
      take_time (pane->stages, 2, stage->mean_ns);
      take_time (pane->stages, 3, stage->p95_ns);
      take_time (pane->stages, 4, stage->busy_ns);
      take_time (pane->stages, 5, stage->wait_ns);
      if (stage->n_threads > 0)
        take_count (pane->stages, 6, stage->n_threads);
      sonde_fact_table_take_number (pane->stages, 7, stage->queue_mean,
                                    sonde_format_number (stage->queue_mean), NULL);
    }
  sonde_fact_table_end (pane->stages);
}

static void
fill_steps (SondeDataPane *pane)
{
  sonde_fact_table_begin (pane->steps);
  for (guint i = 0; i < pane->pipeline->steps->len; i++)
    {
      const SondePipelineStep *step = &g_array_index (pane->pipeline->steps, SondePipelineStep, i);

      sonde_fact_table_add_row (pane->steps, i);
      take_count (pane->steps, 0, i);
      take_time (pane->steps, 1, step->wall_ns);
      take_time (pane->steps, 2, step->wait_ns);
      take_share (pane->steps, 3, step->wall_ns > 0 ? step->wait_ns / step->wall_ns : NAN);
    }
  sonde_fact_table_end (pane->steps);
}

static void
fill_forecast (SondeDataPane *pane)
{
  sonde_fact_table_begin (pane->forecast);
  for (guint i = 0; i < pane->pipeline->forecast->len; i++)
    {
      const SondePipelineForecast *entry
          = &g_array_index (pane->pipeline->forecast, SondePipelineForecast, i);

      sonde_fact_table_add_row (pane->forecast, i);
      take_count (pane->forecast, 0, entry->n_workers);
      take_time (pane->forecast, 1, entry->wall_ns);
      take_time (pane->forecast, 2, entry->wait_ns);
      take_share (pane->forecast, 3, entry->wait_ns / entry->wall_ns);
    }
  sonde_fact_table_end (pane->forecast);
}

/* ---- words --------------------------------------------------------------- */

static char *
format_ns (double ns)
{
  return sonde_format_duration ((gint64) llround (ns));
}

static char *
dup_sentence (const SondeDataPipeline *pipeline)
{
  g_autofree char *wait = format_ns (isnan (pipeline->wait_ns) ? 0 : pipeline->wait_ns);
  g_autofree char *wall = format_ns (isnan (pipeline->wall_ns) ? 0 : pipeline->wall_ns);
  const double share = pipeline->wall_ns > 0 ? pipeline->wait_ns / pipeline->wall_ns * 100 : 0;
  GString *text = g_string_new (NULL);

  switch (pipeline->balance)
    {
    case SONDE_PIPELINE_IN_TURN:
      g_string_append_printf (text,
                              _ ("Each batch is made while the engine waits: %s of %s a step (%.1f "
                                 "%%)."),
                              wait, wall, share);
      break;
    case SONDE_PIPELINE_ENGINE_WAITS:
      g_string_append_printf (text,
                              _ ("The engine waits for the loader: %s of %s a step (%.1f %%)."),
                              wait, wall, share);
      break;
    case SONDE_PIPELINE_LOADER_WAITS:
      g_string_append_printf (text,
                              _ ("The loader waits for the engine, which waits %s of %s a step "
                                 "(%.1f %%)."),
                              wait, wall, share);
      break;
    default:
      g_string_append_printf (text, _ ("The engine waits %s of %s a step (%.1f %%) for data."),
                              wait, wall, share);
    }
  if (pipeline->n_needed > 0 && pipeline->balance != SONDE_PIPELINE_LOADER_WAITS)
    g_string_append_printf (text,
                            P_ (" With %u worker that works ahead no step would wait.",
                                " With %u workers that work ahead no step would wait.",
                                pipeline->n_needed),
                            pipeline->n_needed);
  else if (isnan (pipeline->work_ns))
    g_string_append (text, _ (" The workers are not in the trace, so what more of them would hide "
                              "is not known."));
  return g_string_free (text, FALSE);
}

/* ---- pictures ------------------------------------------------------------ */

static GtkWidget *
make_waits (SondeDataPane *pane)
{
  const SondeTrace *trace = sonde_trace_document_get_trace (pane->document);
  const GArray *steps = pane->pipeline->steps;
  g_autofree SondeTracePoint *points = g_new (SondeTracePoint, steps->len + 1);
  SondeLevelSeries series
      = { _ ("share of each step that waits for data"), points, steps->len + 1 };
  const SondePipelineStep *last = &g_array_index (steps, SondePipelineStep, steps->len - 1);

  for (guint i = 0; i < steps->len; i++)
    {
      const SondePipelineStep *step = &g_array_index (steps, SondePipelineStep, i);

      points[i] = (SondeTracePoint){ step->start_ns,
                                     step->wall_ns > 0 ? step->wait_ns / step->wall_ns : 0 };
    }
  /* the last step lasts, too */
  points[steps->len]
      = (SondeTracePoint){ last->start_ns + (gint64) last->wall_ns, points[steps->len - 1].value };
  pane->waits = SONDE_LEVEL_VIEW (sonde_level_view_new (_ ("Waiting for data")));
  sonde_level_view_set (pane->waits, &series, 1, SONDE_LEVEL_SHARE, trace->start_ns, NULL, NULL);
  return GTK_WIDGET (pane->waits);
}

static GtkWidget *
make_queue (SondeDataPane *pane)
{
  const SondeTrace *trace = sonde_trace_document_get_trace (pane->document);
  const SondeTraceCounter *counter = pane->pipeline->queue;
  SondeLevelSeries series
      = { _ ("batches that are ready when one is asked for"),
          (const SondeTracePoint *) counter->points->data, counter->points->len };

  pane->queue = SONDE_LEVEL_VIEW (sonde_level_view_new (_ ("Batches ready")));
  sonde_level_view_set (pane->queue, &series, 1, SONDE_LEVEL_NUMBER, trace->start_ns, _ ("batches"),
                        NULL);
  return GTK_WIDGET (pane->queue);
}

/* ---- selection ----------------------------------------------------------- */

static void
on_cursor (SondeDataPane *pane)
{
  const gint64 at = sonde_view_get_selection (SONDE_VIEW (pane->waits));

  if (pane->selecting)
    return;
  if (at >= 0)
    gtk_stack_set_visible_child_name (GTK_STACK (pane->tables), "steps");
  sonde_fact_table_select (pane->steps,
                           at >= 0 ? MIN (at, pane->pipeline->steps->len - 1) : SONDE_FACT_NONE);
}

static void
on_step (SondeDataPane *pane, gint64 id)
{
  pane->selecting = TRUE;
  sonde_view_set_selection (SONDE_VIEW (pane->waits),
                            id == SONDE_FACT_NONE ? SONDE_VIEW_NOTHING : id);
  pane->selecting = FALSE;
}

/* A step in the timeline: its stretch of time. */
static void
on_step_activated (SondeDataPane *pane, gint64 id)
{
  const SondePipelineStep *step;

  if (id < 0 || id >= pane->pipeline->steps->len)
    return;
  step = &g_array_index (pane->pipeline->steps, SondePipelineStep, id);
  sonde_trace_document_set_range (pane->document, step->start_ns,
                                  step->start_ns + (gint64) step->wall_ns, TRUE);
  sonde_trace_document_show_view (pane->document, "timeline");
}

/* ---- widgets ------------------------------------------------------------- */

static void
add_table (SondeDataPane *pane, SondeFactTable **table, const char *name, const char *title,
           const char *label, const SondeFactColumn *columns, guint n)
{
  *table = SONDE_FACT_TABLE (sonde_fact_table_new (label, columns, n));
  gtk_stack_add_titled (GTK_STACK (pane->tables), GTK_WIDGET (*table), name, title);
}

static GtkWidget *
make_below (SondeDataPane *pane)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6),
            *switcher = gtk_stack_switcher_new ();

  pane->tables = gtk_stack_new ();
  add_table (pane, &pane->stages, "stages", _ ("Stages"), _ ("Stages of the data pipeline"),
             stage_columns, G_N_ELEMENTS (stage_columns));
  add_table (pane, &pane->steps, "steps", _ ("Steps"), _ ("What each step waits"), step_columns,
             G_N_ELEMENTS (step_columns));
  if (pane->pipeline->forecast->len > 0)
    add_table (pane, &pane->forecast, "workers", _ ("More Workers"),
               _ ("What more workers would hide"), forecast_columns,
               G_N_ELEMENTS (forecast_columns));
  gtk_stack_switcher_set_stack (GTK_STACK_SWITCHER (switcher), GTK_STACK (pane->tables));
  gtk_widget_set_valign (switcher, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (switcher, "small-switcher");
  gtk_widget_add_css_class (bar, "page-bar");
  gtk_box_append (GTK_BOX (bar), switcher);
  gtk_widget_set_vexpand (pane->tables, TRUE);
  gtk_widget_set_size_request (box, -1, 190);
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (GTK_BOX (box), pane->tables);
  return box;
}

static GtkWidget *
make_sentence (const SondeDataPipeline *pipeline)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6), *label;
  g_autofree char *text = dup_sentence (pipeline);

  label = gtk_label_new (text);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_add_css_class (label, "numeric");
  gtk_widget_add_css_class (bar, "page-bar");
  gtk_box_append (GTK_BOX (bar), label);
  return bar;
}

static void
make_content (SondeDataPane *pane)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0),
            *pictures = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0),
            *paned = gtk_paned_new (GTK_ORIENTATION_VERTICAL);

  gtk_box_set_homogeneous (GTK_BOX (pictures), TRUE);
  gtk_box_append (GTK_BOX (pictures), make_waits (pane));
  if (pane->pipeline->queue != NULL)
    gtk_box_append (GTK_BOX (pictures), make_queue (pane));
  gtk_widget_set_vexpand (pictures, TRUE);
  sonde_set_name (paned, _ ("Height of the picture"));
  gtk_paned_set_start_child (GTK_PANED (paned), pictures);
  gtk_paned_set_end_child (GTK_PANED (paned), make_below (pane));
  gtk_paned_set_shrink_start_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_shrink_end_child (GTK_PANED (paned), FALSE);
  gtk_widget_set_vexpand (paned, TRUE);
  gtk_box_append (GTK_BOX (box), make_sentence (pane->pipeline));
  gtk_box_append (GTK_BOX (box), paned);
  adw_bin_set_child (ADW_BIN (pane), box);
  g_signal_connect_object (pane->waits, "notify::selection", G_CALLBACK (on_cursor), pane,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (pane->steps, "fact-selected", G_CALLBACK (on_step), pane,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (pane->steps, "fact-activated", G_CALLBACK (on_step_activated), pane,
                           G_CONNECT_SWAPPED);
}

static GtkWidget *
make_lack (const SondeTrace *trace)
{
  GtkWidget *status = adw_status_page_new ();

  adw_status_page_set_icon_name (ADW_STATUS_PAGE (status), "sonde-profiler-symbolic");
  adw_status_page_set_title (ADW_STATUS_PAGE (status), _ ("No Data Pipeline in the Trace"));
  adw_status_page_set_description (
      ADW_STATUS_PAGE (status),
      strcmp (trace->producer, "pytorch") == 0
          ? _ ("PyTorch marks steps where the training calls profiler.step(), and its DataLoader "
               "where that is iterated while the profiler records.")
          : _ ("Shown are trainings that were recorded with “sonde train … --profile FIRST:COUNT”, "
               "and traces of PyTorch with a DataLoader."));
  return status;
}

static void
sonde_data_pane_finalize (GObject *object)
{
  SondeDataPane *pane = SONDE_DATA_PANE (object);

  g_clear_pointer (&pane->pipeline, sonde_data_pipeline_free);
  g_clear_object (&pane->document);
  G_OBJECT_CLASS (sonde_data_pane_parent_class)->finalize (object);
}

static void
sonde_data_pane_class_init (SondeDataPaneClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_data_pane_finalize;
}

static void
sonde_data_pane_init (SondeDataPane *pane)
{
}

GtkWidget *
sonde_data_pane_new (SondeTraceDocument *document)
{
  SondeDataPane *pane = g_object_new (SONDE_TYPE_DATA_PANE, NULL);
  const SondeProfile *profile = sonde_trace_document_get_profile (document);

  pane->document = g_object_ref (document);
  pane->pipeline = sonde_data_pipeline_new (profile);
  if (pane->pipeline->steps->len == 0 || pane->pipeline->stages->len == 0)
    {
      adw_bin_set_child (ADW_BIN (pane), make_lack (profile->trace));
      return GTK_WIDGET (pane);
    }
  make_content (pane);
  fill_stages (pane);
  fill_steps (pane);
  if (pane->forecast != NULL)
    fill_forecast (pane);
  return GTK_WIDGET (pane);
}
