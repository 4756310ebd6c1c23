/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/tensors/sonde-tensors-page.h"

#include "app/pages/tensors/sonde-tensor-tools.h"
#include "app/pages/tensors/sonde-weights-chooser.h"
#include "app/widgets/sonde-accessible.h"
#include "app/widgets/sonde-tensor-table.h"
#include "app/widgets/sonde-workspace-watch.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/values/sonde-bins.h"
#include "data/values/sonde-statistics.h"
#include "data/values/sonde-tensor-compare.h"
#include "viewers/sonde-histogram-view.h"
#include "viewers/sonde-tensor-view.h"

#define IMAGE_WIDTH 420 /* px where there is room */
#define MIN_IMAGE_WIDTH 240
#define MIN_IMAGE_HEIGHT 160
#define HISTOGRAM_HEIGHT 150

struct _SondeTensorsPage
{
  SondeRecordPage parent_instance;
  SondeTensorView *view;
  GtkWidget *paned;              /* the view beside the table; hidden without a tensor */
  SondeHistogramView *histogram; /* of what is shown */
  SondeTensorTable *table;
  SondeTensorTools *tools;
  GtkLabel *facts, *caption, *difference, *problem;
  GtkEditable *slice;
  SondeWeightsChooser *weights;
  SondeTensor *tensor;   /* (nullable): that is looked at */
  SondeTensor *recorded; /* (nullable): what the record has */
  char *numbers;         /* (nullable): what it says of one that was not recorded */
  char *name;            /* (nullable): of the tensor that is looked at */
};

G_DEFINE_FINAL_TYPE (SondeTensorsPage, sonde_tensors_page, SONDE_TYPE_RECORD_PAGE)

/* ---- what is shown ------------------------------------------------------- */

static char *
describe_statistics (const SondeStatistics *s)
{
  g_autofree char *count = sonde_format_count (s->count), *min = sonde_format_number (s->min),
                  *max = sonde_format_number (s->max), *mean = sonde_format_number (s->mean),
                  *std = sonde_format_number (s->std), *zeros = sonde_format_count (s->zeros),
                  *negatives = sonde_format_count (s->negatives),
                  *nan = sonde_format_count (s->nan),
                  *infinite = sonde_format_count (s->pos_inf + s->neg_inf);

  return g_strdup_printf (
      P_ ("%s element · from %s to %s · mean %s · std %s · zeros %s · negative "
          "%s · NaN %s · infinite %s",
          "%s elements · from %s to %s · mean %s · std %s · zeros %s · negative "
          "%s · NaN %s · infinite %s",
          (gulong) s->count),
      count, min, max, mean, std, zeros, negatives, nan, infinite);
}

static void
show_histogram (SondeTensorsPage *page, const SondeTensor *shown)
{
  g_autofree SondeHistogram *histogram = NULL;
  g_autoptr (SondeBins) bins = NULL;
  gboolean has_numbers = shown->dtype != SONDE_DTYPE_STRING && sonde_tensor_n_elements (shown) > 0;

  gtk_widget_set_visible (GTK_WIDGET (page->histogram), has_numbers);
  sonde_histogram_view_clear (page->histogram);
  if (!has_numbers)
    return;
  histogram = g_new (SondeHistogram, 1);
  sonde_histogram_init (histogram);
  sonde_histogram_add (histogram, shown);
  bins = sonde_bins_from_histogram (histogram);
  sonde_histogram_view_add (page->histogram, 0, bins);
}

static void
show_tensor (SondeTensorsPage *page, SondeTensor *shown)
{
  SondeStatistics statistics;
  g_autofree char *shape = sonde_tensor_describe (page->tensor), *numbers = NULL, *facts = NULL,
                  *caption = NULL;

  sonde_statistics_compute (shown, &statistics);
  numbers = shown->dtype == SONDE_DTYPE_STRING ? NULL : describe_statistics (&statistics);
  facts = numbers != NULL ? g_strdup_printf ("%s · %s", shape, numbers) : g_strdup (shape);
  gtk_label_set_text (page->facts, facts);
  gtk_widget_set_visible (page->paned, TRUE);
  gtk_widget_set_visible (GTK_WIDGET (page->view),
                          sonde_tensor_view_set_tensor (page->view, shown));
  caption = sonde_tensor_view_dup_caption (page->view);
  gtk_label_set_text (page->caption, caption);
  sonde_view_set_title (SONDE_VIEW (page->view), page->name);
  show_histogram (page, shown);
  sonde_tensor_table_set_tensor (page->table, shown);
  sonde_tensor_tools_set_shown (page->tools, shown);
}

