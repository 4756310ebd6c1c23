/* SPDX-License-Identifier: Apache-2.0
 * What was chosen, what belongs to it, and what is said of it. */
#include "app/explain/browser/sonde-explain-browser-private.h"

#include "app/explain/sonde-explain-widgets.h"
#include "data/values/sonde-wilson.h"

static gboolean
group_has (SondeExplainBrowser *self, guint sample)
{
  const SondeErrorCluster *cluster = g_ptr_array_index (self->cell_clusters, (guint) self->group);

  for (guint i = 0; i < cluster->members->len; i++)
    if (g_array_index (cluster->members, guint, i) == sample)
      return TRUE;
  return FALSE;
}

gboolean
sonde_explain_browser_has (SondeExplainBrowser *self, SondeExplainItem *item)
{
  const SondeExplainItemSummary *summary = sonde_explain_item_get_summary (item);

  switch (self->scope)
    {
    case SCOPE_CELL:
      return sonde_explain_table_find (self->table, item) == self->chosen
             && (self->group < 0 || group_has (self, summary->sample));
    case SCOPE_CATEGORY:
      return summary->reason == (SondeErrorCategory) self->chosen;
    case SCOPE_CHANGE:
      return sonde_explain_change_of (item) == (SondeExplainChange) self->chosen;
    default:
      /* Without misclassifications, or without labels, all there is. */
      return self->table->n_errors == 0 || sonde_explain_item_is_error (item);
    }
}

static char *
share_words (guint k, guint n)
{
  double low, high;

  sonde_wilson_interval (k, n, &low, &high);
  return n > 0 ? g_strdup_printf ("%u of %u, %.1f %% (95 %% interval %.1f … %.1f %%)", k, n,
                                  100.0 * k / n, 100 * low, 100 * high)
               : g_strdup ("none");
}

static void
set_words_of_all (SondeExplainBrowser *self)
{
  SondeExplainTable *table = self->table;
  g_autofree char *words = share_words (table->n_errors, table->n_labelled);
  g_autofree char *text = NULL;

  if (table->n_samples == 0)
    sonde_gallery_header_set_words (SONDE_GALLERY_HEADER (self->cell), "No samples yet", "");
  else if (table->n_labelled == 0)
    {
      g_autofree char *count = sonde_part_count (table->n_samples, "sample");

      text = g_strdup_printf ("%s; none has a label, so nothing can be called a misclassification.",
                              count);
      sonde_gallery_header_set_words (SONDE_GALLERY_HEADER (self->cell), "All samples", text);
    }
  else if (table->n_errors == table->n_labelled && g_str_equal (self->noun, "explained samples"))
    {
      g_autofree char *count = sonde_part_count (table->n_samples, "explained sample");

      text = g_strdup_printf ("%s. Choose a cell of the matrix to see one kind of them.", count);
      sonde_gallery_header_set_words (SONDE_GALLERY_HEADER (self->cell), "All misclassifications",
                                      text);
    }
  else
    {
      text = g_strdup_printf ("Wrong: %s.", words);
      sonde_gallery_header_set_words (
          SONDE_GALLERY_HEADER (self->cell),
          table->n_errors > 0 ? "All misclassifications" : "No misclassifications", text);
    }
}

static void
set_words_of_cell (SondeExplainBrowser *self)
{
  guint truth = (guint) (self->chosen / self->table->n),
        predicted = (guint) (self->chosen % self->table->n);
  guint count = self->table->counts->counts[self->chosen];
  g_autofree char *title
      = g_strdup_printf (truth == predicted ? "“%s” recognised" : "“%s” taken for “%s”",
                         self->table->names[truth], self->table->names[predicted]);
  g_autofree char *words = NULL, *text = NULL;

  words = share_words (count, self->table->counts->row_totals[truth]);
  /* Of misclassifications alone no share of the class can be told. */
  text = self->table->n_errors < self->table->n_labelled
             ? g_strdup_printf ("%s of “%s”.", words, self->table->names[truth])
             : g_strdup_printf ("%u %s.", count, count == 1 ? "sample" : self->noun);
  sonde_gallery_header_set_words (SONDE_GALLERY_HEADER (self->cell), title, text);
}

