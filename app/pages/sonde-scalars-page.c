/* SPDX-License-Identifier: Apache-2.0
 * A grid of charts, one a tag; a chart can fill the page. Cards are made for what is in sight only. */
#include "app/pages/sonde-scalars-page.h"

#include "app/pages/sonde-scalar-card.h"
#include "app/pages/sonde-tag-list.h"
#include "viewers/layout/sonde-ticks.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-scalars-page.ui"
#define SETTINGS "scalars"
#define DEFAULT_SMOOTHING 0.6

struct _SondeScalarsPage
{
  SondePage parent_instance;
  GtkSearchEntry *filter;
  GtkAdjustment *smoothing_adjustment;
  GtkToggleButton *log_y;
  GtkDropDown *x;
  GtkStack *stack;
  GtkGridView *grid;
  AdwBin *single;
  GtkStringList *tags;
  GPtrArray *cards; /* SondeScalarCard alive now, not owned */
  char *expanded;   /* (nullable) tag that fills the page */
  guint n_tags;
  gboolean setting_up;
};

G_DEFINE_FINAL_TYPE (SondeScalarsPage, sonde_scalars_page, SONDE_TYPE_PAGE)

static SondeWorkspace *
get_workspace (SondeScalarsPage *page)
{
  return sonde_page_get_workspace (SONDE_PAGE (page));
}

/* ---- status --------------------------------------------------------------------------------- */

