/* SPDX-License-Identifier: Apache-2.0
 * What the browser holds: items, reasons, a second model; and the way to one of them. */
#include "app/explain/browser/sonde-explain-browser-private.h"

#include <string.h>

#define SMALL_MATRIX 16  /* classes */
#define SAMPLE "sample:" /* before a name or a number */

void
sonde_explain_browser_set_sample_view (SondeExplainBrowser *browser, GtkWidget *view)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  adw_bin_set_child (ADW_BIN (browser->sample_bin), view);
}

void
sonde_explain_browser_set_thumbnails (SondeExplainBrowser *browser,
                                      SondeThumbnailLoader *thumbnails)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  g_set_object (&browser->thumbnails, thumbnails);
  sonde_explain_gallery_set_thumbnails (SONDE_EXPLAIN_GALLERY (browser->gallery), thumbnails);
}

/* A cell goes by its classes: the table is another one. */
static gint64
find_again (const SondeExplainTable *old, const SondeExplainTable *table, gint64 cell)
{
  guint row, column;

  if (old == NULL || old->n == 0 || cell < 0)
    return -1;
  row = GPOINTER_TO_UINT (g_hash_table_lookup (table->places, old->names[cell / old->n]));
  column = GPOINTER_TO_UINT (g_hash_table_lookup (table->places, old->names[cell % old->n]));
  if (row == 0 || column == 0)
    return -1;
  cell = (gint64) (row - 1) * table->n + (column - 1);
  return table->counts->counts[cell] > 0 ? cell : -1;
}

/* The sample that is shown, among the new items. */
static void
keep_sample (SondeExplainBrowser *self)
{
  const SondeExplainItemSummary *summary;

  if (self->sample == NULL)
    return;
  summary = sonde_explain_item_get_summary (self->sample);
  for (guint i = 0; i < self->items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (self->items, i);

      if (g_strcmp0 (sonde_explain_item_get_summary (item)->name, summary->name) == 0)
        {
          g_set_object (&self->sample, item);
          sonde_explain_browser_update_bar (self);
          return;
        }
    }
  sonde_explain_browser_show (self, NULL);
}

void
sonde_explain_browser_set_items (SondeExplainBrowser *browser, GPtrArray *items, char **classes,
                                 guint n_classes, const char *noun)
{
  SondeExplainTable *old;

  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  old = browser->table;
  g_ptr_array_unref (browser->items);
  browser->items = g_ptr_array_ref (items);
  g_hash_table_remove_all (browser->by_sample);
  for (guint i = 0; i < items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (items, i);

      g_hash_table_insert (browser->by_sample,
                           GUINT_TO_POINTER (sonde_explain_item_get_summary (item)->sample + 1),
                           item);
    }
  browser->noun = noun;
  browser->table = sonde_explain_table_new (items, classes, n_classes, SONDE_CONFUSION_MAX_CLASSES);
  if (browser->scope == SCOPE_CELL)
    {
      browser->chosen = find_again (old, browser->table, browser->chosen);
      if (browser->chosen < 0)
        browser->scope = SCOPE_ALL;
    }
  sonde_explain_table_free (old);
  browser->updating = TRUE;
  sonde_confusion_view_set_counts (SONDE_CONFUSION_VIEW (browser->matrix),
                                   (const char *const *) browser->table->names,
                                   browser->table->counts);
  /* A small matrix has its size; a large one wants what there is. */
  gtk_widget_set_vexpand (browser->matrix, browser->table->n > SMALL_MATRIX);
  sonde_confused_pairs_set_table (SONDE_CONFUSED_PAIRS (browser->pairs), browser->table);
  browser->updating = FALSE;
  sonde_explain_browser_update_left (browser);
  sonde_explain_browser_update_clusters (browser);
  sonde_explain_browser_fill (browser);
  sonde_explain_browser_set_words (browser);
  keep_sample (browser);
  g_signal_emit_by_name (browser, "status-changed");
}

void
sonde_explain_browser_set_triage (SondeExplainBrowser *browser, GPtrArray *clusters,
                                  GPtrArray *notes)
{
  guint counts[SONDE_N_CATEGORIES + 1] = { 0 };
  gboolean told = FALSE;

  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  g_clear_pointer (&browser->clusters, g_ptr_array_unref);
  browser->clusters = clusters != NULL ? g_ptr_array_ref (clusters) : NULL;
  for (guint i = 0; i < browser->items->len; i++)
    {
      SondeErrorCategory reason
          = sonde_explain_item_get_summary (g_ptr_array_index (browser->items, i))->reason;

      counts[reason]++;
      told = told || reason < SONDE_N_CATEGORIES;
    }
  sonde_error_category_list_set_counts (SONDE_ERROR_CATEGORY_LIST (browser->reasons),
                                        told ? counts : NULL, notes);
  sonde_explain_browser_update_clusters (browser);
  if (browser->group >= 0)
    {
      browser->group = -1;
      sonde_explain_browser_fill (browser);
    }
  sonde_explain_browser_set_words (browser);
  g_signal_emit_by_name (browser, "status-changed");
}

