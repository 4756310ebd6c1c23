/* SPDX-License-Identifier: Apache-2.0
 * A grid of charts, one a tag; a chart can fill the page. */
#include "app/pages/sonde-scalars-page.h"

#include "app/pages/cards/sonde-scalar-card.h"
#include "app/pages/scalars/sonde-card-changes.h"
#include "app/pages/scalars/sonde-chart-panel.h"
#include "app/pages/scalars/sonde-scalar-cursors.h"
#include "app/pages/scalars/sonde-scalar-order.h"
#include "app/widgets/sonde-tag-list.h"
#include "data/browsing/sonde-chart-plans.h"
#include "data/browsing/sonde-point-count.h"
#include "data/browsing/sonde-trials.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-scalars-page.ui"
#define SETTINGS "charts"
#define NEW_CHARTS "new-charts" /* of the preferences */

struct _SondeScalarsPage
{
  SondeGridPage parent_instance;
  GtkAdjustment *smoothing_adjustment;
  GtkEntry *smoothing_entry;
  GtkToggleButton *log_y, *layout, *settings, *values;
  GtkDropDown *x, *size;
  SondePointCount *count; /* of the shown runs */
  guint64 planned;        /* structure of the workspace when all of them were asked for charts */
  SondeChartPlans *plans; /* charts that the shown runs ask for */
  SondeChartBoard *board;
  SondeChartPanel *panel;
  SondeTrials *trials; /* (nullable): what runs were trained with, once groups ask for it */
  SondeScalarCursors *cursors;
  SondeScalarOrder *order; /* as of the last listing */
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
  return sonde_point_count_get (page->count, sonde_grid_page_get_runs (SONDE_GRID_PAGE (page)),
                                sonde_workspace_get_structure (get_workspace (page)),
                                sonde_grid_page_get_filter (SONDE_GRID_PAGE (page)));
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
                            shown_text, held_text, n_tags, n_shown,
                            page->order != NULL ? page->order->n_planned : 0);
  return g_strdup_printf (_ ("%s of %s points shown · tags: %u of %u"), shown_text, held_text,
                          n_shown, n_tags);
}

static gboolean
sonde_scalars_page_is_settled (SondePage *page)
{
  return SONDE_PAGE_CLASS (sonde_scalars_page_parent_class)->is_settled (page)
         && !sonde_chart_plans_is_busy (SONDE_SCALARS_PAGE (page)->plans)
         && (SONDE_SCALARS_PAGE (page)->trials == NULL
             || !sonde_trials_is_busy (SONDE_SCALARS_PAGE (page)->trials));
}

/* ---- cards --------------------------------------------------------------- */