static void
show_nothing (SondeTensorsPage *page, const char *words)
{
  gtk_label_set_text (page->facts, words);
  gtk_label_set_text (page->caption, "");
  gtk_widget_set_visible (page->paned, FALSE);
  gtk_widget_set_visible (GTK_WIDGET (page->difference), FALSE);
  sonde_tensor_view_set_tensor (page->view, NULL);
  sonde_tensor_table_set_tensor (page->table, NULL);
  sonde_tensor_tools_set_shown (page->tools, NULL);
}

/* What is wrong stands beside the field; the last picture stays. */
static void
say_problem (SondeTensorsPage *page, const GError *error)
{
  gtk_label_set_text (page->problem, error != NULL ? sonde_error_get_text (error) : "");
  gtk_widget_set_visible (GTK_WIDGET (page->problem), error != NULL);
}

static void
tell_difference (SondeTensorsPage *page, const SondeTensorDifference *difference,
                 const SondeShape *shape)
{
  g_autofree char *beyond = sonde_format_count (difference->n_beyond),
                  *n = sonde_format_count (difference->n),
                  *largest = sonde_format_number (difference->largest), *place = NULL, *text = NULL;

  if (difference->largest_at >= 0)
    place = sonde_shape_format_index (shape, difference->largest_at);
  text = place == NULL
             ? g_strdup (_ ("No difference"))
             : g_strdup_printf (
                 _ ("%s of %s elements differ by more than the tolerance, the most by %s at %s"),
                 beyond, n, largest, place);
  gtk_label_set_text (page->difference, text);
}

/* @sliced less the same slice of the kept tensor. (transfer full) (nullable) */
static SondeTensor *
subtract_kept (SondeTensorsPage *page, SondeTensor *kept, SondeTensor *sliced, GError **error)
{
  g_autoptr (SondeTensor) other
      = sonde_tensor_slice (kept, gtk_editable_get_text (page->slice), error);
  SondeTensorDifference difference;
  SondeTensor *result;

  if (other == NULL)
    return NULL;
  result = sonde_tensor_subtract (sliced, other, sonde_tensor_tools_get_tolerance (page->tools),
                                  &difference, error);
  if (result != NULL)
    tell_difference (page, &difference, &sliced->shape);
  return result;
}

static void
update_shown (SondeTensorsPage *page)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) shown = NULL;
  SondeTensor *kept;
  gint64 kept_step;

  gtk_widget_remove_css_class (GTK_WIDGET (page->slice), "error");
  if (page->tensor == NULL)
    return;
  kept = sonde_tensor_tools_get_kept (page->tools, &kept_step);
  shown = sonde_tensor_slice (page->tensor, gtk_editable_get_text (page->slice), &error);
  if (shown == NULL)
    gtk_widget_add_css_class (GTK_WIDGET (page->slice), "error");
  if (shown != NULL && kept != NULL)
    {
      g_autoptr (SondeTensor) sliced = g_steal_pointer (&shown);

      shown = subtract_kept (page, kept, sliced, &error);
    }
  say_problem (page, error);
  if (shown == NULL)
    return;
  gtk_widget_set_visible (GTK_WIDGET (page->difference), kept != NULL);
  show_tensor (page, shown);
}

static void
look_at (SondeTensorsPage *page, SondeTensor *tensor, gint64 step, const char *name,
         const char *words)
{
  g_clear_pointer (&page->tensor, sonde_tensor_unref);
  page->tensor = tensor != NULL ? sonde_tensor_ref (tensor) : NULL;
  g_free (page->name);
  page->name = g_strdup (name);
  gtk_widget_set_sensitive (GTK_WIDGET (page->slice), tensor != NULL);
  sonde_tensor_tools_set_tensor (page->tools, tensor, step, name);
  say_problem (page, NULL);
  if (tensor != NULL)
    update_shown (page);
  else
    show_nothing (page, words);
}

/* Of the file that is chosen, or of the record. */
static void
choose_tensor (SondeTensorsPage *page)
{
  SondeRecordChooser *chooser = sonde_record_page_get_chooser (SONDE_RECORD_PAGE (page));
  const char *name = NULL, *problem = sonde_weights_chooser_get_problem (page->weights);
  gint64 step = -1;
  SondeTensor *tensor;

  if (sonde_weights_chooser_is_active (page->weights))
    {
      tensor = sonde_weights_chooser_get_tensor (page->weights, &name, &step);
      look_at (page, tensor, step, name, problem != NULL ? problem : "");
    }
  else
    look_at (page, page->recorded, sonde_record_chooser_get_step (chooser),
             sonde_record_chooser_get_tag (chooser), page->numbers != NULL ? page->numbers : "");
}

static void
on_weights (SondeTensorsPage *page)
{
  /* Tag and step are of what was recorded. */
  gtk_widget_set_sensitive (GTK_WIDGET (sonde_record_page_get_chooser (SONDE_RECORD_PAGE (page))),
                            !sonde_weights_chooser_is_active (page->weights));
  choose_tensor (page);
  sonde_record_page_set_busy (SONDE_RECORD_PAGE (page),
                              sonde_weights_chooser_is_busy (page->weights));
  sonde_record_page_status_changed (SONDE_RECORD_PAGE (page));
}

