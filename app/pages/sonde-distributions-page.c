/* SPDX-License-Identifier: Apache-2.0
 * A grid of histogram tags of the chosen run. */
#include "app/pages/sonde-distributions-page.h"

#include "app/pages/cards/sonde-card-grid.h"
#include "app/pages/cards/sonde-histogram-card.h"
#include "app/widgets/sonde-tag-list.h"
#include "data/base/sonde-text.h"
#include "viewers/layout/sonde-ticks.h"
#include "viewers/sonde-mark.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-distributions-page.ui"
#define SETTINGS "distributions"

struct _SondeDistributionsPage
{
  SondePage parent_instance;
  GtkSearchEntry *filter;
  SondeMark *run_mark;
  GtkLabel *run_title;
  GtkToggleButton *ridges, *heat, *bands;
  SondeCardGrid *grid;
  GListStore *runs; /* the chosen run alone */
  char *filtered;
  guint n_tags;
};

G_DEFINE_FINAL_TYPE (SondeDistributionsPage, sonde_distributions_page, SONDE_TYPE_PAGE)

static SondeWorkspace *
get_workspace (SondeDistributionsPage *page)
{
  return sonde_page_get_workspace (SONDE_PAGE (page));
}

static SondeDistributionKind
get_kind (SondeDistributionsPage *page)
{
  if (gtk_toggle_button_get_active (page->heat))
    return SONDE_DISTRIBUTION_HEAT;
  return gtk_toggle_button_get_active (page->bands) ? SONDE_DISTRIBUTION_BANDS
                                                    : SONDE_DISTRIBUTION_RIDGES;
}

static void
add_counts (SondePictureCard *card, void *user_data)
{
  guint *counts = user_data, shown, held;

  sonde_histogram_card_get_counts (SONDE_HISTOGRAM_CARD (card), &shown, &held);
  counts[0] += shown;
  counts[1] += held;
}

static void
update_status (SondeDistributionsPage *page)
{
  guint counts[2] = { 0 };
  guint n_shown = g_list_model_get_n_items (G_LIST_MODEL (sonde_card_grid_get_tags (page->grid)));
  g_autofree char *shown = NULL, *held = NULL, *text = NULL;

  sonde_card_grid_foreach (page->grid, add_counts, counts);
  shown = sonde_format_count (counts[0]);
  held = sonde_format_count (counts[1]);
  text = g_strdup_printf (_ ("%s of %s histograms shown, %u of %u tags"), shown, held, n_shown,
                          page->n_tags);
  sonde_page_set_status (SONDE_PAGE (page), page->n_tags > 0 ? text : NULL);
}

static void
on_state_changed (SondeDistributionsPage *page)
{
  update_status (page);
  sonde_page_settled_changed (SONDE_PAGE (page));
}

static SondePictureCard *
make_card (void *user_data)
{
  SondeDistributionsPage *page = user_data;
  SondePictureCard *card = SONDE_PICTURE_CARD (sonde_histogram_card_new (get_workspace (page)));

  g_signal_connect_object (card, "state-changed", G_CALLBACK (on_state_changed), page,
                           G_CONNECT_SWAPPED);
  sonde_histogram_view_set_kind (sonde_histogram_card_get_view (SONDE_HISTOGRAM_CARD (card)),
                                 get_kind (page));
  return card;
}

static void
configure (SondePictureCard *card, void *user_data)
{
  sonde_histogram_view_set_kind (sonde_histogram_card_get_view (SONDE_HISTOGRAM_CARD (card)),
                                 get_kind (user_data));
}

static void
on_kind_toggled (SondeDistributionsPage *page, GtkToggleButton *button)
{
  static const char *const names[] = { "ridges", "heat", "bands" };

  if (!gtk_toggle_button_get_active (button) || page->n_tags == 0)
    return;
  sonde_card_grid_foreach (page->grid, configure, page);
  sonde_workspace_set_setting (get_workspace (page), SETTINGS, "kind", names[get_kind (page)]);
}

/* ---- what is shown ------------------------------------------------------- */

static void
update_empty (SondeDistributionsPage *page)
{
  static const SondeRecordKind histogram = SONDE_RECORD_HISTOGRAM;
  SondePage *base = SONDE_PAGE (page);

  if (g_list_model_get_n_items (G_LIST_MODEL (sonde_card_grid_get_tags (page->grid))) > 0)
    sonde_page_set_filled (base);
  else if (sonde_workspace_get_run (get_workspace (page)) == NULL)
    sonde_page_set_empty_without_runs (base);
  else if (page->n_tags > 0)
    sonde_page_set_empty (base, "system-search-symbolic", _ ("No Matching Tags"),
                          _ ("No tag matches the filter of this page."), _ ("Clear the Filter"),
                          "distributions.clear-filter");
  else
    sonde_page_set_empty_of_run (base, &histogram, 1, "sonde-distributions-symbolic",
                                 _ ("No Histograms"),
                                 _ ("The selected run has no histograms; set “record.histograms” "
                                    "in its recipe to record them."),
                                 _ ("View Its Scalars"), "win.page::scalars");
}

