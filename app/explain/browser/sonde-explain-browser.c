/* SPDX-License-Identifier: Apache-2.0
 * Left and right side show one selection; hands on either change it. */
#include "app/explain/browser/sonde-explain-browser.h"

#include "app/explain/browser/sonde-comparison-panel.h"
#include "app/explain/browser/sonde-confused-pair-list.h"
#include "app/explain/browser/sonde-error-category-list.h"
#include "app/explain/browser/sonde-explain-gallery.h"
#include "app/explain/browser/sonde-gallery-header.h"
#include "explain/browsing/sonde-sample-selection.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/sonde-confusion-view.h"

#define SMALL_MATRIX 16 /* classes */
/* Of the left side: percent of the page, px */
#define SIDE_SHARE 28
#define MIN_SIDE 348
#define MAX_SIDE 620
#define SIDE_PADDING 24 /* around the matrix */

struct _SondeExplainBrowser
{
  AdwBin parent_instance;

  AdwLeaflet *leaflet;
  AdwBin *sample_bin;
  GtkStack *sides, *right;
  GtkStackPage *comparison_page;
  GtkToggleButton *share, *by_errors, *first_model, *second_model;
  GtkLabel *place;
  GtkWidget *left, *switcher, *sample_back, *previous, *next, *models, *matrix;
  SondeConfusedPairList *pairs;
  SondeErrorCategoryList *categories;
  SondeComparisonPanel *comparison;
  SondeGalleryHeader *header;
  SondeExplainGallery *gallery;

  SondeThumbnailLoader *thumbnails; /* (nullable) */
  SondeSampleSelection *selection;
  SondeExplainItem *sample; /* (nullable): that is shown */
  char *doubt;              /* (nullable) */
  gboolean updating;
  int width;
  guint size_idle;
};

enum
{
  SAMPLE_SHOWN,
  STATUS_CHANGED,
  MODEL_SWITCHED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeExplainBrowser, sonde_explain_browser, ADW_TYPE_BIN)

/* ---- one sample ------------------------------------------------------------ */

/* "3 of 12", and whether there is a next one. */
static void
update_bar (SondeExplainBrowser *self)
{
  guint n = sonde_explain_gallery_get_n_shown (self->gallery), at = 0;
  g_autoptr (SondeExplainItem) item = NULL;
  g_autofree char *text = NULL, *number = NULL, *all = sonde_format_count (n);

  if (self->sample == NULL)
    return;
  item = sonde_explain_gallery_step (self->gallery, self->sample, 0, &at);
  number = sonde_format_count (at + 1);
  text = item != NULL ? g_strdup_printf (_ ("%s of %s"), number, all) : g_strdup ("");
  gtk_label_set_text (self->place, text);
  gtk_widget_set_sensitive (self->previous, item != NULL && at > 0);
  gtk_widget_set_sensitive (self->next, item != NULL && at + 1 < n);
}

/* @item: (nullable) */
static void
show_item (SondeExplainBrowser *self, SondeExplainItem *item)
{
  gboolean other = item != self->sample;

  g_set_object (&self->sample, item);
  gtk_stack_set_visible_child_name (self->right, item != NULL ? "sample" : "gallery");
  update_bar (self);
  if (!other)
    return;
  g_signal_emit (self, signals[SAMPLE_SHOWN], 0, item);
  if (item != NULL)
    {
      adw_leaflet_set_visible_child (self->leaflet, GTK_WIDGET (self->right));
      gtk_widget_grab_focus (self->sample_back);
    }
  g_signal_emit (self, signals[STATUS_CHANGED], 0);
}

gboolean
sonde_explain_browser_step (SondeExplainBrowser *browser, int by)
{
  g_autoptr (SondeExplainItem) item = NULL;

  g_return_val_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser), FALSE);
  if (browser->sample == NULL)
    return FALSE;
  item = sonde_explain_gallery_step (browser->gallery, browser->sample, by, NULL);
  if (item == NULL)
    return FALSE;
  show_item (browser, item);
  return TRUE;
}

