/* SPDX-License-Identifier: Apache-2.0
 * All items, and of them those that match, in order, as the model of the view that is seen. */
#include "app/explain/browser/sonde-explain-gallery.h"

#include <math.h>
#include <string.h>

#include "app/explain/browser/sonde-explain-tile.h"
#include "app/explain/browser/sonde-wrap-layout.h"
#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define TILE_WIDTH 124 /* px, at least, with what is around it */
#define MIN_COLUMNS 2
#define MAX_COLUMNS 24

struct _SondeExplainGallery
{
  AdwBin parent_instance;

  GtkWidget *search, *order, *list_toggle, *chips, *stack, *grid_scroller, *grid, *list, *empty,
      *empty_button;
  GtkWidget *chip[SONDE_N_CATEGORIES + 1]; /* the last: all */
  GPtrArray *items;                        /* (element-type SondeExplainItem): all */
  GListStore *store;                       /* those that are shown */
  GtkSingleSelection *selection;
  guint resized; /* source */
  SondeThumbnailLoader *thumbnails;
  SondeErrorCategory category;
  char *text;                       /* (nullable): folded case */
  char *sentence, *button, *action; /* of the empty state */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeExplainGallery, sonde_explain_gallery, ADW_TYPE_BIN)

static guint opened_signal, shown_signal;

/* ---- what stands there --------------------------------------------------- */

/* A list without a model has no tiles: the one behind costs nothing. */
static void
give_model (SondeExplainGallery *self, gboolean list)
{
  GtkSelectionModel *model = GTK_SELECTION_MODEL (self->selection);

  if (gtk_grid_view_get_model (GTK_GRID_VIEW (self->grid)) != (list ? NULL : model))
    gtk_grid_view_set_model (GTK_GRID_VIEW (self->grid), list ? NULL : model);
  if (gtk_list_view_get_model (GTK_LIST_VIEW (self->list)) != (list ? model : NULL))
    gtk_list_view_set_model (GTK_LIST_VIEW (self->list), list ? model : NULL);
}

static void
show_right_child (SondeExplainGallery *self)
{
  guint held = sonde_explain_gallery_get_n_items (self),
        shown = sonde_explain_gallery_get_n_shown (self);
  gboolean list = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->list_toggle));
  const char *button = held == 0 ? self->button : _ ("Show All");

  give_model (self, list);
  adw_status_page_set_description (ADW_STATUS_PAGE (self->empty),
                                   held > 0
                                       ? _ ("No sample matches the search text and the category.")
                                   : self->sentence != NULL ? self->sentence
                                                            : "");
  gtk_button_set_label (GTK_BUTTON (self->empty_button), button != NULL ? button : "");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->empty_button),
                                  held == 0 ? self->action : "gallery.clear");
  gtk_widget_set_visible (self->empty_button, button != NULL);
  gtk_stack_set_visible_child_name (GTK_STACK (self->stack), shown == 0 ? "empty"
                                                             : list     ? "list"
                                                                        : "grid");
}

/* How many of all nobody can say anything of is a fact of its own. */
static char *
dup_chip (SondeErrorCategory category, guint count, guint n)
{
  const char *title = _ (sonde_error_category_get_title (category));
  g_autofree char *number = sonde_format_count (count);

  return category == SONDE_CATEGORY_UNKNOWN
             ? g_strdup_printf ("%s  %s (%.0f %%)", title, number, 100.0 * count / MAX (n, 1))
             : g_strdup_printf ("%s  %s", title, number);
}

static void
update_chips (SondeExplainGallery *self)
{
  guint counts[SONDE_N_CATEGORIES + 1] = { 0 }, n = self->items->len, n_kinds = 0;

  for (guint i = 0; i < n; i++)
    counts[sonde_explain_item_get_result (g_ptr_array_index (self->items, i))->category]++;
  self->updating = TRUE;
  for (guint i = 0; i < SONDE_N_CATEGORIES; i++)
    {
      g_autofree char *text = dup_chip ((SondeErrorCategory) i, counts[i], n);

      gtk_button_set_label (GTK_BUTTON (self->chip[i]), text);
      gtk_widget_set_visible (self->chip[i], counts[i] > 0);
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->chip[i]), self->category == i);
      n_kinds += counts[i] > 0;
    }
  {
    g_autofree char *text = g_strdup_printf (_ ("All  %u"), n);

    gtk_button_set_label (GTK_BUTTON (self->chip[SONDE_N_CATEGORIES]), text);
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->chip[SONDE_N_CATEGORIES]),
                                  self->category == SONDE_N_CATEGORIES);
  }
  self->updating = FALSE;
  gtk_widget_set_visible (self->chips, n_kinds > 1 || self->category < SONDE_N_CATEGORIES);
}