static void
update (SondeDistributionsPage *page)
{
  SondeRun *run = sonde_workspace_get_run (get_workspace (page));

  g_list_store_remove_all (page->runs);
  if (run != NULL)
    {
      g_list_store_append (page->runs, run);
      sonde_mark_set_series (page->run_mark, sonde_run_get_color_index (run));
      gtk_label_set_label (page->run_title,
                           sonde_workspace_get_run_title (get_workspace (page), run));
    }
  page->n_tags
      = sonde_tag_list_update (sonde_card_grid_get_tags (page->grid), G_LIST_MODEL (page->runs),
                               SONDE_RECORD_HISTOGRAM, page->filtered);
  update_empty (page);
  update_status (page);
}

static void
on_filter_changed (SondeDistributionsPage *page)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (page->filter));

  if (g_strcmp0 (text, page->filtered) == 0)
    return;
  g_free (page->filtered);
  page->filtered = g_strdup (text);
  sonde_card_grid_expand (page->grid, NULL);
  update (page);
}

static void
clear_filter (GtkWidget *widget, const char *action, GVariant *parameter)
{
  gtk_editable_set_text (GTK_EDITABLE (SONDE_DISTRIBUTIONS_PAGE (widget)->filter), "");
}

static void
sonde_distributions_page_show (SondePage *base, const SondePageRequest *request)
{
  SondeDistributionsPage *page = SONDE_DISTRIBUTIONS_PAGE (base);
  gboolean pattern = request->tag != NULL && strpbrk (request->tag, "*?") != NULL;

  if (request->has_step)
    sonde_step_cursor_set_step (sonde_page_get_cursor (base), request->step);
  if (request->tag == NULL)
    return;
  gtk_editable_set_text (GTK_EDITABLE (page->filter), pattern ? request->tag : "");
  on_filter_changed (page);
  if (!pattern)
    sonde_card_grid_expand (page->grid, request->tag);
}

static gboolean
sonde_distributions_page_is_settled (SondePage *page)
{
  return sonde_card_grid_is_settled (SONDE_DISTRIBUTIONS_PAGE (page)->grid);
}

static void
sonde_distributions_page_set_up (SondePage *base)
{
  SondeDistributionsPage *page = SONDE_DISTRIBUTIONS_PAGE (base);
  const char *kind = sonde_workspace_get_setting (get_workspace (page), SETTINGS, "kind");

  if (g_strcmp0 (kind, "heat") == 0)
    gtk_toggle_button_set_active (page->heat, TRUE);
  if (g_strcmp0 (kind, "bands") == 0)
    gtk_toggle_button_set_active (page->bands, TRUE);
  sonde_card_grid_set_up (page->grid, make_card, page);
  g_signal_connect_object (get_workspace (page), "changed", G_CALLBACK (update), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (get_workspace (page), "notify::run", G_CALLBACK (update), page,
                           G_CONNECT_SWAPPED);
  update (page);
}

static void
sonde_distributions_page_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_DISTRIBUTIONS_PAGE);
  G_OBJECT_CLASS (sonde_distributions_page_parent_class)->dispose (object);
}

static void
sonde_distributions_page_finalize (GObject *object)
{
  SondeDistributionsPage *page = SONDE_DISTRIBUTIONS_PAGE (object);

  g_object_unref (page->runs);
  g_free (page->filtered);
  G_OBJECT_CLASS (sonde_distributions_page_parent_class)->finalize (object);
}

static void
sonde_distributions_page_class_init (SondeDistributionsPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  SondePageClass *page_class = SONDE_PAGE_CLASS (klass);

  object_class->dispose = sonde_distributions_page_dispose;
  object_class->finalize = sonde_distributions_page_finalize;
  page_class->set_up = sonde_distributions_page_set_up;
  page_class->show = sonde_distributions_page_show;
  page_class->is_settled = sonde_distributions_page_is_settled;
  g_type_ensure (SONDE_TYPE_CARD_GRID);
  g_type_ensure (SONDE_TYPE_MARK);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, filter);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, run_mark);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, run_title);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, ridges);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, heat);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, bands);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, grid);
  gtk_widget_class_bind_template_callback (widget_class, on_filter_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_kind_toggled);
  gtk_widget_class_install_action (widget_class, "distributions.clear-filter", NULL, clear_filter);
}

static void
sonde_distributions_page_init (SondeDistributionsPage *page)
{
  page->runs = g_list_store_new (SONDE_TYPE_RUN);
  page->filtered = g_strdup ("");
  gtk_widget_init_template (GTK_WIDGET (page));
}