/* Another run, or more of it. */
static void
update_weights (GtkWidget *widget)
{
  SondeTensorsPage *page = SONDE_TENSORS_PAGE (widget);
  SondeRun *run = sonde_workspace_get_run (sonde_page_get_workspace (SONDE_PAGE (page)));
  SondeRecordChooser *chooser = sonde_record_page_get_chooser (SONDE_RECORD_PAGE (page));
  guint before = sonde_weights_chooser_get_n_files (page->weights);

  sonde_weights_chooser_set_run (page->weights, run != NULL ? sonde_run_get_path (run) : NULL,
                                 sonde_record_chooser_get_n_tags (chooser) > 0);
  if (before != sonde_weights_chooser_get_n_files (page->weights))
    sonde_record_page_status_changed (SONDE_RECORD_PAGE (page));
}

static gboolean
sonde_tensors_page_has_more (SondeRecordPage *page)
{
  return sonde_weights_chooser_get_n_files (SONDE_TENSORS_PAGE (page)->weights) > 0;
}

static gboolean
sonde_tensors_page_take (SondeRecordPage *base, GPtrArray *records, SondeRecordKind kind)
{
  SondeTensorsPage *page = SONDE_TENSORS_PAGE (base);
  const SondeRecord *record = records->len > 0 ? records->pdata[0] : NULL;

  g_clear_pointer (&page->recorded, sonde_tensor_unref);
  g_clear_pointer (&page->numbers, g_free);
  if (record != NULL && kind == SONDE_RECORD_TENSOR)
    page->recorded = sonde_tensor_ref (record->u.tensor);
  if (record != NULL && kind == SONDE_RECORD_STATISTICS)
    page->numbers = describe_statistics (&record->u.statistics);
  if (record != NULL)
    update_weights (GTK_WIDGET (page));
  if (!sonde_weights_chooser_is_active (page->weights))
    choose_tensor (page);
  return !sonde_weights_chooser_is_busy (page->weights);
}

/* ---- widgets ------------------------------------------------------------- */

static GtkLabel *
make_label (void)
{
  GtkLabel *label = GTK_LABEL (gtk_label_new (NULL));

  gtk_label_set_xalign (label, 0);
  gtk_label_set_wrap (label, TRUE);
  gtk_label_set_selectable (label, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (label), "numeric");
  return label;
}

static GtkWidget *
make_drawing (SondeTensorsPage *page)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6),
            *scrolled = gtk_scrolled_window_new ();

  page->view = SONDE_TENSOR_VIEW (sonde_tensor_view_new ());
  sonde_view_set_minimum_size (SONDE_VIEW (page->view), MIN_IMAGE_WIDTH, MIN_IMAGE_HEIGHT);
  gtk_widget_set_valign (GTK_WIDGET (page->view), GTK_ALIGN_FILL);
  gtk_widget_set_vexpand (GTK_WIDGET (page->view), TRUE);
  page->caption = make_label ();
  gtk_widget_add_css_class (GTK_WIDGET (page->caption), "dim-label");
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (page->view));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (page->caption));
  page->histogram = SONDE_HISTOGRAM_VIEW (sonde_histogram_view_new ());
  sonde_view_set_title (SONDE_VIEW (page->histogram), _ ("Histogram"));
  sonde_view_set_minimum_size (SONDE_VIEW (page->histogram), MIN_IMAGE_WIDTH, HISTOGRAM_HEIGHT);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (page->histogram));
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), box);
  return scrolled;
}

static void
on_go_to (SondeTensorsPage *page, gint64 element)
{
  sonde_tensor_table_reveal (page->table, element);
}

static void
on_format (SondeTensorsPage *page, int format)
{
  sonde_tensor_table_set_format (page->table, (SondeTensorFormat) format);
}

static GtkWidget *
make_tools (SondeTensorsPage *page)
{
  page->tools = SONDE_TENSOR_TOOLS (sonde_tensor_tools_new ());
  g_signal_connect_object (page->tools, "go-to", G_CALLBACK (on_go_to), page, G_CONNECT_SWAPPED);
  g_signal_connect_object (page->tools, "format", G_CALLBACK (on_format), page, G_CONNECT_SWAPPED);
  g_signal_connect_object (page->tools, "changed", G_CALLBACK (update_shown), page,
                           G_CONNECT_SWAPPED);
  return GTK_WIDGET (page->tools);
}

