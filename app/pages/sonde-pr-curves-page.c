/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-pr-curves-page.h"

#include "app/pages/cards/sonde-pr-card.h"
#include "app/widgets/sonde-step-scale.h"
#include "app/widgets/sonde-tag-list.h"
#include "data/base/sonde-text.h"
#include "data/browsing/sonde-step-loader.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-pr-curves-page.ui"

struct _SondePrCurvesPage
{
  SondeGridPage parent_instance;
  GtkToggleButton *roc;
  SondeStepScale *scale;
};

G_DEFINE_FINAL_TYPE (SondePrCurvesPage, sonde_pr_curves_page, SONDE_TYPE_GRID_PAGE)

/* ---- step ---------------------------------------------------------------- */

/* Of all tags of @runs, whatever the filter lets through. */
static void
list_steps (SondePrCurvesPage *page, GListModel *runs)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);
      GPtrArray *tags = sonde_run_get_tags (run);

      for (guint k = 0; k < tags->len; k++)
        {
          const SondeRunTag *tag = tags->pdata[k];

          if (tag->kind == SONDE_RECORD_PR_CURVE)
            sonde_step_loader_add_steps (steps, run, tag->tag, tag->kind);
        }
    }
  sonde_step_loader_sort_steps (steps);
  sonde_step_scale_set_steps (page->scale, steps);
}

static guint
sonde_pr_curves_page_list_tags (SondeGridPage *page, GtkStringList *list, GListModel *runs,
                                const char *filter)
{
  list_steps (SONDE_PR_CURVES_PAGE (page), runs);
  return sonde_tag_list_update (list, runs, SONDE_RECORD_PR_CURVE, filter, NULL);
}

/* ---- cards --------------------------------------------------------------- */

static void
count_curves (SondeTagCard *card, void *user_data)
{
  *(guint *) user_data
      += sonde_pr_view_get_n_curves (sonde_pr_card_get_view (SONDE_PR_CARD (card)));
}

static char *
sonde_pr_curves_page_dup_status (SondeGridPage *page)
{
  guint n_curves = 0;

  sonde_card_grid_foreach (sonde_grid_page_get_grid (page), count_curves, &n_curves);
  return g_strdup_printf (_ ("Curves shown: %u · tags: %u · steps: %u"), n_curves,
                          sonde_grid_page_get_n_shown (page),
                          sonde_step_scale_get_n_steps (SONDE_PR_CURVES_PAGE (page)->scale));
}

static void
configure (SondeTagCard *card, void *user_data)
{
  SondePrCurvesPage *page = user_data;

  sonde_pr_card_set_roc (SONDE_PR_CARD (card), gtk_toggle_button_get_active (page->roc));
}

static void
on_roc_toggled (SondePrCurvesPage *page)
{
  sonde_card_grid_foreach (sonde_grid_page_get_grid (SONDE_GRID_PAGE (page)), configure, page);
}

static SondeTagCard *
sonde_pr_curves_page_make_card (SondeGridPage *page)
{
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (page));
  SondeTagCard *card = SONDE_TAG_CARD (sonde_pr_card_new (workspace));

  configure (card, page);
  return card;
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_pr_curves_page_set_up (SondePage *base)
{
  sonde_step_scale_set_cursor (SONDE_PR_CURVES_PAGE (base)->scale, sonde_page_get_cursor (base));
  SONDE_PAGE_CLASS (sonde_pr_curves_page_parent_class)->set_up (base);
}

static void
sonde_pr_curves_page_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_PR_CURVES_PAGE);
  G_OBJECT_CLASS (sonde_pr_curves_page_parent_class)->dispose (object);
}

static void
sonde_pr_curves_page_class_init (SondePrCurvesPageClass *klass)
{
  static const SondeRecordKind kinds[] = { SONDE_RECORD_PR_CURVE };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  SondeGridPageClass *grid_class = SONDE_GRID_PAGE_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_pr_curves_page_dispose;
  SONDE_PAGE_CLASS (klass)->set_up = sonde_pr_curves_page_set_up;
  grid_class->kinds = kinds;
  grid_class->n_kinds = G_N_ELEMENTS (kinds);
  grid_class->empty_icon = "sonde-pr-curves-symbolic";
  grid_class->empty_title = N_ ("No PR Curves");
  grid_class->empty_sentence = N_ ("The visible runs have no precision-recall curves.");
  grid_class->empty_button = N_ ("View Their Contents");
  grid_class->empty_action = "win.page::runs";
  grid_class->make_card = sonde_pr_curves_page_make_card;
  grid_class->dup_status = sonde_pr_curves_page_dup_status;
  grid_class->list_tags = sonde_pr_curves_page_list_tags;
  g_type_ensure (SONDE_TYPE_STEP_SCALE);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondePrCurvesPage, roc);
  gtk_widget_class_bind_template_child (widget_class, SondePrCurvesPage, scale);
  gtk_widget_class_bind_template_callback (widget_class, on_roc_toggled);
}

static void
sonde_pr_curves_page_init (SondePrCurvesPage *page)
{
  gtk_widget_init_template (GTK_WIDGET (page));
}
