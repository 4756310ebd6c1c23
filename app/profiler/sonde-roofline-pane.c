/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-roofline-pane.h"

#include <math.h>
#include <string.h>

#include "app/profiler/sonde-ceilings-child.h"
#include "app/profiler/tables/sonde-fact-table.h"
#include "app/profiler/sonde-node-links.h"
#include "app/profiler/sonde-profiler-links.h"
#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/profile/sonde-roofline-view.h"

/* @rows: of the operator at each mark of the view, by mark */
struct _SondeRooflinePane
{
  AdwBin parent_instance;
  SondeTraceDocument *document;
  SondeRooflineView *view;
  SondeFactTable *table;
  GtkWidget *facts, *to_timeline;
  SondeNodeLinks *links;
  GCancellable *cancellable;
  SondeCeilings ceilings;
  GArray *marks; /* guint: index of the operator */
  gboolean selecting;
};

G_DEFINE_FINAL_TYPE (SondeRooflinePane, sonde_roofline_pane, ADW_TYPE_BIN)

enum
{
  COLUMN_OPERATOR,
  COLUMN_CLASS,
  COLUMN_SHARE,
  COLUMN_GFLOPS,
  COLUMN_GBS,
  COLUMN_INTENSITY,
  COLUMN_ROOF,
};

static const SondeFactColumn columns[] = {
  { N_ ("Operator"), 0, FALSE },    { N_ ("Class"), 92, FALSE }, { N_ ("Share"), 66, TRUE },
  { N_ ("GFLOP/s"), 74, TRUE },     { N_ ("GB/s"), 70, TRUE },   { N_ ("FLOP/byte"), 82, TRUE },
  { N_ ("Of the Roof"), 88, TRUE },
};

/* ---- numbers ------------------------------------------------------------- */

static const char *
get_name (const SondeProfileOperator *op)
{
  return op->node != NULL ? op->node : op->op;
}

static double
get_intensity (const SondeProfileOperator *op)
{
  return op->facts != NULL && op->facts->flops >= 0 && op->facts->bytes > 0
             ? (double) op->facts->flops / (double) op->facts->bytes
             : NAN;
}

/* As the profile says; of ceilings that it did not know, by those. */
static SondeOperatorClass
get_class (SondeRooflinePane *pane, const SondeProfileOperator *op)
{
  return op->operator_class == SONDE_OPERATOR_CLASS_UNKNOWN && op->facts != NULL
             ? sonde_operator_class_find (op->facts, &pane->ceilings)
             : op->operator_class;
}

/* The least time that the ceilings allow over the time that it takes. */
static double
get_part_of_roof (SondeRooflinePane *pane, const SondeProfileOperator *op)
{
  double limit_ns;

  if (op->facts == NULL || !(op->mean_self_ns > 0))
    return NAN;
  limit_ns = op->mean_calls
             * sonde_operator_class_get_limit (op->facts->flops, op->facts->bytes, &pane->ceilings);
  return limit_ns / op->mean_self_ns;
}

/* ---- list and picture ---------------------------------------------------- */

static void
add_row (SondeRooflinePane *pane, guint i, const SondeProfileOperator *op)
{
  const SondeOperatorClass value = get_class (pane, op);
  const double intensity = get_intensity (op), roof = get_part_of_roof (pane, op);
  const double gflops = intensity > 0 ? op->gflops : NAN; /* what only moves has none */

  sonde_fact_table_add_row (pane->table, i);
  sonde_fact_table_set_text (pane->table, COLUMN_OPERATOR, get_name (op));
  sonde_fact_table_set_text (
      pane->table, COLUMN_CLASS,
      value != SONDE_OPERATOR_CLASS_UNKNOWN ? _ (sonde_operator_class_get_title (value)) : NULL);
  sonde_fact_table_take_number (pane->table, COLUMN_SHARE, op->share,
                                g_strdup_printf ("%.1f %%", op->share * 100), NULL);
  sonde_fact_table_take_number (pane->table, COLUMN_GFLOPS, gflops, sonde_format_number (gflops),
                                "GFLOP/s");
  sonde_fact_table_take_number (pane->table, COLUMN_GBS, op->gbs, sonde_format_number (op->gbs),
                                "GB/s");
  sonde_fact_table_take_number (pane->table, COLUMN_INTENSITY, intensity > 0 ? intensity : NAN,
                                sonde_format_number (intensity), "FLOP/byte");
  sonde_fact_table_take_number (pane->table, COLUMN_ROOF, roof,
                                g_strdup_printf ("%.1f %%", roof * 100), NULL);
}

