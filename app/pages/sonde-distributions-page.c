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
#define MAX_MARKED 16 /* outlines that can still be told apart */
#define STEPS_TIP N_ ("Steps to overlay with the current one, as 0, 500; Ctrl+click marks one")
#define STEPS_PROBLEM N_ ("Not understood: give up to 16 steps as whole numbers, as 0, 500")

struct _SondeDistributionsPage
{
  SondeGridPage parent_instance;
  GtkToggleButton *ridges, *heat, *bands, *overlay, *steps, *shares, *log, *pairs;
  GtkEntry *marked;
  GArray *marked_steps; /* gint64, ascending: what the entry says, as long as it makes sense */
};

G_DEFINE_FINAL_TYPE (SondeDistributionsPage, sonde_distributions_page, SONDE_TYPE_GRID_PAGE)

#define N_KINDS 6
#define OF_STEPS 5

/* In the order of the buttons' table; the last one is an overlay, too. */
static const struct
{
  const char *name;
  SondeDistributionKind kind;
} kinds[N_KINDS] = {
  { "ridges", SONDE_DISTRIBUTION_RIDGES }, { "heat", SONDE_DISTRIBUTION_HEAT },
  { "bands", SONDE_DISTRIBUTION_BANDS },   { "overlay", SONDE_DISTRIBUTION_OVERLAY },
  { "shares", SONDE_DISTRIBUTION_SHARES }, [OF_STEPS] = { "steps", SONDE_DISTRIBUTION_OVERLAY },
};

static GtkToggleButton *
get_button (SondeDistributionsPage *page, guint kind)
{
  GtkToggleButton *const buttons[N_KINDS]
      = { page->ridges, page->heat, page->bands, page->overlay, page->shares, page->steps };

  return buttons[kind];
}

static guint
get_kind (SondeDistributionsPage *page)
{
  for (guint i = 1; i < N_KINDS; i++)
    if (gtk_toggle_button_get_active (get_button (page, i)))
      return i;
  return 0;
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
  guint kind = get_kind (page);

  sonde_histogram_card_set_steps (card, kind == OF_STEPS ? page->marked_steps : NULL);
  sonde_histogram_card_set_kind (card, kinds[kind].kind);
  sonde_histogram_view_set_log (sonde_histogram_card_get_view (card),
                                gtk_toggle_button_get_active (page->log));
}

/* ---- steps to compare ---------------------------------------------------- */

static int
compare_steps (const void *a, const void *b)
{
  gint64 one = *(const gint64 *) a, other = *(const gint64 *) b;

  return (one > other) - (one < other);
}

/* "0, 500 1,000": (transfer full) (nullable): not numbers alone, or too many */
static GArray *
parse_steps (const char *text)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_auto (GStrv) words = g_strsplit_set (text, ", ;\t", -1);

  for (gsize i = 0; words[i] != NULL; i++)
    {
      gint64 step;

      if (*words[i] == '\0')
        continue;
      if (!g_ascii_string_to_signed (words[i], 10, G_MININT64, G_MAXINT64, &step, NULL)
          || steps->len == MAX_MARKED)
        return NULL;
      g_array_append_val (steps, step);
    }
  g_array_sort (steps, compare_steps);
  return g_steal_pointer (&steps);
}

static void
take_steps (SondeDistributionsPage *page)
{
  GArray *steps = parse_steps (gtk_editable_get_text (GTK_EDITABLE (page->marked)));
  GtkWidget *entry = GTK_WIDGET (page->marked);

  gtk_accessible_update_state (
      GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_STATE_INVALID,
      steps == NULL ? GTK_ACCESSIBLE_INVALID_TRUE : GTK_ACCESSIBLE_INVALID_FALSE, -1);
  gtk_widget_set_tooltip_text (entry, steps != NULL ? _ (STEPS_TIP) : _ (STEPS_PROBLEM));
  if (steps == NULL)
    {
      gtk_widget_add_css_class (entry, "error");
      return;
    }
  gtk_widget_remove_css_class (entry, "error");
  g_array_unref (page->marked_steps);
  page->marked_steps = steps;
}

static void
on_marked (SondeDistributionsPage *page)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (page->marked));

  take_steps (page);
  sonde_card_grid_foreach (sonde_grid_page_get_grid (SONDE_GRID_PAGE (page)), configure, page);
  sonde_workspace_set_setting (sonde_page_get_workspace (SONDE_PAGE (page)), SETTINGS, "steps",
                               *text != '\0' ? text : NULL);
}

static void
show_steps (SondeDistributionsPage *page, GArray *steps)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < steps->len; i++)
    g_string_append_printf (text, "%s%" PRIi64, i > 0 ? ", " : "",
                            g_array_index (steps, gint64, i));
  gtk_editable_set_text (GTK_EDITABLE (page->marked), text->str);
  on_marked (page);
}

