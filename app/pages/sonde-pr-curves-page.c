/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-pr-curves-page.h"

#include "app/pages/cards/sonde-card-grid.h"
#include "app/pages/cards/sonde-pr-card.h"
#include "app/widgets/sonde-tag-list.h"
#include "data/base/sonde-text.h"
#include "viewers/layout/sonde-ticks.h"

struct _SondePrCurvesPage
{
  SondePage parent_instance;
  SondeCardGrid *grid;
  GtkWidget *roc;
  GtkRange *scale;
  GtkLabel *step_label;
  GArray *steps; /* gint64, each once */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondePrCurvesPage, sonde_pr_curves_page, SONDE_TYPE_PAGE)

static SondeWorkspace *
get_workspace (SondePrCurvesPage *page)
{
  return sonde_page_get_workspace (SONDE_PAGE (page));
}

/* ---- step ---------------------------------------------------------------- */

static int
compare_steps (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

static void
add_steps (GArray *steps, GHashTable *seen, SondeRun *run, const char *tag)
{
  g_autoptr (GArray) refs = sonde_run_list_blobs (run, tag, SONDE_RECORD_PR_CURVE);

  for (guint i = 0; i < refs->len; i++)
    {
      gint64 step = g_array_index (refs, SondeBlobRef, i).step;

      if (g_hash_table_add (seen, g_memdup2 (&step, sizeof step)))
        g_array_append_val (steps, step);
    }
}

/* Of all tags and runs that are shown. */
static void
list_steps (SondePrCurvesPage *page)
{
  GListModel *runs = sonde_workspace_get_shown_runs (get_workspace (page));
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  g_array_set_size (page->steps, 0);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);
      GPtrArray *tags = sonde_run_get_tags (run);

      for (guint k = 0; k < tags->len; k++)
        if (((const SondeRunTag *) tags->pdata[k])->kind == SONDE_RECORD_PR_CURVE)
          add_steps (page->steps, seen, run, ((const SondeRunTag *) tags->pdata[k])->tag);
    }
  g_array_sort (page->steps, compare_steps);
}

static void
update_step (SondePrCurvesPage *page)
{
  gint64 cursor = sonde_step_cursor_get_step (sonde_page_get_cursor (SONDE_PAGE (page)));
  guint index = 0, n = page->steps->len;
  g_autofree char *count = NULL, *text = NULL;

  for (guint i = 0; i < n && g_array_index (page->steps, gint64, i) <= cursor; i++)
    index = i;
  page->updating = TRUE;
  gtk_range_set_range (page->scale, 0, MAX (n, 2) - 1);
  gtk_range_set_value (page->scale, index);
  page->updating = FALSE;
  gtk_widget_set_sensitive (GTK_WIDGET (page->scale), n > 1);
  count = sonde_format_count (n > 0 ? g_array_index (page->steps, gint64, index) : 0);
  text = g_strdup_printf (_ ("Step %s"), count);
  gtk_label_set_label (page->step_label, n > 0 ? text : "");
}

static void
on_scale_moved (SondePrCurvesPage *page)
{
  guint index = (guint) (gtk_range_get_value (page->scale) + 0.5);

  if (!page->updating && index < page->steps->len)
    sonde_step_cursor_set_step (sonde_page_get_cursor (SONDE_PAGE (page)),
                                g_array_index (page->steps, gint64, index));
}

/* ---- cards --------------------------------------------------------------- */

static void
count_curves (SondePictureCard *card, void *user_data)
{
  *(guint *) user_data
      += sonde_pr_view_get_n_curves (sonde_pr_card_get_view (SONDE_PR_CARD (card)));
}

static void
update_status (SondePrCurvesPage *page)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (sonde_card_grid_get_tags (page->grid))),
        n_curves = 0;
  g_autofree char *text = NULL;

  sonde_card_grid_foreach (page->grid, count_curves, &n_curves);
  text = g_strdup_printf (_ ("Curves shown: %u · tags: %u · steps: %u"), n_curves, n,
                          page->steps->len);
  sonde_page_set_status (SONDE_PAGE (page), n > 0 ? text : NULL);
}

static void
on_state_changed (SondePrCurvesPage *page)
{
  update_status (page);
  sonde_page_settled_changed (SONDE_PAGE (page));
}

static void
configure (SondePictureCard *card, void *user_data)
{
  SondePrCurvesPage *page = user_data;

  sonde_pr_card_set_roc (SONDE_PR_CARD (card),
                         gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (page->roc)));
}

static void
on_roc_toggled (SondePrCurvesPage *page)
{
  sonde_card_grid_foreach (page->grid, configure, page);
}

static SondePictureCard *
make_card (void *user_data)
{
  SondePrCurvesPage *page = user_data;
  SondePictureCard *card = SONDE_PICTURE_CARD (sonde_pr_card_new (get_workspace (page)));

  g_signal_connect_object (card, "state-changed", G_CALLBACK (on_state_changed), page,
                           G_CONNECT_SWAPPED);
  configure (card, page);
  return card;
}

/* ---- what is shown ------------------------------------------------------- */