SondeExplainItem *
sonde_explain_browser_get_sample (SondeExplainBrowser *browser)
{
  return browser->sample;
}

/* The sample that is shown, among new items. */
static void
keep_sample (SondeExplainBrowser *self)
{
  SondeExplainItem *item = NULL;
  const char *name;

  if (self->sample == NULL)
    return;
  name = sonde_explain_item_get_result (self->sample)->name;
  for (guint i = 0; item == NULL && i < self->selection->items->len; i++)
    {
      SondeExplainItem *other = g_ptr_array_index (self->selection->items, i);

      if (g_strcmp0 (sonde_explain_item_get_result (other)->name, name) == 0)
        item = other;
    }
  if (item == NULL)
    {
      show_item (self, NULL);
      return;
    }
  g_set_object (&self->sample, item);
  update_bar (self);
}

/* ---- the selection --------------------------------------------------------- */

static void
show_words (SondeExplainBrowser *self)
{
  g_autofree char *title = sonde_sample_selection_dup_title (self->selection);
  g_autofree char *text = sonde_sample_selection_dup_sentence (
      self->selection, sonde_explain_gallery_get_n_items (self->gallery));
  g_autofree char *words
      = self->doubt != NULL ? g_strdup_printf (_ ("%s. %s"), self->doubt, text) : g_strdup (text);

  sonde_gallery_header_set_words (self->header, title, words);
}

static void
show_clusters (SondeExplainBrowser *self)
{
  g_autoptr (GPtrArray) medoids = NULL;
  g_autoptr (GPtrArray) clusters = sonde_sample_selection_list_clusters (self->selection, &medoids);

  sonde_gallery_header_set_clusters (self->header, clusters, medoids, self->thumbnails);
}

static void
fill_gallery (SondeExplainBrowser *self)
{
  g_autoptr (GPtrArray) items = sonde_sample_selection_list (self->selection);

  sonde_explain_gallery_set_items (self->gallery, items);
}

/* The left side shows what is selected, wherever that was done. */
static void
show_left (SondeExplainBrowser *self)
{
  SondeScope scope = self->selection->scope;
  gint64 chosen = self->selection->chosen;

  self->updating = TRUE;
  sonde_view_set_selection (SONDE_VIEW (self->matrix),
                            scope == SONDE_SCOPE_CELL ? chosen : SONDE_VIEW_NOTHING);
  sonde_confused_pair_list_choose (self->pairs, scope == SONDE_SCOPE_CELL ? chosen : -1);
  sonde_error_category_list_choose (self->categories, scope == SONDE_SCOPE_CATEGORY
                                                          ? (SondeErrorCategory) chosen
                                                          : SONDE_N_CATEGORIES);
  sonde_comparison_panel_choose (self->comparison, scope == SONDE_SCOPE_CHANGE
                                                       ? (SondeExplainChange) chosen
                                                       : SONDE_N_EXPLAIN_CHANGES);
  self->updating = FALSE;
}

static void
choose (SondeExplainBrowser *self, SondeScope scope, gint64 chosen)
{
  sonde_sample_selection_choose (self->selection, scope, chosen);
  show_left (self);
  show_clusters (self);
  fill_gallery (self);
  show_words (self);
  show_item (self, NULL);
  if (scope != SONDE_SCOPE_ALL)
    adw_leaflet_set_visible_child (self->leaflet, GTK_WIDGET (self->right));
  g_signal_emit (self, signals[STATUS_CHANGED], 0);
}

/* ---- content --------------------------------------------------------------- */

void
sonde_explain_browser_set_sample_view (SondeExplainBrowser *browser, GtkWidget *view)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  adw_bin_set_child (browser->sample_bin, view);
}