void
sonde_explain_browser_set_no_categories (SondeExplainBrowser *browser, const char *sentence,
                                         const char *button, const char *action)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  sonde_error_category_list_set_empty (SONDE_ERROR_CATEGORY_LIST (browser->reasons), sentence,
                                       button, action);
}

void
sonde_explain_browser_set_no_samples (SondeExplainBrowser *browser, const char *sentence,
                                      const char *button, const char *action)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  sonde_explain_gallery_set_empty (SONDE_EXPLAIN_GALLERY (browser->gallery), sentence, button,
                                   action);
}

void
sonde_explain_browser_set_models (SondeExplainBrowser *browser, const char *first,
                                  const char *second)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  browser->updating = TRUE;
  gtk_widget_set_visible (browser->models, second != NULL);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (browser->first_model), TRUE);
  browser->updating = FALSE;
  if (second == NULL)
    {
      sonde_comparison_panel_clear (SONDE_COMPARISON_PANEL (browser->compare));
      if (browser->scope == SCOPE_CHANGE)
        sonde_explain_browser_set_scope (browser, SCOPE_ALL, -1);
      return;
    }
  gtk_widget_set_tooltip_text (browser->first_model, first);
  gtk_widget_set_tooltip_text (browser->second_model, second);
  sonde_comparison_panel_set_items (SONDE_COMPARISON_PANEL (browser->compare), browser->items,
                                    first, second);
  sonde_explain_gallery_refresh (SONDE_EXPLAIN_GALLERY (browser->gallery));
}

void
sonde_explain_browser_set_recorded (SondeExplainBrowser *browser, gboolean recorded,
                                    gboolean has_reasons)
{
  const char *side = gtk_stack_get_visible_child_name (GTK_STACK (browser->sides));

  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  gtk_widget_set_visible (browser->switcher, !recorded || has_reasons);
  gtk_stack_page_set_visible (gtk_stack_get_page (GTK_STACK (browser->sides), browser->compare),
                              !recorded);
  if (recorded && !(has_reasons && g_strcmp0 (side, "reasons") == 0))
    gtk_stack_set_visible_child_name (GTK_STACK (browser->sides), "matrix");
}

void
sonde_explain_browser_show_side (SondeExplainBrowser *browser, const char *name)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  gtk_stack_set_visible_child_name (GTK_STACK (browser->sides), name);
}

static gboolean
go_to_cell (SondeExplainBrowser *self, const char *what)
{
  g_auto (GStrv) names = g_strsplit (what, ">", 2);
  guint row, column;

  if (g_strv_length (names) != 2)
    return FALSE;
  row = GPOINTER_TO_UINT (g_hash_table_lookup (self->table->places, g_strstrip (names[0])));
  column = GPOINTER_TO_UINT (g_hash_table_lookup (self->table->places, g_strstrip (names[1])));
  if (row == 0 || column == 0)
    return FALSE;
  sonde_explain_browser_set_scope (self, SCOPE_CELL,
                                   (gint64) (row - 1) * self->table->n + (column - 1));
  return TRUE;
}

/* By its name, and after "sample:" by its place from 0 too: data that are a part of others have
 * other numbers. (nullable) */
static SondeExplainItem *
find_item (SondeExplainBrowser *self, const char *what)
{
  gboolean is_sample = g_str_has_prefix (what, SAMPLE);
  const char *name = is_sample ? what + strlen (SAMPLE) : what;
  guint64 number;

  for (guint i = 0; i < self->items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (self->items, i);
      const SondeExplainItemSummary *summary = sonde_explain_item_get_summary (item);

      if (g_strcmp0 (summary->name, name) == 0 || g_strcmp0 (summary->name, what) == 0)
        return item;
    }
  if (!is_sample || !g_ascii_string_to_unsigned (name, 10, 0, G_MAXUINT, &number, NULL)
      || number >= self->items->len)
    return NULL;
  return g_ptr_array_index (self->items, (guint) number);
}

gboolean
sonde_explain_browser_go_to (SondeExplainBrowser *browser, const char *what)
{
  SondeExplainItem *item;

  g_return_val_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser), FALSE);
  if (browser->table == NULL)
    return FALSE;
  for (guint i = 0; i < SONDE_N_CATEGORIES; i++)
    if (g_str_equal (what, sonde_error_category_get_name (i)))
      {
        sonde_explain_browser_show_side (browser, "reasons");
        sonde_explain_browser_choose_category (browser, i);
        return TRUE;
      }
  item = find_item (browser, what);
  if (item == NULL)
    return go_to_cell (browser, what);
  if (!sonde_explain_browser_has (browser, item))
    sonde_explain_browser_set_scope (browser, SCOPE_CELL,
                                     sonde_explain_table_find (browser->table, item));
  sonde_explain_browser_show (browser, item);
  return TRUE;
}

char *
sonde_explain_browser_dup_status (SondeExplainBrowser *browser)
{
  g_return_val_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser), NULL);
  if (browser->items->len == 0)
    return NULL;
  return g_strdup_printf (
      "%u of %u %s", sonde_explain_gallery_get_n_shown (SONDE_EXPLAIN_GALLERY (browser->gallery)),
      browser->items->len, browser->noun);
}