void
sonde_explain_browser_set_words (SondeExplainBrowser *self)
{
  guint n = sonde_explain_gallery_get_n_items (SONDE_EXPLAIN_GALLERY (self->gallery));
  g_autofree char *text = NULL;

  if (self->scope == SCOPE_ALL)
    set_words_of_all (self);
  else if (self->scope == SCOPE_CELL)
    set_words_of_cell (self);
  else if (self->scope == SCOPE_CATEGORY)
    {
      g_autofree char *words = share_words (n, self->table->n_errors);

      text = g_strdup_printf ("%s of the misclassifications.", words);
      sonde_gallery_header_set_words (
          SONDE_GALLERY_HEADER (self->cell),
          sonde_error_category_get_title ((SondeErrorCategory) self->chosen), text);
    }
  else
    {
      static const char *const titles[]
          = { "Fixed by the second model", "New with the second model",
              "Still wrong with the second model" };

      g_autofree char *count = sonde_part_count (n, "sample");

      text = g_strdup_printf ("%s.", count);
      sonde_gallery_header_set_words (SONDE_GALLERY_HEADER (self->cell), titles[self->chosen],
                                      text);
    }
}

static SondeExplainItem *
find_sample (SondeExplainBrowser *self, guint sample)
{
  return g_hash_table_lookup (self->by_sample, GUINT_TO_POINTER (sample + 1));
}

/* The clusters of the chosen cell. */
void
sonde_explain_browser_update_clusters (SondeExplainBrowser *self)
{
  g_autoptr (GPtrArray) medoids = g_ptr_array_new ();

  g_ptr_array_set_size (self->cell_clusters, 0);
  for (guint i = 0; self->scope == SCOPE_CELL && self->clusters != NULL && i < self->clusters->len;
       i++)
    {
      SondeErrorCluster *cluster = g_ptr_array_index (self->clusters, i);
      SondeExplainItem *medoid = find_sample (self, cluster->medoid);

      if (medoid == NULL || sonde_explain_table_find (self->table, medoid) != self->chosen)
        continue;
      g_ptr_array_add (self->cell_clusters, cluster);
      g_ptr_array_add (medoids, medoid);
    }
  sonde_gallery_header_set_clusters (SONDE_GALLERY_HEADER (self->cell), self->cell_clusters,
                                     medoids, self->thumbnails);
}

void
sonde_explain_browser_fill (SondeExplainBrowser *self)
{
  g_autoptr (GPtrArray) shown = g_ptr_array_new ();

  for (guint i = 0; i < self->items->len; i++)
    if (sonde_explain_browser_has (self, g_ptr_array_index (self->items, i)))
      g_ptr_array_add (shown, g_ptr_array_index (self->items, i));
  sonde_explain_gallery_set_items (SONDE_EXPLAIN_GALLERY (self->gallery), shown);
}

/* The left side says what was chosen, wherever that was. */
void
sonde_explain_browser_update_left (SondeExplainBrowser *self)
{
  self->updating = TRUE;
  sonde_view_set_selection (SONDE_VIEW (self->matrix),
                            self->scope == SCOPE_CELL ? self->chosen : SONDE_VIEW_NOTHING);
  sonde_confused_pairs_choose (SONDE_CONFUSED_PAIRS (self->pairs),
                               self->scope == SCOPE_CELL ? self->chosen : -1);
  sonde_error_category_list_choose (
      SONDE_ERROR_CATEGORY_LIST (self->reasons),
      self->scope == SCOPE_CATEGORY ? (SondeErrorCategory) self->chosen : SONDE_N_CATEGORIES);
  sonde_comparison_panel_choose (SONDE_COMPARISON_PANEL (self->compare),
                                 self->scope == SCOPE_CHANGE ? (SondeExplainChange) self->chosen
                                                             : SONDE_N_EXPLAIN_CHANGES);
  self->updating = FALSE;
}

void
sonde_explain_browser_set_scope (SondeExplainBrowser *self, Scope scope, gint64 chosen)
{
  self->scope = scope;
  self->chosen = chosen;
  self->group = -1;
  sonde_explain_browser_update_left (self);
  sonde_explain_browser_update_clusters (self);
  sonde_explain_browser_fill (self);
  sonde_explain_browser_set_words (self);
  sonde_explain_browser_show (self, NULL);
  if (scope != SCOPE_ALL)
    adw_leaflet_set_visible_child (ADW_LEAFLET (self->leaflet), self->right);
  g_signal_emit_by_name (self, "status-changed");
}