void
sonde_explain_browser_set_thumbnails (SondeExplainBrowser *browser,
                                      SondeThumbnailLoader *thumbnails)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  g_set_object (&browser->thumbnails, thumbnails);
  sonde_explain_gallery_set_thumbnails (browser->gallery, thumbnails);
}

void
sonde_explain_browser_set_items (SondeExplainBrowser *browser, GPtrArray *items, char **classes,
                                 guint n_classes)
{
  const SondeExplainTable *table;

  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  sonde_sample_selection_set_items (browser->selection, items, classes, n_classes);
  table = browser->selection->table;
  browser->updating = TRUE;
  sonde_confusion_view_set_counts (SONDE_CONFUSION_VIEW (browser->matrix),
                                   (const char *const *) table->names, table->counts);
  /* A small matrix has its size; a large one wants what there is. */
  gtk_widget_set_vexpand (browser->matrix, table->n > SMALL_MATRIX);
  sonde_confused_pair_list_set_table (browser->pairs, table);
  browser->updating = FALSE;
  show_left (browser);
  show_clusters (browser);
  fill_gallery (browser);
  show_words (browser);
  keep_sample (browser);
  g_signal_emit (browser, signals[STATUS_CHANGED], 0);
}

void
sonde_explain_browser_set_triage (SondeExplainBrowser *browser, GPtrArray *clusters,
                                  GPtrArray *notes)
{
  guint counts[SONDE_N_CATEGORIES + 1] = { 0 };
  gboolean known = FALSE, had_group;

  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  had_group = browser->selection->group >= 0;
  sonde_sample_selection_set_clusters (browser->selection, clusters);
  for (guint i = 0; i < browser->selection->items->len; i++)
    {
      SondeErrorCategory category
          = sonde_explain_item_get_result (g_ptr_array_index (browser->selection->items, i))
                ->category;

      counts[category]++;
      known = known || category < SONDE_N_CATEGORIES;
    }
  sonde_error_category_list_set_counts (browser->categories, known ? counts : NULL, notes);
  show_clusters (browser);
  if (had_group)
    fill_gallery (browser);
  show_words (browser);
  g_signal_emit (browser, signals[STATUS_CHANGED], 0);
}

void
sonde_explain_browser_set_doubt (SondeExplainBrowser *browser, const char *words)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  g_free (browser->doubt);
  browser->doubt = g_strdup (words);
  show_words (browser);
  g_signal_emit (browser, signals[STATUS_CHANGED], 0);
}

void
sonde_explain_browser_set_no_categories (SondeExplainBrowser *browser, const char *sentence,
                                         const char *button, const char *action)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  sonde_error_category_list_set_empty (browser->categories, sentence, button, action);
}

void
sonde_explain_browser_set_no_samples (SondeExplainBrowser *browser, const char *sentence,
                                      const char *button, const char *action)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  sonde_explain_gallery_set_empty (browser->gallery, sentence, button, action);
}

void
sonde_explain_browser_set_models (SondeExplainBrowser *browser, const char *first,
                                  const char *second)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  browser->updating = TRUE;
  gtk_widget_set_visible (browser->models, second != NULL);
  gtk_toggle_button_set_active (browser->first_model, TRUE);
  browser->updating = FALSE;
  if (second == NULL)
    {
      sonde_comparison_panel_clear (browser->comparison);
      if (browser->selection->scope == SONDE_SCOPE_CHANGE)
        choose (browser, SONDE_SCOPE_ALL, -1);
      return;
    }
  gtk_widget_set_tooltip_text (GTK_WIDGET (browser->first_model), first);
  gtk_widget_set_tooltip_text (GTK_WIDGET (browser->second_model), second);
  sonde_comparison_panel_set_items (browser->comparison, browser->selection->items, first, second);
  sonde_explain_gallery_refresh (browser->gallery);
}