static gboolean
has_cost (const SondeProfile *profile)
{
  for (guint i = 0; i < profile->operators->len; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (profile, i);

      if (op->facts != NULL && op->facts->flops > 0)
        return TRUE;
    }
  return FALSE;
}

static const char *
explain_lack (const SondeProfile *profile)
{
  return strcmp (profile->trace->producer, "pytorch") == 0
             ? _ ("This trace of PyTorch tells no operations and bytes of its operators.")
             : _ ("This trace tells no operations and bytes of its operators.");
}

static void
fill (SondeRooflinePane *pane)
{
  const SondeProfile *profile = sonde_trace_document_get_profile (pane->document);
  g_autoptr (GArray) marks = g_array_new (FALSE, FALSE, sizeof (SondeRooflineMark));

  g_array_set_size (pane->marks, 0);
  sonde_fact_table_begin (pane->table);
  for (guint i = 0; i < profile->operators->len; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (profile, i);
      const SondeRooflineMark mark = { .name = get_name (op),
                                       .intensity = get_intensity (op),
                                       .gflops = op->gflops,
                                       .share = op->share,
                                       .operator_class = get_class (pane, op) };

      if (op->facts == NULL)
        continue;
      add_row (pane, i, op);
      if (!(mark.intensity > 0 && mark.gflops > 0))
        continue;
      g_array_append_val (marks, mark);
      g_array_append_val (pane->marks, i);
    }
  sonde_fact_table_end (pane->table);
  sonde_roofline_view_set (pane->view, (const SondeRooflineMark *) marks->data, marks->len,
                           &pane->ceilings, NULL);
}

/* ---- the line below ------------------------------------------------------ */

static const SondeProfileOperator *
get_selected (SondeRooflinePane *pane)
{
  const gint64 id = sonde_fact_table_get_selected (pane->table);

  return id != SONDE_FACT_NONE ? sonde_profile_get_operator (
             sonde_trace_document_get_profile (pane->document), (guint) id)
                               : NULL;
}

static char *
dup_machine (SondeRooflinePane *pane)
{
  const SondeProfileFacts *facts = sonde_trace_document_get_profile (pane->document)->facts;
  g_autofree char *gflops = sonde_format_number (pane->ceilings.peak_gflops);
  g_autofree char *gbs = sonde_format_number (pane->ceilings.peak_gbs);
  g_autofree char *ridge
      = sonde_format_number (pane->ceilings.peak_gflops / pane->ceilings.peak_gbs);
  const guint n = facts != NULL ? facts->n_threads : 0;

  if (isnan (pane->ceilings.peak_gflops) || isnan (pane->ceilings.peak_gbs))
    return g_strdup (_ ("The ceilings of the machine are not known."));
  if (n > 0)
    return g_strdup_printf (P_ ("Measured with %u thread: %s GFLOP/s, %s GB/s; the ridge is at %s "
                                "FLOP/byte.",
                                "Measured with %u threads: %s GFLOP/s, %s GB/s; the ridge is at %s "
                                "FLOP/byte.",
                                n),
                            n, gflops, gbs, ridge);
  return g_strdup_printf (_ ("Measured: %s GFLOP/s, %s GB/s; the ridge is at %s FLOP/byte."),
                          gflops, gbs, ridge);
}