/* Who matches, in which order. */
static void
fill (SondeExplainGallery *self)
{
  g_autoptr (GPtrArray) shown = g_ptr_array_sized_new (self->items->len);

  for (guint i = 0; i < self->items->len; i++)
    if (sonde_explain_item_matches (g_ptr_array_index (self->items, i), self->category, self->text))
      g_ptr_array_add (shown, g_ptr_array_index (self->items, i));
  sonde_explain_items_sort (
      shown, (SondeExplainOrder) gtk_drop_down_get_selected (GTK_DROP_DOWN (self->order)));
  g_list_store_splice (self->store, 0, g_list_model_get_n_items (G_LIST_MODEL (self->store)),
                       shown->pdata, shown->len);
  show_right_child (self);
  g_signal_emit (self, shown_signal, 0);
}

void
sonde_explain_gallery_set_items (SondeExplainGallery *gallery, GPtrArray *items)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_GALLERY (gallery));
  gallery->category = SONDE_N_CATEGORIES;
  g_ptr_array_set_size (gallery->items, 0);
  for (guint i = 0; i < items->len; i++)
    g_ptr_array_add (gallery->items, g_object_ref (g_ptr_array_index (items, i)));
  sonde_explain_gallery_refresh (gallery);
}

void
sonde_explain_gallery_refresh (SondeExplainGallery *gallery)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_GALLERY (gallery));
  update_chips (gallery);
  fill (gallery);
}

void
sonde_explain_gallery_set_category (SondeExplainGallery *gallery, SondeErrorCategory category)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_GALLERY (gallery));
  gallery->category = category;
  sonde_explain_gallery_refresh (gallery);
}

void
sonde_explain_gallery_set_order (SondeExplainGallery *gallery, SondeExplainOrder order)
{
  gtk_drop_down_set_selected (GTK_DROP_DOWN (gallery->order), order);
}

void
sonde_explain_gallery_set_text (SondeExplainGallery *gallery, const char *text)
{
  gtk_editable_set_text (GTK_EDITABLE (gallery->search), text);
}

void
sonde_explain_gallery_set_list (SondeExplainGallery *gallery, gboolean list)
{
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (gallery->list_toggle), list);
}

void
sonde_explain_gallery_set_empty (SondeExplainGallery *gallery, const char *sentence,
                                 const char *button, const char *action)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_GALLERY (gallery));
  g_free (gallery->sentence);
  gallery->sentence = g_markup_escape_text (sentence, -1);
  g_free (gallery->button);
  gallery->button = g_strdup (button);
  g_free (gallery->action);
  gallery->action = g_strdup (action);
  show_right_child (gallery);
}

guint
sonde_explain_gallery_get_n_items (SondeExplainGallery *gallery)
{
  return gallery->items->len;
}

guint
sonde_explain_gallery_get_n_shown (SondeExplainGallery *gallery)
{
  return g_list_model_get_n_items (G_LIST_MODEL (gallery->selection));
}

SondeExplainItem *
sonde_explain_gallery_get_shown (SondeExplainGallery *gallery, guint index)
{
  return g_list_model_get_item (G_LIST_MODEL (gallery->selection), index);
}

SondeExplainItem *
sonde_explain_gallery_step (SondeExplainGallery *gallery, SondeExplainItem *item, int by,
                            guint *place)
{
  guint n = sonde_explain_gallery_get_n_shown (gallery);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (SondeExplainItem) other = sonde_explain_gallery_get_shown (gallery, i);
      gint64 at = (gint64) i + by;

      if (other != item)
        continue;
      if (at < 0 || at >= n)
        return NULL;
      if (place != NULL)
        *place = (guint) at;
      gtk_single_selection_set_selected (gallery->selection, (guint) at);
      return sonde_explain_gallery_get_shown (gallery, (guint) at);
    }
  return NULL;
}

/* ---- hands --------------------------------------------------------------- */

static void
on_search_changed (SondeExplainGallery *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->search));

  g_clear_pointer (&self->text, g_free);
  if (*text != '\0')
    self->text = g_utf8_casefold (text, -1);
  fill (self);
}

