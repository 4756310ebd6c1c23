/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-grid-page.h"

#include "app/widgets/sonde-bar-layout.h"
#include "app/widgets/sonde-run-title.h"
#include "app/widgets/sonde-tag-list.h"
#include "app/widgets/sonde-workspace-watch.h"
#include "data/base/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-grid-page.ui"

typedef struct
{
  GtkBox *bar, *body;
  GtkSearchEntry *filter;
  SondeRunTitle *run_title;
  SondeCardGrid *grid;
  GListStore *selected; /* the selected run alone */
  char *filtered;       /* text that was applied */
  guint n_tags;
  guint64 structure; /* of the workspace when the tags were listed */
} SondeGridPagePrivate;

enum
{
  PROP_0,
  PROP_CONTROLS,
  N_PROPERTIES
};

static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_ABSTRACT_TYPE_WITH_PRIVATE (SondeGridPage, sonde_grid_page, SONDE_TYPE_PAGE)

static SondeGridPagePrivate *
get_private (SondeGridPage *page)
{
  return sonde_grid_page_get_instance_private (page);
}

static SondeWorkspace *
get_workspace (SondeGridPage *page)
{
  return sonde_page_get_workspace (SONDE_PAGE (page));
}

SondeCardGrid *
sonde_grid_page_get_grid (SondeGridPage *page)
{
  return get_private (page)->grid;
}

void
sonde_grid_page_add_panel (SondeGridPage *page, GtkWidget *panel)
{
  g_return_if_fail (SONDE_IS_GRID_PAGE (page));
  gtk_box_append (get_private (page)->body, panel);
}

void
sonde_grid_page_add_below (SondeGridPage *page, GtkWidget *widget)
{
  g_return_if_fail (SONDE_IS_GRID_PAGE (page));
  gtk_widget_insert_after (widget, gtk_widget_get_parent (GTK_WIDGET (get_private (page)->body)),
                           GTK_WIDGET (get_private (page)->body));
}

GListModel *
sonde_grid_page_get_runs (SondeGridPage *page)
{
  return SONDE_GRID_PAGE_GET_CLASS (page)->of_selected_run
             ? G_LIST_MODEL (get_private (page)->selected)
             : sonde_workspace_get_shown_runs (get_workspace (page));
}

const char *
sonde_grid_page_get_filter (SondeGridPage *page)
{
  return get_private (page)->filtered;
}

guint
sonde_grid_page_get_n_tags (SondeGridPage *page)
{
  return get_private (page)->n_tags;
}

guint
sonde_grid_page_get_n_shown (SondeGridPage *page)
{
  return g_list_model_get_n_items (
      G_LIST_MODEL (sonde_card_grid_get_tags (get_private (page)->grid)));
}

/* ---- what is shown ------------------------------------------------------- */

static gboolean
has_no_runs (SondeGridPage *page)
{
  if (SONDE_GRID_PAGE_GET_CLASS (page)->of_selected_run)
    return sonde_workspace_get_run (get_workspace (page)) == NULL;
  return g_list_model_get_n_items (G_LIST_MODEL (sonde_page_get_store (SONDE_PAGE (page)))) == 0;
}

static void
update_empty (SondeGridPage *page)
{
  SondeGridPageClass *klass = SONDE_GRID_PAGE_GET_CLASS (page);
  SondePage *base = SONDE_PAGE (page);

  if (sonde_grid_page_get_n_shown (page) > 0)
    sonde_page_set_filled (base);
  else if (has_no_runs (page))
    sonde_page_set_empty_without_runs (base);
  else if (g_list_model_get_n_items (sonde_grid_page_get_runs (page)) == 0)
    sonde_page_set_empty (base, "view-conceal-symbolic", _ ("All Runs Are Hidden"),
                          _ ("No run that matches the sidebar filter is selected."),
                          _ ("Show All Runs"), "win.show-all-runs");
  else if (get_private (page)->n_tags > 0)
    sonde_page_set_empty (base, "system-search-symbolic", _ ("No Matching Tags"),
                          _ ("No tag matches the filter of this page."), _ ("Clear the Filter"),
                          "grid.clear-filter");
  else if (klass->show_empty == NULL
           || !klass->show_empty (page, sonde_workspace_get_run (get_workspace (page))))
    sonde_page_set_empty_of_run (base, klass->kinds, klass->of_selected_run ? klass->n_kinds : 0,
                                 klass->empty_icon, _ (klass->empty_title),
                                 _ (klass->empty_sentence), _ (klass->empty_button),
                                 klass->empty_action);
}

