/* SPDX-License-Identifier: Apache-2.0
 * A grid of charts, one a tag; a chart can fill the page. */
#include "app/pages/sonde-scalars-page.h"

#include "app/pages/cards/sonde-scalar-card.h"
#include "app/widgets/sonde-tag-list.h"
#include "data/browsing/sonde-chart-plans.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-scalars-page.ui"
#define SETTINGS "scalars"
#define DEFAULT_SMOOTHING 0.6

struct _SondeScalarsPage
{
  SondeGridPage parent_instance;
  GtkAdjustment *smoothing_adjustment;
  GtkToggleButton *log_y, *layout;
  GtkDropDown *x;
  SondeChartPlans *plans; /* charts that the shown runs ask for */
  guint n_planned;        /* charts of the layout that the filter lets through: the first ones */
  gboolean setting_up;
};

G_DEFINE_FINAL_TYPE (SondeScalarsPage, sonde_scalars_page, SONDE_TYPE_GRID_PAGE)

static SondeCardGrid *
get_grid (SondeScalarsPage *page)
{
  return sonde_grid_page_get_grid (SONDE_GRID_PAGE (page));
}

static SondeWorkspace *
get_workspace (SondeScalarsPage *page)
{
  return sonde_page_get_workspace (SONDE_PAGE (page));
}

/* ---- status -------------------------------------------------------------- */

static guint64
count_held (SondeScalarsPage *page)
{
  GListModel *runs = sonde_grid_page_get_runs (SONDE_GRID_PAGE (page));
  const char *filter = sonde_grid_page_get_filter (SONDE_GRID_PAGE (page));
  guint64 n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);
      GPtrArray *tags = sonde_run_get_tags (run);

      for (guint k = 0; k < tags->len; k++)
        {
          const SondeRunTag *tag = tags->pdata[k];
          if (tag->kind == SONDE_RECORD_SCALARS && sonde_tag_matches (tag->tag, filter))
            n += tag->count;
        }
    }
  return n;
}

static void
add_hidden (SondeTagCard *card, void *user_data)
{
  guint64 *hidden = user_data, shown, held;

  sonde_scalar_view_get_counts (sonde_scalar_card_get_view (SONDE_SCALAR_CARD (card)), &shown,
                                &held);
  *hidden += held > shown ? held - shown : 0;
}

static gboolean
has_layout (SondeScalarsPage *page)
{
  return page->plans != NULL && gtk_toggle_button_get_active (page->layout)
         && sonde_chart_plans_get_names (page->plans)->len > 0;
}

/* Points outside a zoomed window are held but not shown. */
static char *
sonde_scalars_page_dup_status (SondeGridPage *base)
{
  SondeScalarsPage *page = SONDE_SCALARS_PAGE (base);
  guint n_tags = sonde_grid_page_get_n_tags (base), n_shown = sonde_grid_page_get_n_shown (base);
  guint64 held = count_held (page), hidden = 0;
  g_autofree char *held_text = sonde_format_count ((gint64) held);
  g_autofree char *shown_text = NULL;

  sonde_card_grid_foreach (get_grid (page), add_hidden, &hidden);
  shown_text = sonde_format_count ((gint64) (held > hidden ? held - hidden : 0));
  if (has_layout (page))
    return g_strdup_printf (_ ("%s of %s points shown · tags: %u · charts: %u, of the layout: %u"),
                            shown_text, held_text, n_tags, n_shown, page->n_planned);
  return g_strdup_printf (_ ("%s of %s points shown · tags: %u of %u"), shown_text, held_text,
                          n_shown, n_tags);
}

static gboolean
sonde_scalars_page_is_settled (SondePage *page)
{
  return SONDE_PAGE_CLASS (sonde_scalars_page_parent_class)->is_settled (page)
         && !sonde_chart_plans_is_busy (SONDE_SCALARS_PAGE (page)->plans);
}

/* ---- cards --------------------------------------------------------------- */

static void
configure (SondeTagCard *card, void *user_data)
{
  SondeScalarsPage *page = user_data;
  SondeScalarView *view = sonde_scalar_card_get_view (SONDE_SCALAR_CARD (card));

  sonde_scalar_view_set_smoothing (view, gtk_adjustment_get_value (page->smoothing_adjustment));
  sonde_scalar_view_set_log_y (view, gtk_toggle_button_get_active (page->log_y));
  sonde_scalar_view_set_x (view, (SondeScalarX) gtk_drop_down_get_selected (page->x));
}

static void
configure_all (SondeScalarsPage *page)
{
  if (!page->setting_up)
    sonde_card_grid_foreach (get_grid (page), configure, page);
}

typedef struct
{
  SondeScalarView *view; /* with the pointer */
  gint64 step;
} Hover;