static void
show_facts (SondeRooflinePane *pane)
{
  const SondeProfileOperator *op = get_selected (pane);
  const gint64 mark = sonde_view_get_selection (SONDE_VIEW (pane->view));
  g_autofree char *text = sonde_roofline_view_dup_sentence (pane->view, mark);

  if (text == NULL && op != NULL)
    text = g_strdup_printf (_ ("%s: no operations that are counted, so it has no place in the "
                               "picture"),
                            get_name (op));
  else if (text == NULL)
    text = dup_machine (pane);
  g_strdelimit (text, "\n", ' ');
  gtk_label_set_text (GTK_LABEL (pane->facts), text);
  gtk_widget_set_tooltip_text (pane->facts, text);
  gtk_widget_set_visible (pane->to_timeline, op != NULL);
  sonde_node_links_set_node (
      pane->links, op != NULL && op->node != NULL ? sonde_profiler_get_original (op) : NULL);
}

/* ---- selection ----------------------------------------------------------- */

static gint64
find_mark (SondeRooflinePane *pane, gint64 operator)
{
  for (guint i = 0; i < pane->marks->len; i++)
    if (g_array_index (pane->marks, guint, i) == operator)
      return i;
  return SONDE_VIEW_NOTHING;
}

static void
on_view_selection (SondeRooflinePane *pane)
{
  const gint64 mark = sonde_view_get_selection (SONDE_VIEW (pane->view));

  if (pane->selecting)
    return;
  pane->selecting = TRUE;
  sonde_fact_table_select (pane->table, mark >= 0 && mark < pane->marks->len
                                            ? (gint64) g_array_index (pane->marks, guint, mark)
                                            : SONDE_FACT_NONE);
  pane->selecting = FALSE;
  show_facts (pane);
}

static void
on_row_selected (SondeRooflinePane *pane, gint64 id)
{
  if (pane->selecting)
    return;
  pane->selecting = TRUE;
  sonde_view_set_selection (SONDE_VIEW (pane->view), find_mark (pane, id));
  pane->selecting = FALSE;
  show_facts (pane);
}

static void
on_to_timeline (SondeRooflinePane *pane)
{
  const SondeProfileOperator *op = get_selected (pane);

  if (op != NULL)
    sonde_trace_document_show_name (pane->document, get_name (op));
}

/* ---- ceilings that are not known ----------------------------------------- */

static void
on_measured (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeRooflinePane) pane = data;
  g_autoptr (GError) error = NULL;
  const gboolean done = sonde_ceilings_child_finish (result, &pane->ceilings, &error);

  if (pane->view != NULL && done)
    {
      fill (pane);
      show_facts (pane);
    }
  else if (pane->view != NULL)
    {
      gtk_label_set_text (GTK_LABEL (pane->facts), sonde_error_get_text (error));
    }
  sonde_trace_document_release (pane->document);
}

static void
measure (SondeRooflinePane *pane)
{
  const SondeProfileFacts *facts = sonde_trace_document_get_profile (pane->document)->facts;

  gtk_label_set_text (GTK_LABEL (pane->facts),
                      _ ("Measuring what this machine can do, in at most 3 s…"));
  sonde_trace_document_hold (pane->document);
  sonde_ceilings_child_ask (NULL, facts->n_threads, pane->cancellable, on_measured,
                            g_object_ref (pane));
}

/* ---- pane ---------------------------------------------------------------- */

static void
sonde_roofline_pane_dispose (GObject *object)
{
  SondeRooflinePane *pane = SONDE_ROOFLINE_PANE (object);

  g_cancellable_cancel (pane->cancellable);
  pane->view = NULL;
  G_OBJECT_CLASS (sonde_roofline_pane_parent_class)->dispose (object);
}

static void
sonde_roofline_pane_finalize (GObject *object)
{
  SondeRooflinePane *pane = SONDE_ROOFLINE_PANE (object);

  g_object_unref (pane->cancellable);
  g_object_unref (pane->document);
  g_array_unref (pane->marks);
  G_OBJECT_CLASS (sonde_roofline_pane_parent_class)->finalize (object);
}

static void
sonde_roofline_pane_class_init (SondeRooflinePaneClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_roofline_pane_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_roofline_pane_finalize;
}

static void
sonde_roofline_pane_init (SondeRooflinePane *pane)
{
  pane->cancellable = g_cancellable_new ();
  pane->marks = g_array_new (FALSE, FALSE, sizeof (guint));
  pane->ceilings = (SondeCeilings){ NAN, NAN, NAN };
}