static GtkWidget *
sonde_tensors_page_make_content (SondeRecordPage *base)
{
  SondeTensorsPage *page = SONDE_TENSORS_PAGE (base);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12);
  GtkWidget *paned = page->paned = gtk_paned_new (GTK_ORIENTATION_HORIZONTAL);
  GtkWidget *drawing = make_drawing (page);

  page->weights = SONDE_WEIGHTS_CHOOSER (sonde_weights_chooser_new ());
  g_signal_connect_object (page->weights, "changed", G_CALLBACK (on_weights), page,
                           G_CONNECT_SWAPPED);
  sonde_record_page_add_to_bar (base, GTK_WIDGET (page->weights));
  sonde_watch_workspace (GTK_WIDGET (page), sonde_page_get_workspace (SONDE_PAGE (page)),
                         G_CALLBACK (update_weights));
  page->slice = GTK_EDITABLE (gtk_entry_new ());
  gtk_entry_set_placeholder_text (GTK_ENTRY (page->slice), _ ("Slice: 0, :, 2:8"));
  gtk_widget_set_tooltip_text (GTK_WIDGET (page->slice), _ ("NumPy syntax, without the brackets"));
  gtk_widget_set_valign (GTK_WIDGET (page->slice), GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (page->slice), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Slice"), -1);
  g_signal_connect_object (page->slice, "changed", G_CALLBACK (update_shown), page,
                           G_CONNECT_SWAPPED);
  sonde_record_page_add_to_bar (base, GTK_WIDGET (page->slice));

  page->facts = make_label ();
  page->table = SONDE_TENSOR_TABLE (sonde_tensor_table_new ());
  gtk_widget_set_size_request (GTK_WIDGET (page->table), 240, -1);
  gtk_widget_set_margin_end (drawing, 18);
  sonde_set_name (paned, _ ("Width of the picture"));
  gtk_paned_set_start_child (GTK_PANED (paned), drawing);
  gtk_paned_set_end_child (GTK_PANED (paned), GTK_WIDGET (page->table));
  gtk_paned_set_resize_start_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_shrink_start_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_shrink_end_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_position (GTK_PANED (paned), IMAGE_WIDTH + 18);
  gtk_widget_set_vexpand (paned, TRUE);
  page->difference = make_label ();
  page->problem = make_label ();
  gtk_widget_add_css_class (GTK_WIDGET (page->problem), "error");
  gtk_widget_set_visible (GTK_WIDGET (page->difference), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (page->problem), FALSE);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (page->problem));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (page->facts));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (page->difference));
  gtk_box_append (GTK_BOX (box), make_tools (page));
  gtk_box_append (GTK_BOX (box), paned);
  gtk_widget_set_margin_start (box, 18);
  gtk_widget_set_margin_end (box, 18);
  gtk_widget_set_margin_top (box, 12);
  gtk_widget_set_margin_bottom (box, 12);
  return box;
}

static char *
sonde_tensors_page_dup_status (SondeRecordPage *page)
{
  SondeRecordChooser *chooser = sonde_record_page_get_chooser (page);
  guint n_tags = sonde_record_chooser_get_n_tags (chooser),
        n_steps = sonde_record_chooser_get_n_steps (chooser);

  guint n_files = sonde_weights_chooser_get_n_files (SONDE_TENSORS_PAGE (page)->weights);
  g_autofree char *recorded
      = g_strdup_printf (_ ("Tensors: %u · steps of this tensor: %u"), n_tags, n_steps);

  if (n_files == 0)
    return g_steal_pointer (&recorded);
  return g_strdup_printf (_ ("%s · checkpoints: %u"), recorded, n_files);
}

static void
sonde_tensors_page_finalize (GObject *object)
{
  SondeTensorsPage *page = SONDE_TENSORS_PAGE (object);

  g_clear_pointer (&page->tensor, sonde_tensor_unref);
  g_clear_pointer (&page->recorded, sonde_tensor_unref);
  g_free (page->numbers);
  g_free (page->name);
  G_OBJECT_CLASS (sonde_tensors_page_parent_class)->finalize (object);
}

static void
sonde_tensors_page_class_init (SondeTensorsPageClass *klass)
{
  static const SondeRecordKind kinds[] = { SONDE_RECORD_TENSOR, SONDE_RECORD_STATISTICS };
  SondeRecordPageClass *page_class = SONDE_RECORD_PAGE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_tensors_page_finalize;
  page_class->kinds = kinds;
  page_class->n_kinds = G_N_ELEMENTS (kinds);
  page_class->empty_icon = "sonde-tensors-symbolic";
  page_class->empty_title = _ ("No Tensors");
  page_class->empty_sentence
      = _ ("The selected run has no tensors, no tensor statistics and no checkpoints.");
  page_class->make_content = sonde_tensors_page_make_content;
  page_class->take = sonde_tensors_page_take;
  page_class->has_more = sonde_tensors_page_has_more;
  page_class->dup_status = sonde_tensors_page_dup_status;
}

static void
sonde_tensors_page_init (SondeTensorsPage *page)
{
}