/* A step that is marked already is not any more. */
static void
on_step_marked (SondeDistributionsPage *page, gint64 step)
{
  g_autoptr (GArray) steps = g_array_copy (page->marked_steps);
  guint i = 0;

  while (i < steps->len && g_array_index (steps, gint64, i) < step)
    i++;
  if (i < steps->len && g_array_index (steps, gint64, i) == step)
    g_array_remove_index (steps, i);
  else
    g_array_insert_val (steps, i, step);
  gtk_toggle_button_set_active (page->steps, TRUE);
  show_steps (page, steps);
}

/* ---- cards --------------------------------------------------------------- */

static SondeTagCard *
sonde_distributions_page_make_card (SondeGridPage *page)
{
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (page));
  SondeTagCard *card = SONDE_TAG_CARD (sonde_histogram_card_new (workspace));

  configure (card, page);
  g_signal_connect_object (card, "step-marked", G_CALLBACK (on_step_marked), page,
                           G_CONNECT_SWAPPED);
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
  gtk_widget_set_visible (GTK_WIDGET (page->marked), get_kind (page) == OF_STEPS);
  workspace = sonde_page_get_workspace (SONDE_PAGE (page));
  sonde_card_grid_foreach (sonde_grid_page_get_grid (base), configure, page);
  sonde_workspace_set_setting (workspace, SETTINGS, "kind", kinds[get_kind (page)].name);
  sonde_workspace_set_setting (workspace, SETTINGS, "log",
                               gtk_toggle_button_get_active (page->log) ? "true" : NULL);
}

static void
sonde_distributions_page_set_up (SondePage *base)
{
  SondeDistributionsPage *page = SONDE_DISTRIBUTIONS_PAGE (base);
  SondeWorkspace *workspace = sonde_page_get_workspace (base);
  const char *kind = sonde_workspace_get_setting (workspace, SETTINGS, "kind");

  const char *steps = sonde_workspace_get_setting (workspace, SETTINGS, "steps");

  gtk_editable_set_text (GTK_EDITABLE (page->marked), steps != NULL ? steps : "");
  take_steps (page);
  for (guint i = 0; i < N_KINDS; i++)
    if (g_strcmp0 (kind, kinds[i].name) == 0)
      gtk_toggle_button_set_active (get_button (page, i), TRUE);
  gtk_widget_set_visible (GTK_WIDGET (page->marked), get_kind (page) == OF_STEPS);
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
  g_clear_pointer (&SONDE_DISTRIBUTIONS_PAGE (object)->marked_steps, g_array_unref);
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_DISTRIBUTIONS_PAGE);
  G_OBJECT_CLASS (sonde_distributions_page_parent_class)->dispose (object);
}

/* Statistics alone are numbers, without counts of values. */
static gboolean
sonde_distributions_page_show_empty (SondeGridPage *page, SondeRun *run)
{
  GPtrArray *tags = run != NULL ? sonde_run_get_tags (run) : NULL;

  for (guint i = 0; tags != NULL && i < tags->len; i++)
    if (((const SondeRunTag *) tags->pdata[i])->kind == SONDE_RECORD_STATISTICS)
      {
        sonde_page_set_empty (SONDE_PAGE (page), "sonde-distributions-symbolic",
                              _ ("Statistics without Histograms"),
                              _ ("The selected run has minimum, maximum, mean and deviation of its "
                                 "tensors, but no histograms; set “record.histograms” in its "
                                 "recipe to record them."),
                              _ ("View Its Statistics"), "win.page::tensors");
        return TRUE;
      }
  return FALSE;
}

static void
sonde_distributions_page_class_init (SondeDistributionsPageClass *klass)
{
  static const SondeRecordKind records[] = { SONDE_RECORD_HISTOGRAM };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  SondeGridPageClass *grid_class = SONDE_GRID_PAGE_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_distributions_page_dispose;
  SONDE_PAGE_CLASS (klass)->set_up = sonde_distributions_page_set_up;
  grid_class->kinds = records;
  grid_class->n_kinds = G_N_ELEMENTS (records);
  grid_class->of_selected_run = TRUE;
  grid_class->empty_icon = "sonde-distributions-symbolic";
  grid_class->empty_title = N_ ("No Histograms");
  grid_class->empty_sentence = N_ ("The selected run has no histograms; set “record.histograms” "
                                   "in its recipe to record them.");
  grid_class->empty_button = N_ ("View Its Scalars");
  grid_class->empty_action = "win.page::scalars";
  grid_class->show_empty = sonde_distributions_page_show_empty;
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
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, steps);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, marked);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, log);
  gtk_widget_class_bind_template_child (widget_class, SondeDistributionsPage, pairs);
  gtk_widget_class_bind_template_callback (widget_class, on_pairs_toggled);
  gtk_widget_class_bind_template_callback (widget_class, on_kind_toggled);
  gtk_widget_class_bind_template_callback (widget_class, on_marked);
}

static void
sonde_distributions_page_init (SondeDistributionsPage *page)
{
  page->marked_steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  gtk_widget_init_template (GTK_WIDGET (page));
  gtk_accessible_update_property (GTK_ACCESSIBLE (page->marked), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Steps to compare"), -1);
}
