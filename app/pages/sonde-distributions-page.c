/* SPDX-License-Identifier: Apache-2.0
 * A grid of histogram tags of the chosen run. */
#include "app/pages/sonde-distributions-page.h"

#include "app/pages/cards/sonde-histogram-card.h"
#include "app/widgets/sonde-bar-layout.h"
#include "app/widgets/sonde-tag-list.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-distributions-page.ui"
#define SETTINGS "distributions"

struct _SondeDistributionsPage
{
  SondeGridPage parent_instance;
  GtkToggleButton *ridges, *heat, *bands, *overlay, *shares, *log, *pairs;
};

G_DEFINE_FINAL_TYPE (SondeDistributionsPage, sonde_distributions_page, SONDE_TYPE_GRID_PAGE)

/* In the order of the kinds. */
static const char *const kind_names[] = { "ridges", "heat", "bands", "overlay", "shares" };

static GtkToggleButton *
get_button (SondeDistributionsPage *page, guint kind)
{
  GtkToggleButton *const buttons[]
      = { page->ridges, page->heat, page->bands, page->overlay, page->shares };

  return buttons[kind];
}

static SondeDistributionKind
get_kind (SondeDistributionsPage *page)
{
  for (guint i = 1; i < G_N_ELEMENTS (kind_names); i++)
    if (gtk_toggle_button_get_active (get_button (page, i)))
      return (SondeDistributionKind) i;
  return SONDE_DISTRIBUTION_RIDGES;
}

static void
add_counts (SondeTagCard *card, void *user_data)
{
  guint *counts = user_data, shown, held;

  sonde_histogram_card_get_counts (SONDE_HISTOGRAM_CARD (card), &shown, &held);
  counts[0] += shown;
  counts[1] += held;
}

static char *
sonde_distributions_page_dup_status (SondeGridPage *page)
{
  guint counts[2] = { 0 };
  g_autofree char *shown = NULL, *held = NULL;

  sonde_card_grid_foreach (sonde_grid_page_get_grid (page), add_counts, counts);
  shown = sonde_format_count (counts[0]);
  held = sonde_format_count (counts[1]);
  return g_strdup_printf (_ ("%s of %s histograms shown, %u of %u tags"), shown, held,
                          sonde_grid_page_get_n_shown (page), sonde_grid_page_get_n_tags (page));
}

static void
configure (SondeTagCard *base, void *user_data)
{
  SondeDistributionsPage *page = user_data;
  SondeHistogramCard *card = SONDE_HISTOGRAM_CARD (base);

  sonde_histogram_card_set_kind (card, get_kind (page));
  sonde_histogram_view_set_log (sonde_histogram_card_get_view (card),
                                gtk_toggle_button_get_active (page->log));
}

static SondeTagCard *
sonde_distributions_page_make_card (SondeGridPage *page)
{
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (page));
  SondeTagCard *card = SONDE_TAG_CARD (sonde_histogram_card_new (workspace));

  configure (card, page);
  return card;
}

static guint
sonde_distributions_page_list_tags (SondeGridPage *base, GtkStringList *list, GListModel *runs,
                                    const char *filter)
{
  SondeDistributionsPage *page = SONDE_DISTRIBUTIONS_PAGE (base);

  return sonde_tag_list_update (list, runs, SONDE_RECORD_HISTOGRAM, filter,
                                gtk_toggle_button_get_active (page->pairs) ? sonde_tag_names_pair
                                                                           : NULL);
}

static void
on_pairs_toggled (SondeDistributionsPage *page, GtkToggleButton *button)
{
  SondeGridPage *base = SONDE_GRID_PAGE (page);

  if (sonde_grid_page_get_n_tags (base) == 0)
    return;
  sonde_workspace_set_setting (sonde_page_get_workspace (SONDE_PAGE (page)), SETTINGS, "pairs",
                               gtk_toggle_button_get_active (button) ? "true" : NULL);
  sonde_grid_page_update (base);
}

static void
on_kind_toggled (SondeDistributionsPage *page, GtkToggleButton *button)
{
  SondeGridPage *base = SONDE_GRID_PAGE (page);
  SondeWorkspace *workspace;

  if ((button != page->log && !gtk_toggle_button_get_active (button))
      || sonde_grid_page_get_n_tags (base) == 0)
    return;
  workspace = sonde_page_get_workspace (SONDE_PAGE (page));
  sonde_card_grid_foreach (sonde_grid_page_get_grid (base), configure, page);
  sonde_workspace_set_setting (workspace, SETTINGS, "kind", kind_names[get_kind (page)]);
  sonde_workspace_set_setting (workspace, SETTINGS, "log",
                               gtk_toggle_button_get_active (page->log) ? "true" : NULL);
}

static void
sonde_distributions_page_set_up (SondePage *base)
{
  SondeDistributionsPage *page = SONDE_DISTRIBUTIONS_PAGE (base);
  SondeWorkspace *workspace = sonde_page_get_workspace (base);
  const char *kind = sonde_workspace_get_setting (workspace, SETTINGS, "kind");

  for (guint i = 0; i < G_N_ELEMENTS (kind_names); i++)
    if (g_strcmp0 (kind, kind_names[i]) == 0)
      gtk_toggle_button_set_active (get_button (page, i), TRUE);
  gtk_toggle_button_set_active (
      page->log, g_strcmp0 (sonde_workspace_get_setting (workspace, SETTINGS, "log"), "true") == 0);
  gtk_toggle_button_set_active (
      page->pairs,
      g_strcmp0 (sonde_workspace_get_setting (workspace, SETTINGS, "pairs"), "true") == 0);
  SONDE_PAGE_CLASS (sonde_distributions_page_parent_class)->set_up (base);
}

static void
sonde_distributions_page_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_DISTRIBUTIONS_PAGE);
  G_OBJECT_CLASS (sonde_distributions_page_parent_class)->dispose (object);
}

static void
sonde_distributions_page_class_init (SondeDistributionsPageClass *klass)
{
  static const SondeRecordKind kinds[] = { SONDE_RECORD_HISTOGRAM };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  SondeGridPageClass *grid_class = SONDE_GRID_PAGE_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_distributions_page_dispose;
  SONDE_PAGE_CLASS (klass)->set_up = sonde_distributions_page_set_up;
  grid_class->kinds = kinds;
  grid_class->n_kinds = G_N_ELEMENTS (kinds);
  grid_class->of_selected_run = TRUE;
  grid_class->empty_icon = "sonde-distributions-symbolic";
  grid_class->empty_title = N_ ("No Histograms");
  grid_class->empty_sentence = N_ ("The selected run has no histograms; set “record.histograms” "
                                   "in its recipe to record them.");
  grid_class->empty_button = N_ ("View Its Scalars");
  grid_class->empty_action = "win.page::scalars";
  grid_class->make_card = sonde_distributions_page_make_card;
  grid_class->list_tags = sonde_distributions_page_list_tags;
  grid_class->dup_status = sonde_distributions_page_dup_status;
  g_type_ensure (SONDE_TYPE_BAR_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, ridges);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, heat);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, bands);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, overlay);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, shares);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, log);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, pairs);
  gtk_widget_class_bind_template_callback (widget_class, on_pairs_toggled);
  gtk_widget_class_bind_template_callback (widget_class, on_kind_toggled);
}

static void
sonde_distributions_page_init (SondeDistributionsPage *page)
{
  gtk_widget_init_template (GTK_WIDGET (page));
}