/* Also what the grid tells of a card that shows another tag. */
static void
configure (SondeTagCard *card, void *user_data)
{
  SondeScalarsPage *page = user_data;
  const char *tag = sonde_tag_card_get_tag (card);
  g_autoptr (SondeChartSetup) setup = NULL;

  if (tag == NULL)
    return;
  setup = sonde_chart_board_dup_setup (page->board, tag);
  sonde_scalar_card_set_setup (SONDE_SCALAR_CARD (card), setup);
  sonde_tag_card_set_pinned (card, sonde_chart_board_is_pinned (page->board, tag));
  sonde_tag_card_set_note (card, setup->note);
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

static void
follow (SondeTagCard *card, void *leader)
{
  SondeView *view = sonde_tag_card_get_view (card);

  if (view != leader)
    sonde_view_follow_x (view, leader);
}

/* Charts whose x axes are the same show the same stretch of it. */
static void
on_viewport_changed (SondeView *view, SondeScalarsPage *page)
{
  if (page->board != NULL && sonde_chart_board_get_common (page->board)->linked)
    sonde_card_grid_foreach (get_grid (page), follow, view);
}

static void
on_settings (SondeTagCard *card, SondeScalarsPage *page)
{
  sonde_chart_panel_set_card (page->panel, sonde_tag_card_get_tag (card));
  gtk_toggle_button_set_active (page->settings, TRUE);
  gtk_widget_child_focus (GTK_WIDGET (page->panel), GTK_DIR_TAB_FORWARD);
}

static void
update_grouped (SondeTagCard *card, void *user_data)
{
  if (sonde_tag_card_get_tag (card) != NULL)
    sonde_scalar_card_update (SONDE_SCALAR_CARD (card));
}

static void
on_trials_changed (void *user_data)
{
  SondeScalarsPage *page = user_data;

  sonde_card_grid_foreach (get_grid (page), update_grouped, NULL);
  sonde_page_settled_changed (SONDE_PAGE (page));
}

/* Read when a chart asks for the first time; the cards hear of it when it is there. */
static const char *
find_parameter (SondeRun *run, const char *name, void *user_data)
{
  SondeScalarsPage *page = user_data;
  GListModel *trials;

  if (page->trials == NULL)
    {
      page->trials = sonde_trials_new (sonde_workspace_get_shown_runs (get_workspace (page)),
                                       on_trials_changed, page);
      sonde_trials_update (page->trials);
    }
  trials = sonde_trials_get_model (page->trials);
  for (guint i = 0; i < g_list_model_get_n_items (trials); i++)
    {
      g_autoptr (SondeTrial) trial = g_list_model_get_item (trials, i);

      if (sonde_trial_get_run (trial) == run)
        return sonde_trial_get_parameter (trial, name);
    }
  return NULL;
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
  sonde_scalar_card_set_parameters (SONDE_SCALAR_CARD (card), find_parameter, page);
  sonde_tag_card_set_pinned (card, FALSE);
  g_signal_connect_object (card, "tag-changed", G_CALLBACK (configure), page, 0);
  g_signal_connect_object (card, "settings", G_CALLBACK (on_settings), page, 0);
  g_signal_connect_object (view, "viewport-changed", G_CALLBACK (on_viewport_changed), page, 0);
  sonde_tag_card_enable_drag (card);
  sonde_card_changes_connect (card, page->board);
  sonde_scalar_cursors_add_card (page->cursors, card);
  return card;
}

/* ---- what is shown ------------------------------------------------------- */

static void
tell_tags (SondeScalarsPage *page, GPtrArray *tags)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < tags->len; i++)
    g_ptr_array_add (names, tags->pdata[i]);
  g_ptr_array_add (names, NULL);
  sonde_chart_panel_set_tags (page->panel, (const char *const *) names->pdata);
}

static guint
sonde_scalars_page_list_tags (SondeGridPage *base, GtkStringList *list, GListModel *runs,
                              const char *filter)
{
  SondeScalarsPage *page = SONDE_SCALARS_PAGE (base);
  g_autoptr (GPtrArray) tags = sonde_tag_names_collect (runs, SONDE_RECORD_SCALARS);

  gtk_widget_set_visible (GTK_WIDGET (page->layout),
                          sonde_chart_plans_get_names (page->plans)->len > 0);
  sonde_scalar_order_free (page->order);
  page->order
      = sonde_scalar_order_new (tags, page->board, has_layout (page) ? page->plans : NULL, filter);
  sonde_tag_list_set (list, page->order->cards);
  tell_tags (page, tags);
  sonde_card_grid_sections_changed (get_grid (page));
  return tags->len;
}

static char *
dup_section (const char *tag, guint position, void *user_data)
{
  SondeScalarsPage *page = user_data;

  return page->order != NULL ? sonde_scalar_order_dup_section (page->order, tag) : NULL;
}

static gboolean
is_closed (const char *section, void *user_data)
{
  return sonde_chart_board_is_closed (SONDE_SCALARS_PAGE (user_data)->board, section);
}

static void
set_closed (const char *section, gboolean closed, void *user_data)
{
  sonde_chart_board_set_closed (SONDE_SCALARS_PAGE (user_data)->board, section, closed);
}

static const SondeCardSections sections = { dup_section, is_closed, set_closed };

/* ---- controls ------------------------------------------------------------ */

/* The layout is that of the folder, or of whatever was opened first. */
static char *
dup_settings_key (SondeScalarsPage *page)
{
  const char *const *paths = sonde_workspace_get_paths (get_workspace (page));

  return g_uri_escape_string (paths != NULL && paths[0] != NULL ? paths[0] : "-", "/", FALSE);
}

static void
set_common (SondeScalarsPage *page, SondeChartField field, double value)
{
  g_autoptr (SondeChartSetup) setup = NULL;

  if (page->setting_up)
    return;
  setup = sonde_chart_setup_copy (sonde_chart_board_get_common (page->board));
  if (field == SONDE_CHART_FIELD_WEIGHT)
    sonde_chart_setup_set_number (setup, field, value);
  else
    sonde_chart_setup_set_choice (setup, field, (int) value);
  sonde_chart_board_set_common (page->board, setup);
}

static void
on_smoothing_changed (SondeScalarsPage *page)
{
  set_common (page, SONDE_CHART_FIELD_WEIGHT,
              gtk_adjustment_get_value (page->smoothing_adjustment));
}