static void
on_chip_toggled (GtkToggleButton *chip, SondeExplainGallery *self)
{
  if (self->updating)
    return;
  for (guint i = 0; i <= SONDE_N_CATEGORIES; i++)
    if (self->chip[i] == GTK_WIDGET (chip))
      sonde_explain_gallery_set_category (
          self, gtk_toggle_button_get_active (chip) ? (SondeErrorCategory) i : SONDE_N_CATEGORIES);
}

static void
on_activated (SondeExplainGallery *self, guint position)
{
  g_autoptr (SondeExplainItem) item = sonde_explain_gallery_get_shown (self, position);

  if (item == NULL)
    return;
  gtk_single_selection_set_selected (self->selection, position);
  g_signal_emit (self, opened_signal, 0, item);
}

static void
on_clear (GtkWidget *widget, const char *action, GVariant *parameter)
{
  SondeExplainGallery *self = SONDE_EXPLAIN_GALLERY (widget);

  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
  g_clear_pointer (&self->text, g_free);
  sonde_explain_gallery_set_category (self, SONDE_N_CATEGORIES);
}

/* ---- columns ------------------------------------------------------------- */

static guint
count_columns (SondeExplainGallery *self)
{
  return (guint) CLAMP (gtk_widget_get_width (self->stack) / TILE_WIDTH, MIN_COLUMNS, MAX_COLUMNS);
}

static gboolean
set_columns (gpointer data)
{
  SondeExplainGallery *self = data;

  self->resized = 0;
  gtk_grid_view_set_max_columns (GTK_GRID_VIEW (self->grid), count_columns (self));
  return G_SOURCE_REMOVE;
}

/* A grid makes tiles for some thirty rows of as many columns as it may have, whatever there is room
 * for: it may have those that there is room for. Not from within an allocation. */
static void
on_width (SondeExplainGallery *self)
{
  if (self->resized == 0
      && count_columns (self) != gtk_grid_view_get_max_columns (GTK_GRID_VIEW (self->grid)))
    self->resized = g_idle_add_full (G_PRIORITY_HIGH_IDLE, set_columns, self, NULL);
}

/* ---- tiles --------------------------------------------------------------- */

static void
set_up_tile (GtkSignalListItemFactory *factory, GtkListItem *item, SondeExplainGallery *self)
{
  gtk_list_item_set_child (item, sonde_explain_tile_new (FALSE));
}

static void
set_up_row (GtkSignalListItemFactory *factory, GtkListItem *item, SondeExplainGallery *self)
{
  gtk_list_item_set_child (item, sonde_explain_tile_new (TRUE));
}

static void
bind_item (GtkSignalListItemFactory *factory, GtkListItem *item, SondeExplainGallery *self)
{
  sonde_explain_tile_set_item (SONDE_EXPLAIN_TILE (gtk_list_item_get_child (item)),
                               gtk_list_item_get_item (item), self->thumbnails);
  sonde_name_by_text (gtk_widget_get_parent (gtk_list_item_get_child (item)));
}

static void
unbind (GtkSignalListItemFactory *factory, GtkListItem *item, SondeExplainGallery *self)
{
  sonde_explain_tile_set_item (SONDE_EXPLAIN_TILE (gtk_list_item_get_child (item)), NULL, NULL);
}

static GtkListItemFactory *
make_factory (SondeExplainGallery *self, GCallback set_up)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  g_signal_connect (factory, "setup", set_up, self);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_item), self);
  g_signal_connect (factory, "unbind", G_CALLBACK (unbind), self);
  return factory;
}

void
sonde_explain_gallery_set_thumbnails (SondeExplainGallery *gallery,
                                      SondeThumbnailLoader *thumbnails)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_GALLERY (gallery));
  g_set_object (&gallery->thumbnails, thumbnails);
}

/* ---- widget -------------------------------------------------------------- */

static void
add_chips (SondeExplainGallery *self)
{
  for (int i = SONDE_N_CATEGORIES; i >= 0; i--)
    {
      int at = i == SONDE_N_CATEGORIES ? i : SONDE_N_CATEGORIES - 1 - i;

      self->chip[at] = gtk_toggle_button_new ();
      gtk_widget_add_css_class (self->chip[at], "category-chip");
      gtk_widget_add_css_class (self->chip[at], "numeric");
      g_signal_connect (self->chip[at], "toggled", G_CALLBACK (on_chip_toggled), self);
      gtk_box_append (GTK_BOX (self->chips), self->chip[at]);
    }
}