void
sonde_explain_browser_set_recorded (SondeExplainBrowser *browser, gboolean recorded,
                                    gboolean has_categories)
{
  const char *side;

  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  side = gtk_stack_get_visible_child_name (browser->sides);
  browser->selection->recorded = recorded;
  gtk_widget_set_visible (browser->switcher, !recorded || has_categories);
  gtk_stack_page_set_visible (browser->comparison_page, !recorded);
  if (recorded && !(has_categories && g_strcmp0 (side, "categories") == 0))
    gtk_stack_set_visible_child_name (browser->sides, "matrix");
}

void
sonde_explain_browser_show_side (SondeExplainBrowser *browser, const char *name)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  gtk_stack_set_visible_child_name (browser->sides, name);
}

static void
choose_category (SondeExplainBrowser *self, guint category)
{
  gboolean one = category < SONDE_N_CATEGORIES;

  choose (self, one ? SONDE_SCOPE_CATEGORY : SONDE_SCOPE_ALL, one ? (gint64) category : -1);
  sonde_explain_gallery_set_list (self->gallery, one);
}

gboolean
sonde_explain_browser_go_to (SondeExplainBrowser *browser, const char *what)
{
  SondeErrorCategory category = sonde_error_category_from_name (what);
  SondeExplainItem *item;
  gint64 cell;

  g_return_val_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser), FALSE);
  if (category < SONDE_N_CATEGORIES)
    {
      sonde_explain_browser_show_side (browser, "categories");
      choose_category (browser, category);
      return TRUE;
    }
  item = sonde_sample_selection_find (browser->selection, what);
  cell = item == NULL ? sonde_sample_selection_find_cell (browser->selection, what)
                      : sonde_explain_table_find (browser->selection->table, item);
  if (item == NULL && cell < 0)
    return FALSE;
  if (item == NULL || !sonde_sample_selection_has (browser->selection, item))
    choose (browser, cell >= 0 ? SONDE_SCOPE_CELL : SONDE_SCOPE_ALL, cell);
  if (item != NULL)
    show_item (browser, item);
  return TRUE;
}

static char *
dup_counts (SondeExplainBrowser *self)
{
  guint n = self->selection->items->len;
  g_autofree char *all = sonde_format_count (n),
                  *shown = sonde_format_count (sonde_explain_gallery_get_n_shown (self->gallery));

  if (self->selection->recorded)
    return g_strdup_printf (P_ ("%s of %s explained sample", "%s of %s explained samples", n),
                            shown, all);
  return g_strdup_printf (P_ ("%s of %s sample", "%s of %s samples", n), shown, all);
}

char *
sonde_explain_browser_dup_status (SondeExplainBrowser *browser)
{
  g_autofree char *counts = NULL;

  g_return_val_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser), NULL);
  if (browser->selection->items->len == 0)
    return NULL;
  counts = dup_counts (browser);
  return browser->doubt != NULL ? g_strdup_printf ("%s · %s", browser->doubt, counts)
                                : g_steal_pointer (&counts);
}

/* ---- hands ----------------------------------------------------------------- */

gboolean
sonde_explain_browser_back (SondeExplainBrowser *browser)
{
  g_return_val_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser), FALSE);
  if (browser->sample != NULL)
    {
      show_item (browser, NULL);
      gtk_widget_child_focus (GTK_WIDGET (browser->gallery), GTK_DIR_TAB_FORWARD);
      return TRUE;
    }
  if (adw_leaflet_get_folded (browser->leaflet)
      && adw_leaflet_get_visible_child (browser->leaflet) == GTK_WIDGET (browser->right))
    {
      adw_leaflet_set_visible_child (browser->leaflet, browser->left);
      return TRUE;
    }
  if (browser->selection->scope != SONDE_SCOPE_ALL)
    {
      choose (browser, SONDE_SCOPE_ALL, -1);
      return TRUE;
    }
  return FALSE;
}

static void
on_pair_chosen (SondeExplainBrowser *self, gint64 cell)
{
  if (!self->updating)
    choose (self, cell >= 0 ? SONDE_SCOPE_CELL : SONDE_SCOPE_ALL, cell);
}

