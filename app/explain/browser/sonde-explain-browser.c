/* SPDX-License-Identifier: Apache-2.0
 * One selection at a time: a cell, a reason, a change, or nothing; the gallery shows what it
 * holds. */
#include "app/explain/browser/sonde-explain-browser-private.h"

#define REST_WIDTH 320 /* px that the right side needs at least */

G_DEFINE_FINAL_TYPE (SondeExplainBrowser, sonde_explain_browser, ADW_TYPE_BIN)

static guint shown_signal, status_signal, switched_signal;

/* ---- one sample ---------------------------------------------------------- */

void
sonde_explain_browser_update_bar (SondeExplainBrowser *self)
{
  SondeExplainGallery *gallery = SONDE_EXPLAIN_GALLERY (self->gallery);
  guint n = sonde_explain_gallery_get_n_shown (gallery), at = 0;
  g_autoptr (SondeExplainItem) self_item = NULL;
  g_autofree char *text = NULL;

  if (self->sample == NULL)
    return;
  self_item = sonde_explain_gallery_step (gallery, self->sample, 0, &at);
  text = self_item != NULL ? g_strdup_printf ("%u of %u", at + 1, n) : g_strdup ("");
  gtk_label_set_text (GTK_LABEL (self->place), text);
  gtk_widget_set_sensitive (self->previous, self_item != NULL && at > 0);
  gtk_widget_set_sensitive (self->next, self_item != NULL && at + 1 < n);
}

void
sonde_explain_browser_show (SondeExplainBrowser *self, SondeExplainItem *item)
{
  gboolean other = item != self->sample;

  g_set_object (&self->sample, item);
  gtk_stack_set_visible_child_name (GTK_STACK (self->detail), item != NULL ? "sample" : "gallery");
  sonde_explain_browser_update_bar (self);
  if (!other)
    return;
  g_signal_emit (self, shown_signal, 0, item);
  if (item != NULL)
    {
      adw_leaflet_set_visible_child (ADW_LEAFLET (self->leaflet), self->right);
      gtk_widget_grab_focus (self->sample_back);
    }
  g_signal_emit (self, status_signal, 0);
}

gboolean
sonde_explain_browser_step (SondeExplainBrowser *browser, int by)
{
  g_autoptr (SondeExplainItem) item = NULL;

  g_return_val_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser), FALSE);
  if (browser->sample == NULL)
    return FALSE;
  item = sonde_explain_gallery_step (SONDE_EXPLAIN_GALLERY (browser->gallery), browser->sample, by,
                                     NULL);
  if (item == NULL)
    return FALSE;
  sonde_explain_browser_show (browser, item);
  return TRUE;
}

gboolean
sonde_explain_browser_back (SondeExplainBrowser *browser)
{
  AdwLeaflet *leaflet;

  g_return_val_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser), FALSE);
  leaflet = ADW_LEAFLET (browser->leaflet);
  if (browser->sample != NULL)
    {
      sonde_explain_browser_show (browser, NULL);
      gtk_widget_child_focus (browser->gallery, GTK_DIR_TAB_FORWARD);
      return TRUE;
    }
  if (adw_leaflet_get_folded (leaflet) && adw_leaflet_get_visible_child (leaflet) == browser->right)
    {
      adw_leaflet_set_visible_child (leaflet, browser->left);
      return TRUE;
    }
  if (browser->scope != SCOPE_ALL)
    {
      sonde_explain_browser_set_scope (browser, SCOPE_ALL, -1);
      return TRUE;
    }
  return FALSE;
}

SondeExplainItem *
sonde_explain_browser_get_sample (SondeExplainBrowser *browser)
{
  return browser->sample;
}

/* ---- hands --------------------------------------------------------------- */

static void
on_cell_selected (SondeExplainBrowser *self)
{
  gint64 cell = sonde_view_get_selection (SONDE_VIEW (self->matrix));

  if (!self->updating)
    sonde_explain_browser_set_scope (self, cell >= 0 ? SCOPE_CELL : SCOPE_ALL, cell);
}

static void
on_pair_chosen (SondeExplainBrowser *self, gint64 cell)
{
  if (!self->updating)
    sonde_explain_browser_set_scope (self, cell >= 0 ? SCOPE_CELL : SCOPE_ALL, cell);
}

void
sonde_explain_browser_choose_category (SondeExplainBrowser *self, guint reason)
{
  if (self->updating)
    return;
  sonde_explain_browser_set_scope (self, reason < SONDE_N_CATEGORIES ? SCOPE_CATEGORY : SCOPE_ALL,
                                   reason < SONDE_N_CATEGORIES ? (gint64) reason : -1);
  sonde_explain_gallery_set_list (SONDE_EXPLAIN_GALLERY (self->gallery),
                                  reason < SONDE_N_CATEGORIES);
}

static void
on_change_chosen (SondeExplainBrowser *self, guint change)
{
  if (!self->updating)
    sonde_explain_browser_set_scope (self,
                                     change < SONDE_N_EXPLAIN_CHANGES ? SCOPE_CHANGE : SCOPE_ALL,
                                     change < SONDE_N_EXPLAIN_CHANGES ? (gint64) change : -1);
}

static void
on_group_chosen (SondeExplainBrowser *self, int group)
{
  self->group = group;
  sonde_explain_browser_fill (self);
  g_signal_emit (self, status_signal, 0);
}