static void
add_factories (SondeExplainGallery *self)
{
  g_autoptr (GtkListItemFactory) tiles = make_factory (self, G_CALLBACK (set_up_tile));
  g_autoptr (GtkListItemFactory) rows = make_factory (self, G_CALLBACK (set_up_row));

  gtk_grid_view_set_factory (GTK_GRID_VIEW (self->grid), tiles);
  gtk_list_view_set_factory (GTK_LIST_VIEW (self->list), rows);
}

static void
sonde_explain_gallery_dispose (GObject *object)
{
  SondeExplainGallery *self = SONDE_EXPLAIN_GALLERY (object);

  self->updating = TRUE;
  g_clear_handle_id (&self->resized, g_source_remove);
  if (self->grid != NULL)
    {
      gtk_grid_view_set_model (GTK_GRID_VIEW (self->grid), NULL);
      gtk_list_view_set_model (GTK_LIST_VIEW (self->list), NULL);
      self->grid = NULL;
    }
  g_clear_object (&self->selection);
  g_clear_object (&self->store);
  g_clear_object (&self->thumbnails);
  g_clear_pointer (&self->text, g_free);
  g_clear_pointer (&self->sentence, g_free);
  g_clear_pointer (&self->button, g_free);
  g_clear_pointer (&self->action, g_free);
  G_OBJECT_CLASS (sonde_explain_gallery_parent_class)->dispose (object);
}

static void
sonde_explain_gallery_finalize (GObject *object)
{
  g_ptr_array_unref (SONDE_EXPLAIN_GALLERY (object)->items);
  G_OBJECT_CLASS (sonde_explain_gallery_parent_class)->finalize (object);
}

static void
bind_template (GtkWidgetClass *widget)
{
  g_type_ensure (SONDE_TYPE_WRAP_LAYOUT);
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/browser/sonde-explain-gallery.ui");
  gtk_widget_class_bind_template_child (widget, SondeExplainGallery, search);
  gtk_widget_class_bind_template_child (widget, SondeExplainGallery, order);
  gtk_widget_class_bind_template_child (widget, SondeExplainGallery, list_toggle);
  gtk_widget_class_bind_template_child (widget, SondeExplainGallery, chips);
  gtk_widget_class_bind_template_child (widget, SondeExplainGallery, stack);
  gtk_widget_class_bind_template_child (widget, SondeExplainGallery, grid_scroller);
  gtk_widget_class_bind_template_child (widget, SondeExplainGallery, grid);
  gtk_widget_class_bind_template_child (widget, SondeExplainGallery, list);
  gtk_widget_class_bind_template_child (widget, SondeExplainGallery, empty);
  gtk_widget_class_bind_template_child (widget, SondeExplainGallery, empty_button);
  gtk_widget_class_bind_template_callback (widget, on_search_changed);
  gtk_widget_class_bind_template_callback (widget, fill);
  gtk_widget_class_bind_template_callback (widget, show_right_child);
  gtk_widget_class_bind_template_callback (widget, on_activated);
}

static void
sonde_explain_gallery_class_init (SondeExplainGalleryClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_explain_gallery_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_explain_gallery_finalize;
  opened_signal = g_signal_new ("opened", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                1, SONDE_TYPE_EXPLAIN_ITEM);
  shown_signal = g_signal_new ("shown-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                               G_TYPE_NONE, 0);
  gtk_widget_class_install_action (GTK_WIDGET_CLASS (klass), "gallery.clear", NULL, on_clear);
  bind_template (GTK_WIDGET_CLASS (klass));
}

static void
sonde_explain_gallery_init (SondeExplainGallery *self)
{
  self->category = SONDE_N_CATEGORIES;
  self->items = g_ptr_array_new_with_free_func (g_object_unref);
  self->store = g_list_store_new (SONDE_TYPE_EXPLAIN_ITEM);
  self->selection = gtk_single_selection_new (g_object_ref (G_LIST_MODEL (self->store)));
  gtk_single_selection_set_autoselect (self->selection, FALSE);
  gtk_single_selection_set_can_unselect (self->selection, TRUE);
  gtk_widget_init_template (GTK_WIDGET (self));
  add_chips (self);
  add_factories (self);
  g_signal_connect_object (
      gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (self->grid_scroller)),
      "notify::page-size", G_CALLBACK (on_width), self, G_CONNECT_SWAPPED);
  update_chips (self);
  show_right_child (self);
}

GtkWidget *
sonde_explain_gallery_new (void)
{
  return g_object_new (SONDE_TYPE_EXPLAIN_GALLERY, NULL);
}