static void
mark (SondeTagCard *card, void *user_data)
{
  Hover *hover = user_data;
  SondeScalarView *view = sonde_scalar_card_get_view (SONDE_SCALAR_CARD (card));

  sonde_scalar_view_set_mark (view, view == hover->view ? SONDE_SCALAR_NO_STEP : hover->step);
}

/* The step under the pointer is marked on the other charts. */
static void
on_hovered_step (SondeScalarView *view, gint64 step, SondeScalarsPage *page)
{
  sonde_card_grid_foreach (get_grid (page), mark, &(Hover){ view, step });
}

static const SondeChartPlan *
find_plan (const char *title, void *user_data)
{
  SondeScalarsPage *page = user_data;

  return has_layout (page) ? sonde_chart_plans_find (title, page->plans) : NULL;
}

static SondeTagCard *
sonde_scalars_page_make_card (SondeGridPage *base)
{
  SondeScalarsPage *page = SONDE_SCALARS_PAGE (base);
  SondeTagCard *card = SONDE_TAG_CARD (sonde_scalar_card_new (get_workspace (page)));
  SondeView *view = sonde_tag_card_get_view (card);

  g_signal_connect_object (view, "counts-changed", G_CALLBACK (sonde_grid_page_status_changed),
                           page, G_CONNECT_SWAPPED);
  g_signal_connect_object (view, "hovered-step", G_CALLBACK (on_hovered_step), page, 0);
  sonde_scalar_card_set_plans (SONDE_SCALAR_CARD (card), find_plan, page);
  configure (card, page);
  return card;
}

/* ---- what is shown ------------------------------------------------------- */

/* The planned charts whose name the filter lets through, in the layout's order; then the scalars
 * that are in none of them. */
static void
list_planned (SondeScalarsPage *page, GListModel *tags, GtkStringList *list, const char *filter)
{
  GPtrArray *names = sonde_chart_plans_get_names (page->plans);
  guint n_old = g_list_model_get_n_items (G_LIST_MODEL (list));
  g_autoptr (GPtrArray) shown = g_ptr_array_new ();
  gboolean same;

  for (guint i = 0; i < names->len; i++)
    if (sonde_tag_matches (names->pdata[i], filter))
      g_ptr_array_add (shown, names->pdata[i]);
  page->n_planned = shown->len;
  for (guint i = 0; i < g_list_model_get_n_items (tags); i++)
    {
      const char *tag = g_intern_string (gtk_string_list_get_string (GTK_STRING_LIST (tags), i));

      if (!sonde_chart_plans_shows (page->plans, tag) && sonde_tag_matches (tag, filter))
        g_ptr_array_add (shown, (char *) tag);
    }
  same = shown->len == n_old;
  for (guint i = 0; same && i < n_old; i++)
    same = g_str_equal (shown->pdata[i], gtk_string_list_get_string (list, i));
  g_ptr_array_add (shown, NULL);
  if (!same)
    gtk_string_list_splice (list, 0, n_old, (const char *const *) shown->pdata);
}

static guint
sonde_scalars_page_list_tags (SondeGridPage *base, GtkStringList *list, GListModel *runs,
                              const char *filter)
{
  SondeScalarsPage *page = SONDE_SCALARS_PAGE (base);
  g_autoptr (GtkStringList) all = NULL;
  guint n_tags;

  gtk_widget_set_visible (GTK_WIDGET (page->layout),
                          sonde_chart_plans_get_names (page->plans)->len > 0);
  if (!has_layout (page))
    return sonde_tag_list_update (list, runs, SONDE_RECORD_SCALARS, filter);
  all = gtk_string_list_new (NULL);
  n_tags = sonde_tag_list_update (all, runs, SONDE_RECORD_SCALARS, NULL);
  list_planned (page, G_LIST_MODEL (all), list, filter);
  return n_tags;
}

/* ---- controls ------------------------------------------------------------ */

static void
remember (SondeScalarsPage *page, const char *key, const char *value)
{
  if (!page->setting_up)
    sonde_workspace_set_setting (get_workspace (page), SETTINGS, key, value);
}

static void
on_smoothing_changed (SondeScalarsPage *page)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  configure_all (page);
  remember (page, "smoothing",
            g_ascii_formatd (text, sizeof text, "%.3f",
                             gtk_adjustment_get_value (page->smoothing_adjustment)));
}

static void
on_layout_toggled (SondeScalarsPage *page)
{
  if (page->setting_up || page->plans == NULL)
    return;
  sonde_card_grid_expand (get_grid (page), NULL);
  sonde_grid_page_update (SONDE_GRID_PAGE (page));
}

static void
update_card (SondeTagCard *card, void *user_data)
{
  if (sonde_tag_card_get_tag (card) != NULL)
    sonde_scalar_card_update (SONDE_SCALAR_CARD (card));
}