static GtkWidget *
make_bar (SondeRooflinePane *pane)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  gtk_widget_add_css_class (bar, "page-bar");
  pane->facts = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (pane->facts), 0);
  gtk_label_set_ellipsize (GTK_LABEL (pane->facts), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (pane->facts, TRUE);
  gtk_widget_add_css_class (pane->facts, "numeric");
  gtk_box_append (GTK_BOX (bar), pane->facts);
  pane->to_timeline = gtk_button_new_with_label (_ ("Show in Timeline"));
  g_signal_connect_swapped (pane->to_timeline, "clicked", G_CALLBACK (on_to_timeline), pane);
  gtk_box_append (GTK_BOX (bar), pane->to_timeline);
  pane->links = SONDE_NODE_LINKS (sonde_node_links_new ());
  gtk_box_append (GTK_BOX (bar), GTK_WIDGET (pane->links));
  return bar;
}

static GtkWidget *
make_views (SondeRooflinePane *pane)
{
  GtkWidget *paned = gtk_paned_new (GTK_ORIENTATION_HORIZONTAL);

  pane->view = SONDE_ROOFLINE_VIEW (sonde_roofline_view_new ());
  pane->table = SONDE_FACT_TABLE (
      sonde_fact_table_new (_ ("Operators below the roofline"), columns, G_N_ELEMENTS (columns)));
  gtk_widget_set_size_request (GTK_WIDGET (pane->table), 440, -1);
  gtk_widget_set_hexpand (GTK_WIDGET (pane->view), TRUE);
  sonde_set_name (paned, _ ("Width of the picture"));
  gtk_paned_set_start_child (GTK_PANED (paned), GTK_WIDGET (pane->view));
  gtk_paned_set_end_child (GTK_PANED (paned), GTK_WIDGET (pane->table));
  gtk_paned_set_shrink_start_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_shrink_end_child (GTK_PANED (paned), FALSE);
  gtk_widget_set_vexpand (paned, TRUE);
  g_signal_connect_object (pane->view, "notify::selection", G_CALLBACK (on_view_selection), pane,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (pane->table, "fact-selected", G_CALLBACK (on_row_selected), pane,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (pane->table, "fact-activated", G_CALLBACK (on_to_timeline), pane,
                           G_CONNECT_SWAPPED);
  return paned;
}

static GtkWidget *
make_lack (const SondeProfile *profile)
{
  GtkWidget *status = adw_status_page_new ();
  g_autofree char *text = g_strconcat (
      explain_lack (profile), "\n",
      _ ("The roofline needs both. Sonde's own recordings have them: “sonde profile MODEL --run "
         "DIR” runs a model, “sonde train … --profile FIRST:COUNT” records steps of a training; "
         "then open DIR here."),
      NULL);

  adw_status_page_set_icon_name (ADW_STATUS_PAGE (status), "sonde-profiler-symbolic");
  adw_status_page_set_title (ADW_STATUS_PAGE (status), _ ("No Operations to Count"));
  adw_status_page_set_description (ADW_STATUS_PAGE (status), text);
  return status;
}

GtkWidget *
sonde_roofline_pane_new (SondeTraceDocument *document)
{
  SondeRooflinePane *pane = g_object_new (SONDE_TYPE_ROOFLINE_PANE, NULL);
  const SondeProfile *profile = sonde_trace_document_get_profile (document);
  GtkWidget *box;

  pane->document = g_object_ref (document);
  if (!has_cost (profile))
    {
      adw_bin_set_child (ADW_BIN (pane), make_lack (profile));
      return GTK_WIDGET (pane);
    }
  box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  gtk_box_append (GTK_BOX (box), make_views (pane));
  gtk_box_append (GTK_BOX (box), make_bar (pane));
  adw_bin_set_child (ADW_BIN (pane), box);
  pane->ceilings = profile->facts->ceilings;
  sonde_fact_table_sort (pane->table, COLUMN_SHARE, GTK_SORT_DESCENDING);
  fill (pane);
  show_facts (pane);
  if (isnan (pane->ceilings.peak_gflops) || isnan (pane->ceilings.peak_gbs))
    measure (pane);
  return GTK_WIDGET (pane);
}