static void
on_cell_selected (SondeExplainBrowser *self)
{
  on_pair_chosen (self, sonde_view_get_selection (SONDE_VIEW (self->matrix)));
}

static void
on_category_chosen (SondeExplainBrowser *self, guint category)
{
  if (!self->updating)
    choose_category (self, category);
}

static void
on_change_chosen (SondeExplainBrowser *self, guint change)
{
  gboolean one = change < SONDE_N_EXPLAIN_CHANGES;

  if (!self->updating)
    choose (self, one ? SONDE_SCOPE_CHANGE : SONDE_SCOPE_ALL, one ? (gint64) change : -1);
}

static void
on_group_chosen (SondeExplainBrowser *self, int group)
{
  self->selection->group = group;
  fill_gallery (self);
  g_signal_emit (self, signals[STATUS_CHANGED], 0);
}

static void
on_shown_changed (SondeExplainBrowser *self)
{
  update_bar (self);
  g_signal_emit (self, signals[STATUS_CHANGED], 0);
}

static void
on_share_toggled (SondeExplainBrowser *self)
{
  sonde_confusion_view_set_share (SONDE_CONFUSION_VIEW (self->matrix),
                                  gtk_toggle_button_get_active (self->share));
}

static void
on_by_errors_toggled (SondeExplainBrowser *self)
{
  sonde_confusion_view_set_by_errors (SONDE_CONFUSION_VIEW (self->matrix),
                                      gtk_toggle_button_get_active (self->by_errors));
}

static void
on_model_toggled (SondeExplainBrowser *self)
{
  if (!self->updating)
    g_signal_emit (self, signals[MODEL_SWITCHED], 0,
                   gtk_toggle_button_get_active (self->second_model));
}

static void
on_back (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_explain_browser_back (SONDE_EXPLAIN_BROWSER (widget));
}

static void
on_step (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_explain_browser_step (SONDE_EXPLAIN_BROWSER (widget), g_variant_get_int32 (parameter));
}

static gboolean
on_back_key (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  return sonde_explain_browser_back (SONDE_EXPLAIN_BROWSER (widget));
}

static gboolean
on_step_key (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  return sonde_explain_browser_step (SONDE_EXPLAIN_BROWSER (widget),
                                     g_variant_get_int32 (arguments));
}

/* ---- widget ---------------------------------------------------------------- */

static void
sonde_explain_browser_dispose (GObject *object)
{
  SondeExplainBrowser *self = SONDE_EXPLAIN_BROWSER (object);

  self->updating = TRUE;
  g_clear_handle_id (&self->size_idle, g_source_remove);
  g_clear_object (&self->sample);
  g_clear_object (&self->thumbnails);
  G_OBJECT_CLASS (sonde_explain_browser_parent_class)->dispose (object);
}

static void
sonde_explain_browser_finalize (GObject *object)
{
  sonde_sample_selection_free (SONDE_EXPLAIN_BROWSER (object)->selection);
  g_free (SONDE_EXPLAIN_BROWSER (object)->doubt);
  G_OBJECT_CLASS (sonde_explain_browser_parent_class)->finalize (object);
}

/* ---- size ---------------------------------------------------------------- */

static gboolean
give_side_its_share (gpointer data)
{
  SondeExplainBrowser *self = data;
  int width = CLAMP (self->width * SIDE_SHARE / 100, MIN_SIDE, MAX_SIDE);

  self->size_idle = 0;
  gtk_widget_set_size_request (self->left, width, -1);
  sonde_confusion_view_set_width (SONDE_CONFUSION_VIEW (self->matrix), width - SIDE_PADDING);
  return G_SOURCE_REMOVE;
}

/* Sizes must not be asked for while they are given: right after. */
static void
on_resize (SondeExplainBrowser *self, int width)
{
  self->width = width;
  if (self->size_idle == 0)
    self->size_idle = g_idle_add_full (G_PRIORITY_DEFAULT, give_side_its_share, self, NULL);
}