static void
on_plans_changed (void *user_data)
{
  SondeScalarsPage *page = user_data;

  sonde_grid_page_update (user_data);
  sonde_card_grid_foreach (get_grid (page), update_card, NULL);
  sonde_page_settled_changed (SONDE_PAGE (user_data));
}

static void
on_workspace_changed (SondeScalarsPage *page)
{
  sonde_chart_plans_update (page->plans);
}

static void
on_log_toggled (SondeScalarsPage *page)
{
  configure_all (page);
  remember (page, "log", gtk_toggle_button_get_active (page->log_y) ? "true" : "false");
}

static void
on_x_changed (SondeScalarsPage *page)
{
  static const char *const names[] = { "step", "relative", "wall" };

  configure_all (page);
  remember (page, "x", names[MIN (gtk_drop_down_get_selected (page->x), 2)]);
}

static void
restore (SondeScalarsPage *page)
{
  const char *smoothing = sonde_workspace_get_setting (get_workspace (page), SETTINGS, "smoothing");
  const char *log_y = sonde_workspace_get_setting (get_workspace (page), SETTINGS, "log");
  const char *x = sonde_workspace_get_setting (get_workspace (page), SETTINGS, "x");

  page->setting_up = TRUE;
  gtk_adjustment_set_value (page->smoothing_adjustment, smoothing != NULL
                                                            ? g_ascii_strtod (smoothing, NULL)
                                                            : DEFAULT_SMOOTHING);
  gtk_toggle_button_set_active (page->log_y, g_strcmp0 (log_y, "true") == 0);
  gtk_drop_down_set_selected (page->x, g_strcmp0 (x, "wall") == 0       ? 2
                                       : g_strcmp0 (x, "relative") == 0 ? 1
                                                                        : 0);
  page->setting_up = FALSE;
}

static void
sonde_scalars_page_show (SondePage *base, const SondePageRequest *request)
{
  /* A tag is a chart of its own, whatever the layout says. */
  if (request->tag != NULL)
    gtk_toggle_button_set_active (SONDE_SCALARS_PAGE (base)->layout, FALSE);
  SONDE_PAGE_CLASS (sonde_scalars_page_parent_class)->show (base, request);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_scalars_page_set_up (SondePage *base)
{
  SondeScalarsPage *page = SONDE_SCALARS_PAGE (base);

  restore (page);
  page->plans = sonde_chart_plans_new (sonde_workspace_get_shown_runs (get_workspace (page)),
                                       on_plans_changed, page);
  sonde_chart_plans_update (page->plans);
  /* Connected before the base is: it lists the tags by the new plans. */
  g_signal_connect_object (get_workspace (page), "changed", G_CALLBACK (on_workspace_changed), page,
                           G_CONNECT_SWAPPED);
  SONDE_PAGE_CLASS (sonde_scalars_page_parent_class)->set_up (base);
}

static void
sonde_scalars_page_dispose (GObject *object)
{
  SondeScalarsPage *page = SONDE_SCALARS_PAGE (object);

  g_clear_pointer (&page->plans, sonde_chart_plans_free);
  page->setting_up = TRUE;
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_SCALARS_PAGE);
  G_OBJECT_CLASS (sonde_scalars_page_parent_class)->dispose (object);
}

static void
sonde_scalars_page_class_init (SondeScalarsPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  static const SondeRecordKind kinds[] = { SONDE_RECORD_SCALARS };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  SondePageClass *page_class = SONDE_PAGE_CLASS (klass);
  SondeGridPageClass *grid_class = SONDE_GRID_PAGE_CLASS (klass);

  object_class->dispose = sonde_scalars_page_dispose;
  page_class->set_up = sonde_scalars_page_set_up;
  page_class->show = sonde_scalars_page_show;
  page_class->is_settled = sonde_scalars_page_is_settled;
  grid_class->kinds = kinds;
  grid_class->n_kinds = G_N_ELEMENTS (kinds);
  grid_class->empty_icon = "sonde-scalars-symbolic";
  grid_class->empty_title = N_ ("No Scalars");
  grid_class->empty_sentence = N_ ("The visible runs have not recorded a scalar yet.");
  grid_class->empty_button = N_ ("Open Another Folder…");
  grid_class->empty_action = "win.open";
  grid_class->make_card = sonde_scalars_page_make_card;
  grid_class->dup_status = sonde_scalars_page_dup_status;
  grid_class->list_tags = sonde_scalars_page_list_tags;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, smoothing_adjustment);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, log_y);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, layout);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, x);
  gtk_widget_class_bind_template_callback (widget_class, on_smoothing_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_log_toggled);
  gtk_widget_class_bind_template_callback (widget_class, on_layout_toggled);
  gtk_widget_class_bind_template_callback (widget_class, on_x_changed);
}

static void
sonde_scalars_page_init (SondeScalarsPage *page)
{
  page->setting_up = TRUE;
  gtk_widget_init_template (GTK_WIDGET (page));
  page->setting_up = FALSE;
}