void
sonde_grid_page_status_changed (SondeGridPage *page)
{
  g_autofree char *text = NULL;

  g_return_if_fail (SONDE_IS_GRID_PAGE (page));
  if (get_private (page)->n_tags > 0)
    text = SONDE_GRID_PAGE_GET_CLASS (page)->dup_status (page);
  sonde_page_set_status (SONDE_PAGE (page), text);
}

void
sonde_grid_page_update (SondeGridPage *page)
{
  SondeGridPagePrivate *priv = get_private (page);
  SondeRun *run = sonde_workspace_get_run (get_workspace (page));

  g_return_if_fail (SONDE_IS_GRID_PAGE (page));
  priv->structure = sonde_workspace_get_structure (get_workspace (page));
  g_list_store_remove_all (priv->selected);
  if (run != NULL)
    g_list_store_append (priv->selected, run);
  sonde_run_title_update (priv->run_title, get_workspace (page));
  priv->n_tags = SONDE_GRID_PAGE_GET_CLASS (page)->list_tags (
      page, sonde_card_grid_get_tags (priv->grid), sonde_grid_page_get_runs (page), priv->filtered);
  update_empty (page);
  sonde_grid_page_status_changed (page);
}

/* The tags are listed again when there may be others. */
static void
on_workspace_changed (SondeGridPage *page)
{
  SondeGridPagePrivate *priv = get_private (page);
  g_autoptr (SondeRun) selected = g_list_model_get_item (G_LIST_MODEL (priv->selected), 0);

  if (priv->structure != sonde_workspace_get_structure (get_workspace (page))
      || selected != sonde_workspace_get_run (get_workspace (page)))
    sonde_grid_page_update (page);
  else
    sonde_grid_page_status_changed (page);
}

static guint
sonde_grid_page_list_tags (SondeGridPage *page, GtkStringList *list, GListModel *runs,
                           const char *filter)
{
  return sonde_tag_list_update (list, runs, SONDE_GRID_PAGE_GET_CLASS (page)->kinds[0], filter,
                                NULL);
}

/* The entry reports a change with a delay: nothing to do if the text was applied meanwhile. */
static void
on_filter_changed (SondeGridPage *page)
{
  SondeGridPagePrivate *priv = get_private (page);
  const char *text = gtk_editable_get_text (GTK_EDITABLE (priv->filter));

  if (g_strcmp0 (text, priv->filtered) == 0)
    return;
  g_free (priv->filtered);
  priv->filtered = g_strdup (text);
  sonde_card_grid_expand (priv->grid, NULL);
  sonde_grid_page_update (page);
}

static void
clear_filter (GtkWidget *widget, const char *action, GVariant *parameter)
{
  gtk_editable_set_text (GTK_EDITABLE (get_private (SONDE_GRID_PAGE (widget))->filter), "");
}

/* One tag fills the page; a pattern filters. */
static void
sonde_grid_page_show (SondePage *base, const SondePageRequest *request)
{
  SondeGridPage *page = SONDE_GRID_PAGE (base);
  SondeGridPagePrivate *priv = get_private (page);
  gboolean pattern = request->tag != NULL && strpbrk (request->tag, "*?") != NULL;

  if (request->has_step)
    sonde_step_cursor_set_step (sonde_page_get_cursor (base), request->step);
  if (request->tag == NULL)
    return;
  gtk_editable_set_text (GTK_EDITABLE (priv->filter), pattern ? request->tag : "");
  on_filter_changed (page);
  if (!pattern)
    sonde_card_grid_expand (priv->grid, request->tag);
}