static void
bind_template (GtkWidgetClass *widget)
{
  g_type_ensure (SONDE_TYPE_CONFUSION_VIEW);
  g_type_ensure (SONDE_TYPE_CONFUSED_PAIR_LIST);
  g_type_ensure (SONDE_TYPE_ERROR_CATEGORY_LIST);
  g_type_ensure (SONDE_TYPE_COMPARISON_PANEL);
  g_type_ensure (SONDE_TYPE_GALLERY_HEADER);
  g_type_ensure (SONDE_TYPE_EXPLAIN_GALLERY);
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/browser/sonde-explain-browser.ui");
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, leaflet);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, sample_bin);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, sides);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, right);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, comparison_page);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, share);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, by_errors);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, first_model);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, second_model);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, place);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, left);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, switcher);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, sample_back);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, previous);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, next);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, models);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, matrix);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, pairs);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, categories);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, comparison);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, header);
  gtk_widget_class_bind_template_child (widget, SondeExplainBrowser, gallery);
}

static void
bind_hands (GtkWidgetClass *widget)
{
  gtk_widget_class_bind_template_callback (widget, on_resize);
  gtk_widget_class_bind_template_callback (widget, on_cell_selected);
  gtk_widget_class_bind_template_callback (widget, on_pair_chosen);
  gtk_widget_class_bind_template_callback (widget, on_category_chosen);
  gtk_widget_class_bind_template_callback (widget, on_change_chosen);
  gtk_widget_class_bind_template_callback (widget, on_group_chosen);
  gtk_widget_class_bind_template_callback (widget, on_shown_changed);
  gtk_widget_class_bind_template_callback (widget, on_share_toggled);
  gtk_widget_class_bind_template_callback (widget, on_by_errors_toggled);
  gtk_widget_class_bind_template_callback (widget, on_model_toggled);
  gtk_widget_class_bind_template_callback (widget, show_item);
  gtk_widget_class_install_action (widget, "browser.back", NULL, on_back);
  gtk_widget_class_install_action (widget, "browser.step", "i", on_step);
  gtk_widget_class_add_binding (widget, GDK_KEY_Escape, 0, on_back_key, NULL);
  gtk_widget_class_add_binding (widget, GDK_KEY_BackSpace, 0, on_back_key, NULL);
  gtk_widget_class_add_binding (widget, GDK_KEY_Left, 0, on_step_key, "i", -1);
  gtk_widget_class_add_binding (widget, GDK_KEY_Right, 0, on_step_key, "i", 1);
  gtk_widget_class_add_binding (widget, GDK_KEY_Page_Up, GDK_ALT_MASK, on_step_key, "i", -1);
  gtk_widget_class_add_binding (widget, GDK_KEY_Page_Down, GDK_ALT_MASK, on_step_key, "i", 1);
}

static void
sonde_explain_browser_class_init (SondeExplainBrowserClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_explain_browser_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_explain_browser_finalize;
  signals[SAMPLE_SHOWN] = g_signal_new ("sample-shown", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                        NULL, G_TYPE_NONE, 1, SONDE_TYPE_EXPLAIN_ITEM);
  signals[STATUS_CHANGED] = g_signal_new ("status-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                          NULL, G_TYPE_NONE, 0);
  signals[MODEL_SWITCHED] = g_signal_new ("model-switched", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                          NULL, G_TYPE_NONE, 1, G_TYPE_BOOLEAN);
  bind_template (widget);
  bind_hands (widget);
}

static void
sonde_explain_browser_init (SondeExplainBrowser *self)
{
  self->selection = sonde_sample_selection_new (SONDE_CONFUSION_MAX_CLASSES);
  gtk_widget_init_template (GTK_WIDGET (self));
  show_words (self);
}

GtkWidget *
sonde_explain_browser_new (void)
{
  return g_object_new (SONDE_TYPE_EXPLAIN_BROWSER, NULL);
}