static void
show_smoothing (SondeScalarsPage *page, double weight)
{
  g_autofree char *text = g_strdup_printf ("%.*f", weight > 0.99 ? 3 : 2, weight);

  if (!g_str_equal (gtk_editable_get_text (GTK_EDITABLE (page->smoothing_entry)), text))
    gtk_editable_set_text (GTK_EDITABLE (page->smoothing_entry), text);
}

/* What is no number, or none from 0 to 0.999, leaves the smoothing as it is. */
static void
on_smoothing_typed (SondeScalarsPage *page)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (page->smoothing_entry));
  double weight;
  char *end;

  if (page->setting_up || page->board == NULL)
    return;
  weight = g_ascii_strtod (text, &end);
  if (end != text && *g_strchug (end) == '\0' && weight >= 0 && weight <= 0.999)
    set_common (page, SONDE_CHART_FIELD_WEIGHT, weight);
  show_smoothing (page, sonde_chart_board_get_common (page->board)->weight);
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
  guint64 structure = sonde_workspace_get_structure (get_workspace (page));
  SondeRunStore *store = sonde_workspace_get_store (get_workspace (page));

  if (page->planned != structure || sonde_chart_plans_concern (sonde_run_store_get_changed (store)))
    sonde_chart_plans_update (page->plans);
  page->planned = structure;
  if (page->trials != NULL)
    sonde_trials_update (page->trials);
}

static void
on_log_toggled (SondeScalarsPage *page)
{
  set_common (page, SONDE_CHART_FIELD_LOG_Y, gtk_toggle_button_get_active (page->log_y));
}

static void
on_x_changed (SondeScalarsPage *page)
{
  set_common (page, SONDE_CHART_FIELD_X, gtk_drop_down_get_selected (page->x));
}

static void
on_size_changed (SondeScalarsPage *page)
{
  if (!page->setting_up)
    sonde_chart_board_set_size (page->board,
                                (SondeChartSize) gtk_drop_down_get_selected (page->size));
}

/* The controls of the bar say what is common to all charts. */
static void
update_controls (SondeScalarsPage *page)
{
  const SondeChartSetup *common = sonde_chart_board_get_common (page->board);

  sonde_scalar_cursors_set_linked (page->cursors, common->linked);
  page->setting_up = TRUE;
  gtk_adjustment_set_value (page->smoothing_adjustment, common->weight);
  show_smoothing (page, common->weight);
  gtk_toggle_button_set_active (page->log_y, common->log_y);
  gtk_drop_down_set_selected (page->x, (guint) common->x);
  gtk_drop_down_set_selected (page->size, sonde_chart_board_get_size (page->board));
  page->setting_up = FALSE;
}

/* A step of the window's history is one of the board's. */
static void
undo_charts (gpointer board, gboolean redo)
{
  if (redo)
    sonde_chart_board_redo (board);
  else
    sonde_chart_board_undo (board);
}

static void
on_board_changed (SondeScalarsPage *page, const char *card)
{
  g_autofree char *key = dup_settings_key (page), *text = sonde_chart_board_dup_text (page->board);

  sonde_workspace_set_setting (get_workspace (page), SETTINGS, key, text);
  if (!sonde_chart_board_is_gliding (page->board))
    sonde_history_add (sonde_workspace_get_history (get_workspace (page)), _ ("Charts"),
                       undo_charts, g_object_ref (page->board), g_object_unref);
  update_controls (page);
  sonde_card_grid_set_size (get_grid (page),
                            (SondeCardSize) sonde_chart_board_get_size (page->board));
  if (card == NULL)
    sonde_grid_page_update (SONDE_GRID_PAGE (page));
  sonde_card_grid_foreach (get_grid (page), configure, page);
}

/* The panel is that of all charts again when it is opened the next time. */
static void
on_settings_toggled (SondeScalarsPage *page)
{
  gboolean shown = gtk_toggle_button_get_active (page->settings);

  if (page->panel == NULL)
    return;
  gtk_widget_set_visible (GTK_WIDGET (page->panel), shown);
  if (!shown)
    sonde_chart_panel_set_card (page->panel, NULL);
}

static void
on_close (SondeScalarsPage *page)
{
  gtk_toggle_button_set_active (page->settings, FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (page->settings));
}