/* ---- cards --------------------------------------------------------------- */

static void
on_card_changed (SondeGridPage *page)
{
  sonde_grid_page_status_changed (page);
  sonde_page_settled_changed (SONDE_PAGE (page));
}

static SondeTagCard *
make_card (void *user_data)
{
  SondeTagCard *card = SONDE_GRID_PAGE_GET_CLASS (user_data)->make_card (user_data);

  if (g_signal_lookup ("state-changed", G_OBJECT_TYPE (card)) != 0)
    g_signal_connect_object (card, "state-changed", G_CALLBACK (on_card_changed), user_data,
                             G_CONNECT_SWAPPED);
  return card;
}

static gboolean
sonde_grid_page_is_settled (SondePage *page)
{
  return sonde_card_grid_is_settled (get_private (SONDE_GRID_PAGE (page))->grid);
}

/* ---- object -------------------------------------------------------------- */

/* There is no dispose: GTK 4.8 forgets the template children of all classes of a widget with the
 * first gtk_widget_dispose_template(), and a page's own class calls it; AdwBin drops the content. */

static void
sonde_grid_page_set_up (SondePage *base)
{
  SondeGridPage *page = SONDE_GRID_PAGE (base);
  SondeGridPagePrivate *priv = get_private (page);

  gtk_widget_set_visible (GTK_WIDGET (priv->run_title),
                          SONDE_GRID_PAGE_GET_CLASS (page)->of_selected_run);
  sonde_card_grid_set_up (priv->grid, make_card, page);
  sonde_watch_workspace (GTK_WIDGET (page), get_workspace (page),
                         G_CALLBACK (on_workspace_changed));
  sonde_grid_page_update (page);
}

static void
sonde_grid_page_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GtkWidget *controls = g_value_get_object (value);

  if (id != PROP_CONTROLS)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  else if (controls != NULL)
    gtk_box_append (get_private (SONDE_GRID_PAGE (object))->bar, controls);
}

static void
sonde_grid_page_finalize (GObject *object)
{
  SondeGridPagePrivate *priv = get_private (SONDE_GRID_PAGE (object));

  g_object_unref (priv->selected);
  g_free (priv->filtered);
  G_OBJECT_CLASS (sonde_grid_page_parent_class)->finalize (object);
}

static void
sonde_grid_page_class_init (SondeGridPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  SondePageClass *page_class = SONDE_PAGE_CLASS (klass);

  object_class->finalize = sonde_grid_page_finalize;
  object_class->set_property = sonde_grid_page_set_property;
  page_class->set_up = sonde_grid_page_set_up;
  page_class->show = sonde_grid_page_show;
  page_class->is_settled = sonde_grid_page_is_settled;
  klass->list_tags = sonde_grid_page_list_tags;
  properties[PROP_CONTROLS] = g_param_spec_object ("controls", NULL, NULL, GTK_TYPE_WIDGET,
                                                   G_PARAM_WRITABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
  g_type_ensure (SONDE_TYPE_BAR_LAYOUT);
  g_type_ensure (SONDE_TYPE_CARD_GRID);
  g_type_ensure (SONDE_TYPE_RUN_TITLE);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child_private (widget_class, SondeGridPage, bar);
  gtk_widget_class_bind_template_child_private (widget_class, SondeGridPage, body);
  gtk_widget_class_bind_template_child_private (widget_class, SondeGridPage, filter);
  gtk_widget_class_bind_template_child_private (widget_class, SondeGridPage, run_title);
  gtk_widget_class_bind_template_child_private (widget_class, SondeGridPage, grid);
  gtk_widget_class_bind_template_callback (widget_class, on_filter_changed);
  gtk_widget_class_install_action (widget_class, "grid.clear-filter", NULL, clear_filter);
}

static void
sonde_grid_page_init (SondeGridPage *page)
{
  SondeGridPagePrivate *priv = get_private (page);

  priv->selected = g_list_store_new (SONDE_TYPE_RUN);
  priv->filtered = g_strdup ("");
  gtk_widget_init_template (GTK_WIDGET (page));
}