static guint64
count_held (SondeScalarsPage *page)
{
  GListModel *runs = sonde_workspace_get_shown_runs (get_workspace (page));
  const char *filter = gtk_editable_get_text (GTK_EDITABLE (page->filter));
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

/* Points outside a zoomed window are held but not shown. */
static void
update_status (SondeScalarsPage *page)
{
  guint64 held = count_held (page), hidden = 0;
  guint n_shown = g_list_model_get_n_items (G_LIST_MODEL (page->tags));
  g_autofree char *held_text = sonde_format_count ((gint64) held);
  g_autofree char *shown_text = NULL, *text = NULL;

  for (guint i = 0; i < page->cards->len; i++)
    {
      guint64 card_shown, card_held;

      sonde_scalar_view_get_counts (sonde_scalar_card_get_view (page->cards->pdata[i]), &card_shown, &card_held);
      hidden += card_held > card_shown ? card_held - card_shown : 0;
    }
  shown_text = sonde_format_count ((gint64) (held > hidden ? held - hidden : 0));
  text = g_strdup_printf ("%s of %s points in %u of %u %s", shown_text, held_text, n_shown, page->n_tags,
                          page->n_tags == 1 ? "tag" : "tags");
  sonde_page_set_status (SONDE_PAGE (page), text);
}

static gboolean
sonde_scalars_page_is_settled (SondePage *base)
{
  SondeScalarsPage *page = SONDE_SCALARS_PAGE (base);

  for (guint i = 0; i < page->cards->len; i++)
    if (!sonde_scalar_view_is_settled (sonde_scalar_card_get_view (page->cards->pdata[i])))
      return FALSE;
  return TRUE;
}

/* ---- cards ---------------------------------------------------------------------------------- */

static void
configure (SondeScalarsPage *page,
           SondeScalarCard  *card)
{
  SondeScalarView *view = sonde_scalar_card_get_view (card);

  sonde_scalar_view_set_smoothing (view, gtk_adjustment_get_value (page->smoothing_adjustment));
  sonde_scalar_view_set_log_y (view, gtk_toggle_button_get_active (page->log_y));
  sonde_scalar_view_set_x (view, (SondeScalarX) gtk_drop_down_get_selected (page->x));
}

static void
configure_all (SondeScalarsPage *page)
{
  for (guint i = 0; i < page->cards->len; i++)
    configure (page, page->cards->pdata[i]);
}

/* The step under the pointer is marked on the other charts. */
static void
on_hovered_step (SondeScalarView  *view,
                 gint64            step,
                 SondeScalarsPage *page)
{
  for (guint i = 0; i < page->cards->len; i++)
    {
      SondeScalarView *other = sonde_scalar_card_get_view (page->cards->pdata[i]);
      if (other != view)
        sonde_scalar_view_set_mark (other, step);
    }
}

static void
show_stack (SondeScalarsPage *page)
{
  SondeScalarCard *card = SONDE_SCALAR_CARD (adw_bin_get_child (page->single));

  sonde_scalar_card_set_tag (card, page->expanded);
  gtk_stack_set_visible_child_name (page->stack, page->expanded != NULL ? "single" : "grid");
}

static void
on_expand (SondeScalarCard  *card,
           const char       *tag,
           SondeScalarsPage *page)
{
  char *expanded = page->expanded == NULL ? g_strdup (tag) : NULL;

  g_free (page->expanded);
  page->expanded = expanded;
  show_stack (page);
}

static void
on_card_destroyed (void    *user_data,
                   GObject *card)
{
  g_ptr_array_remove (((SondeScalarsPage *) user_data)->cards, card);
}

static SondeScalarCard *
make_card (SondeScalarsPage *page)
{
  SondeScalarCard *card = SONDE_SCALAR_CARD (sonde_scalar_card_new (get_workspace (page)));
  SondeScalarView *view = sonde_scalar_card_get_view (card);

  g_ptr_array_add (page->cards, card);
  g_object_weak_ref (G_OBJECT (card), on_card_destroyed, page);
  g_signal_connect_object (view, "counts-changed", G_CALLBACK (update_status), page, G_CONNECT_SWAPPED);
  g_signal_connect_object (view, "hovered-step", G_CALLBACK (on_hovered_step), page, 0);
  g_signal_connect_object (card, "expand", G_CALLBACK (on_expand), page, 0);
  configure (page, card);
  return card;
}

static void
on_setup (GtkListItemFactory *factory,
          GtkListItem        *item,
          SondeScalarsPage   *page)
{
  SondeScalarCard *card = make_card (page);

  sonde_view_set_minimum_size (SONDE_VIEW (sonde_scalar_card_get_view (card)), 270, 210);
  gtk_list_item_set_child (item, GTK_WIDGET (card));
  gtk_list_item_set_activatable (item, FALSE);
}

static void
on_bind (GtkListItemFactory *factory,
         GtkListItem        *item,
         SondeScalarsPage   *page)
{
  GtkStringObject *string = gtk_list_item_get_item (item);

  sonde_scalar_card_set_tag (SONDE_SCALAR_CARD (gtk_list_item_get_child (item)), gtk_string_object_get_string (string));
}

static void
on_unbind (GtkListItemFactory *factory,
           GtkListItem        *item,
           SondeScalarsPage   *page)
{
  sonde_scalar_card_set_tag (SONDE_SCALAR_CARD (gtk_list_item_get_child (item)), NULL);
}

/* ---- what is shown -------------------------------------------------------------------------- */

static void
update_empty (SondeScalarsPage *page)
{
  SondePage *base = SONDE_PAGE (page);
  guint n_runs = g_list_model_get_n_items (G_LIST_MODEL (sonde_page_get_store (base)));
  guint n_shown = g_list_model_get_n_items (sonde_workspace_get_shown_runs (get_workspace (page)));

  if (g_list_model_get_n_items (G_LIST_MODEL (page->tags)) > 0)
    sonde_page_set_filled (base);
  else if (n_runs == 0)
    sonde_page_set_empty_without_runs (base);
  else if (n_shown == 0)
    sonde_page_set_empty (base, "view-conceal-symbolic", "All Runs Are Hidden",
                          "No run in the sidebar is ticked and matches its filter.", "Show All Runs",
                          "win.show-all-runs");
  else if (page->n_tags > 0)
    sonde_page_set_empty (base, "system-search-symbolic", "No Such Tag", "No tag matches the filter of this page.",
                          "Clear the Filter", "scalars.clear-filter");
  else
    sonde_page_set_empty (base, "sonde-scalars-symbolic", "No Scalars",
                          "The runs that are shown have not recorded a scalar yet.", "Open Another Folder…",
                          "win.open");
}

static void
update (SondeScalarsPage *page)
{
  page->n_tags = sonde_tag_list_update (page->tags, sonde_workspace_get_shown_runs (get_workspace (page)),
                                        SONDE_RECORD_SCALARS, gtk_editable_get_text (GTK_EDITABLE (page->filter)));
  update_empty (page);
  update_status (page);
}

static void
on_filter_changed (SondeScalarsPage *page)
{
  g_clear_pointer (&page->expanded, g_free);
  show_stack (page);
  update (page);
}

static void
clear_filter (GtkWidget  *widget,
              const char *action,
              GVariant   *parameter)
{
  gtk_editable_set_text (GTK_EDITABLE (SONDE_SCALARS_PAGE (widget)->filter), "");
}

static void
remember (SondeScalarsPage *page,
          const char       *key,
          const char       *value)
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
            g_ascii_formatd (text, sizeof text, "%.3f", gtk_adjustment_get_value (page->smoothing_adjustment)));
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
  gtk_adjustment_set_value (page->smoothing_adjustment,
                            smoothing != NULL ? g_ascii_strtod (smoothing, NULL) : DEFAULT_SMOOTHING);
  gtk_toggle_button_set_active (page->log_y, g_strcmp0 (log_y, "true") == 0);
  gtk_drop_down_set_selected (page->x, g_strcmp0 (x, "wall") == 0 ? 2 : g_strcmp0 (x, "relative") == 0 ? 1 : 0);
  page->setting_up = FALSE;
}