static void
update (SondePrCurvesPage *page)
{
  SondePage *base = SONDE_PAGE (page);
  GListModel *shown = sonde_workspace_get_shown_runs (get_workspace (page));
  guint n_tags = sonde_tag_list_update (sonde_card_grid_get_tags (page->grid), shown,
                                        SONDE_RECORD_PR_CURVE, NULL);

  list_steps (page);
  update_step (page);
  if (n_tags > 0)
    sonde_page_set_filled (base);
  else if (g_list_model_get_n_items (G_LIST_MODEL (sonde_page_get_store (base))) == 0)
    sonde_page_set_empty_without_runs (base);
  else if (g_list_model_get_n_items (shown) == 0)
    sonde_page_set_empty (base, "view-conceal-symbolic", _ ("All Runs Are Hidden"),
                          _ ("No run that matches the sidebar filter is selected."),
                          _ ("Show All Runs"), "win.show-all-runs");
  else
    sonde_page_set_empty (base, "sonde-pr-curves-symbolic", _ ("No PR Curves"),
                          _ ("The visible runs have no precision-recall curves."),
                          _ ("View Their Contents"), "win.page::runs");
  update_status (page);
}

static GtkWidget *
make_toggle (const char *label, const char *tooltip, GtkWidget *group)
{
  GtkWidget *button = gtk_toggle_button_new_with_label (label);

  gtk_widget_set_tooltip_text (button, tooltip);
  if (group != NULL)
    gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (button), GTK_TOGGLE_BUTTON (group));
  return button;
}

static GtkWidget *
make_bar (SondePrCurvesPage *page)
{
  GtkWidget *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12),
            *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *precision = make_toggle ("PR", _ ("Precision over recall"), NULL);

  page->roc = make_toggle ("ROC", _ ("True positive rate over false positive rate"), precision);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (precision), TRUE);
  g_signal_connect_object (page->roc, "toggled", G_CALLBACK (on_roc_toggled), page,
                           G_CONNECT_SWAPPED);
  gtk_widget_add_css_class (box, "linked");
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (box), precision);
  gtk_box_append (GTK_BOX (box), page->roc);
  page->scale = GTK_RANGE (gtk_scale_new_with_range (GTK_ORIENTATION_HORIZONTAL, 0, 1, 1));
  gtk_range_set_round_digits (page->scale, 0);
  gtk_scale_set_draw_value (GTK_SCALE (page->scale), FALSE);
  gtk_widget_set_hexpand (GTK_WIDGET (page->scale), TRUE);
  gtk_widget_set_tooltip_text (GTK_WIDGET (page->scale),
                               _ ("Step of the curves; the step cursor is shared by all pages"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (page->scale), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Step"), -1);
  g_signal_connect_object (page->scale, "value-changed", G_CALLBACK (on_scale_moved), page,
                           G_CONNECT_SWAPPED);
  page->step_label = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_xalign (page->step_label, 1);
  gtk_label_set_width_chars (page->step_label, 11);
  gtk_widget_add_css_class (GTK_WIDGET (page->step_label), "numeric");
  gtk_widget_add_css_class (bar, "page-bar");
  gtk_box_append (GTK_BOX (bar), box);
  gtk_box_append (GTK_BOX (bar), GTK_WIDGET (page->scale));
  gtk_box_append (GTK_BOX (bar), GTK_WIDGET (page->step_label));
  return bar;
}

static void
sonde_pr_curves_page_set_up (SondePage *base)
{
  SondePrCurvesPage *page = SONDE_PR_CURVES_PAGE (base);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  page->grid = g_object_new (SONDE_TYPE_CARD_GRID, "vexpand", TRUE, NULL);
  gtk_box_append (GTK_BOX (box), make_bar (page));
  gtk_box_append (GTK_BOX (box), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (page->grid));
  sonde_page_set_content (base, box);
  sonde_card_grid_set_up (page->grid, make_card, page);
  g_signal_connect_object (get_workspace (page), "changed", G_CALLBACK (update), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (sonde_page_get_cursor (base), "notify::step", G_CALLBACK (update_step),
                           page, G_CONNECT_SWAPPED);
  update (page);
}

static void
sonde_pr_curves_page_show (SondePage *base, const SondePageRequest *request)
{
  SondePrCurvesPage *page = SONDE_PR_CURVES_PAGE (base);
  GtkStringList *tags = sonde_card_grid_get_tags (page->grid);

  if (request->has_step)
    sonde_step_cursor_set_step (sonde_page_get_cursor (base), request->step);
  for (guint i = 0; request->tag != NULL && i < g_list_model_get_n_items (G_LIST_MODEL (tags)); i++)
    if (g_str_equal (gtk_string_list_get_string (tags, i), request->tag))
      sonde_card_grid_expand (page->grid, request->tag);
}

static gboolean
sonde_pr_curves_page_is_settled (SondePage *page)
{
  return sonde_card_grid_is_settled (SONDE_PR_CURVES_PAGE (page)->grid);
}

static void
sonde_pr_curves_page_finalize (GObject *object)
{
  g_array_unref (SONDE_PR_CURVES_PAGE (object)->steps);
  G_OBJECT_CLASS (sonde_pr_curves_page_parent_class)->finalize (object);
}

static void
sonde_pr_curves_page_class_init (SondePrCurvesPageClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_pr_curves_page_finalize;
  SONDE_PAGE_CLASS (klass)->set_up = sonde_pr_curves_page_set_up;
  SONDE_PAGE_CLASS (klass)->show = sonde_pr_curves_page_show;
  SONDE_PAGE_CLASS (klass)->is_settled = sonde_pr_curves_page_is_settled;
}

static void
sonde_pr_curves_page_init (SondePrCurvesPage *page)
{
  page->steps = g_array_new (FALSE, FALSE, sizeof (gint64));
}