/* What the preferences say of folders that have no charts of their own yet. */
static void
prefer_defaults (SondeScalarsPage *page)
{
  const char *size = sonde_workspace_get_setting (get_workspace (page), NEW_CHARTS, "size");
  const char *weight = sonde_workspace_get_setting (get_workspace (page), NEW_CHARTS, "smoothing");
  g_autoptr (SondeChartSetup) common
      = sonde_chart_setup_copy (sonde_chart_board_get_common (page->board));
  guint64 number;

  if (size != NULL
      && g_ascii_string_to_unsigned (size, 10, 0, SONDE_CHART_N_SIZES - 1, &number, NULL))
    sonde_chart_board_set_size (page->board, (SondeChartSize) number);
  if (weight == NULL)
    return;
  sonde_chart_setup_set_number (common, SONDE_CHART_FIELD_WEIGHT,
                                CLAMP (g_ascii_strtod (weight, NULL), 0, 0.99));
  sonde_chart_board_set_common (page->board, common);
}

static void
on_copied (SondeScalarsPage *page)
{
  sonde_page_toast (SONDE_PAGE (page), _ ("Table copied"));
}

static void
set_up_values (SondeScalarsPage *page)
{
  GtkWidget *table = sonde_value_table_new ();

  sonde_grid_page_add_below (SONDE_GRID_PAGE (page), table);
  page->cursors = sonde_scalar_cursors_new (get_workspace (page), get_grid (page),
                                            SONDE_VALUE_TABLE (table), page->values);
  g_signal_connect_object (table, "copied", G_CALLBACK (on_copied), page, G_CONNECT_SWAPPED);
}

static void
set_up_board (SondeScalarsPage *page)
{
  g_autofree char *key = dup_settings_key (page);

  page->board
      = sonde_chart_board_new (sonde_workspace_get_setting (get_workspace (page), SETTINGS, key));
  if (sonde_workspace_get_setting (get_workspace (page), SETTINGS, key) == NULL)
    prefer_defaults (page);
  g_signal_connect_object (page->board, "changed", G_CALLBACK (on_board_changed), page,
                           G_CONNECT_SWAPPED);
  page->panel = SONDE_CHART_PANEL (sonde_chart_panel_new (page->board));
  gtk_widget_set_visible (GTK_WIDGET (page->panel), FALSE);
  g_signal_connect_object (page->panel, "close", G_CALLBACK (on_close), page, G_CONNECT_SWAPPED);
  sonde_grid_page_add_panel (SONDE_GRID_PAGE (page), GTK_WIDGET (page->panel));
  sonde_card_grid_set_sections (get_grid (page), &sections, page);
  sonde_card_grid_set_size (get_grid (page),
                            (SondeCardSize) sonde_chart_board_get_size (page->board));
  update_controls (page);
}

static void
sonde_scalars_page_show (SondePage *base, const SondePageRequest *request)
{
  gint64 a, b;

  /* A tag is a chart of its own, whatever the layout says. */
  if (request->tag != NULL)
    gtk_toggle_button_set_active (SONDE_SCALARS_PAGE (base)->layout, FALSE);
  SONDE_PAGE_CLASS (sonde_scalars_page_parent_class)->show (base, request);
  if (sonde_scalar_cursors_parse (request->view, &a, &b))
    sonde_scalar_cursors_compare (SONDE_SCALARS_PAGE (base)->cursors, a, b);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_scalars_page_set_up (SondePage *base)
{
  SondeScalarsPage *page = SONDE_SCALARS_PAGE (base);

  set_up_values (page);
  set_up_board (page);
  page->count = sonde_point_count_new (sonde_workspace_get_store (get_workspace (page)));
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
  g_clear_pointer (&page->count, sonde_point_count_free);
  g_clear_pointer (&page->order, sonde_scalar_order_free);
  g_clear_pointer (&page->trials, sonde_trials_free);
  g_clear_object (&page->board);
  g_clear_object (&page->cursors);
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
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, smoothing_entry);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, log_y);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, layout);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, settings);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, values);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, x);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, size);
  gtk_widget_class_bind_template_callback (widget_class, on_smoothing_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_smoothing_typed);
  gtk_widget_class_bind_template_callback (widget_class, on_log_toggled);
  gtk_widget_class_bind_template_callback (widget_class, on_layout_toggled);
  gtk_widget_class_bind_template_callback (widget_class, on_x_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_size_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_settings_toggled);
}

static void
sonde_scalars_page_init (SondeScalarsPage *page)
{
  page->setting_up = TRUE;
  gtk_widget_init_template (GTK_WIDGET (page));
  page->setting_up = FALSE;
}