static void
sonde_scalars_page_show (SondePage              *base,
                         const SondePageRequest *request)
{
  SondeScalarsPage *page = SONDE_SCALARS_PAGE (base);

  if (request->has_step)
    sonde_step_cursor_set_step (sonde_page_get_cursor (base), request->step);
  if (request->tag == NULL)
    return;
  gtk_editable_set_text (GTK_EDITABLE (page->filter), request->tag);
  /* The entry tells of a change a moment later; a picture must not miss it. */
  on_filter_changed (page);
  if (strpbrk (request->tag, "*?") == NULL)
    {
      page->expanded = g_strdup (request->tag);
      gtk_editable_set_text (GTK_EDITABLE (page->filter), "");
      update (page);
      show_stack (page);
    }
}

/* ---- object --------------------------------------------------------------------------------- */

static void
sonde_scalars_page_set_up (SondePage *base)
{
  SondeScalarsPage *page = SONDE_SCALARS_PAGE (base);
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkNoSelection *selection = gtk_no_selection_new (g_object_ref (G_LIST_MODEL (page->tags)));
  SondeScalarCard *single;

  restore (page);
  single = make_card (page);
  sonde_scalar_card_set_expanded (single, TRUE);
  adw_bin_set_child (page->single, GTK_WIDGET (single));
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), page);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), page);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), page);
  gtk_grid_view_set_factory (page->grid, factory);
  gtk_grid_view_set_model (page->grid, GTK_SELECTION_MODEL (selection));
  g_object_unref (factory);
  g_object_unref (selection);
  g_signal_connect_object (get_workspace (page), "changed", G_CALLBACK (update), page, G_CONNECT_SWAPPED);
  update (page);
}

static void
sonde_scalars_page_dispose (GObject *object)
{
  SondeScalarsPage *page = SONDE_SCALARS_PAGE (object);

  for (guint i = 0; i < page->cards->len; i++)
    g_object_weak_unref (page->cards->pdata[i], on_card_destroyed, page);
  g_ptr_array_set_size (page->cards, 0);
  gtk_widget_dispose_template (GTK_WIDGET (page), SONDE_TYPE_SCALARS_PAGE);
  g_clear_object (&page->tags);
  G_OBJECT_CLASS (sonde_scalars_page_parent_class)->dispose (object);
}

static void
sonde_scalars_page_finalize (GObject *object)
{
  SondeScalarsPage *page = SONDE_SCALARS_PAGE (object);

  g_ptr_array_unref (page->cards);
  g_free (page->expanded);
  G_OBJECT_CLASS (sonde_scalars_page_parent_class)->finalize (object);
}

static void
sonde_scalars_page_class_init (SondeScalarsPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  SondePageClass *page_class = SONDE_PAGE_CLASS (klass);

  object_class->dispose = sonde_scalars_page_dispose;
  object_class->finalize = sonde_scalars_page_finalize;
  page_class->set_up = sonde_scalars_page_set_up;
  page_class->show = sonde_scalars_page_show;
  page_class->is_settled = sonde_scalars_page_is_settled;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, filter);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, smoothing_adjustment);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, log_y);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, x);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, stack);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, grid);
  gtk_widget_class_bind_template_child (widget_class, SondeScalarsPage, single);
  gtk_widget_class_bind_template_callback (widget_class, on_filter_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_smoothing_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_log_toggled);
  gtk_widget_class_bind_template_callback (widget_class, on_x_changed);
  gtk_widget_class_install_action (widget_class, "scalars.clear-filter", NULL, clear_filter);
}

static void
sonde_scalars_page_init (SondeScalarsPage *page)
{
  page->cards = g_ptr_array_new ();
  page->tags = gtk_string_list_new (NULL);
  page->setting_up = TRUE;
  gtk_widget_init_template (GTK_WIDGET (page));
  page->setting_up = FALSE;
}