static void
on_opened (SondeExplainBrowser *self, SondeExplainItem *item)
{
  sonde_explain_browser_show (self, item);
}

static void
on_shown_changed (SondeExplainBrowser *self)
{
  sonde_explain_browser_update_bar (self);
  g_signal_emit (self, status_signal, 0);
}

static void
on_share_toggled (SondeExplainBrowser *self)
{
  sonde_confusion_view_set_share (SONDE_CONFUSION_VIEW (self->matrix),
                                  gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->share)));
}

static void
on_by_errors_toggled (SondeExplainBrowser *self)
{
  sonde_confusion_view_set_by_errors (
      SONDE_CONFUSION_VIEW (self->matrix),
      gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->by_errors)));
}

static void
on_model_toggled (SondeExplainBrowser *self)
{
  if (!self->updating)
    g_signal_emit (self, switched_signal, 0,
                   gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->second_model)));
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

/* ---- widget -------------------------------------------------------------- */

static void
connect_hands (SondeExplainBrowser *self)
{
  g_signal_connect_object (self->matrix, "notify::selection", G_CALLBACK (on_cell_selected), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->pairs, "chosen", G_CALLBACK (on_pair_chosen), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->reasons, "chosen",
                           G_CALLBACK (sonde_explain_browser_choose_category), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->compare, "chosen", G_CALLBACK (on_change_chosen), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->cell, "group-chosen", G_CALLBACK (on_group_chosen), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->gallery, "opened", G_CALLBACK (on_opened), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->gallery, "shown-changed", G_CALLBACK (on_shown_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->share, "toggled", G_CALLBACK (on_share_toggled), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->by_errors, "toggled", G_CALLBACK (on_by_errors_toggled), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->second_model, "toggled", G_CALLBACK (on_model_toggled), self,
                           G_CONNECT_SWAPPED);
}

static void
sonde_explain_browser_dispose (GObject *object)
{
  SondeExplainBrowser *self = SONDE_EXPLAIN_BROWSER (object);

  self->updating = TRUE;
  g_clear_object (&self->sample);
  g_clear_object (&self->thumbnails);
  G_OBJECT_CLASS (sonde_explain_browser_parent_class)->dispose (object);
}

static void
sonde_explain_browser_finalize (GObject *object)
{
  SondeExplainBrowser *self = SONDE_EXPLAIN_BROWSER (object);

  g_hash_table_unref (self->by_sample);
  g_ptr_array_unref (self->items);
  g_ptr_array_unref (self->cell_clusters);
  g_clear_pointer (&self->clusters, g_ptr_array_unref);
  sonde_explain_table_free (self->table);
  G_OBJECT_CLASS (sonde_explain_browser_parent_class)->finalize (object);
}

static void
sonde_explain_browser_class_init (SondeExplainBrowserClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_explain_browser_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_explain_browser_finalize;
  shown_signal = g_signal_new ("sample-shown", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                               G_TYPE_NONE, 1, SONDE_TYPE_EXPLAIN_ITEM);
  status_signal = g_signal_new ("status-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 0);
  switched_signal = g_signal_new ("model-switched", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_BOOLEAN);
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
sonde_explain_browser_init (SondeExplainBrowser *self)
{
  AdwLeafletPage *page;
  GtkWidget *separator = gtk_separator_new (GTK_ORIENTATION_VERTICAL);

  self->noun = "samples";
  self->scope = SCOPE_ALL;
  self->chosen = -1;
  self->group = -1;
  self->items = g_ptr_array_new_with_free_func (g_object_unref);
  self->cell_clusters = g_ptr_array_new ();
  self->by_sample = g_hash_table_new (NULL, NULL);
  self->table = sonde_explain_table_new (self->items, NULL, 0, SONDE_CONFUSION_MAX_CLASSES);
  self->left = sonde_explain_browser_make_left (self);
  self->detail = gtk_stack_new ();
  /* A sample may need more room than thumbnails do: then it has the window for itself until one goes
   * back. */
  gtk_stack_set_hhomogeneous (GTK_STACK (self->detail), FALSE);
  gtk_stack_add_named (GTK_STACK (self->detail), sonde_explain_browser_make_gallery (self),
                       "gallery");
  gtk_stack_add_named (GTK_STACK (self->detail), sonde_explain_browser_make_sample (self),
                       "sample");
  self->right = self->detail;
  gtk_widget_set_hexpand (self->right, TRUE);
  gtk_widget_set_size_request (self->right, REST_WIDTH, -1);
  self->leaflet = adw_leaflet_new ();
  adw_leaflet_append (ADW_LEAFLET (self->leaflet), self->left);
  page = adw_leaflet_append (ADW_LEAFLET (self->leaflet), separator);
  adw_leaflet_page_set_navigatable (page, FALSE);
  adw_leaflet_append (ADW_LEAFLET (self->leaflet), self->right);
  adw_leaflet_set_can_navigate_back (ADW_LEAFLET (self->leaflet), TRUE);
  adw_bin_set_child (ADW_BIN (self), self->leaflet);
  g_object_bind_property (self->leaflet, "folded", self->to_left, "visible", G_BINDING_SYNC_CREATE);
  connect_hands (self);
  sonde_explain_browser_set_words (self);
}

GtkWidget *
sonde_explain_browser_new (void)
{
  return g_object_new (SONDE_TYPE_EXPLAIN_BROWSER, NULL);
}
