/* SPDX-License-Identifier: Apache-2.0
 * One selection at a time: a cell, a reason, a change, or nothing; the gallery shows what it holds. */
#include "app/explain/sonde-explain-browser.h"

#include <string.h>

#include "app/explain/sonde-explain-cell.h"
#include "app/explain/sonde-explain-compare.h"
#include "app/explain/sonde-explain-gallery.h"
#include "app/explain/sonde-explain-pairs.h"
#include "app/explain/sonde-explain-reasons.h"
#include "app/explain/sonde-explain-table.h"
#include "app/explain/sonde-explain-tile.h"
#include "data/values/sonde-wilson.h"
#include "viewers/sonde-confusion-view.h"

#define SIDE_WIDTH 348 /* px of the left side */
#define SAMPLE "sample:" /* before a name or a number */
#define SMALL_MATRIX 16 /* classes */
#define REST_WIDTH 320 /* px that the right side needs at least */

/* What the gallery holds. */
typedef enum
{
  SCOPE_ALL,
  SCOPE_CELL,
  SCOPE_REASON,
  SCOPE_CHANGE,
} Scope;

struct _SondeExplainBrowser
{
  AdwBin parent_instance;

  GtkWidget *leaflet, *left, *right, *switcher, *sides, *share, *by_errors;
  GtkWidget *matrix, *pairs, *reasons, *compare;
  GtkWidget *detail, *to_left, *cell, *gallery, *sample_bar, *sample_back, *place, *previous, *next, *sample_bin;
  GtkWidget *models, *first_model, *second_model;
  SondeExplainPictures *pictures;
  GPtrArray *items, *clusters, *cell_clusters; /* cell_clusters: lent by clusters */
  GHashTable *by_sample; /* number of the sample + 1 → SondeExplainItem of items */
  SondeExplainTable *table;
  SondeExplainItem *sample;
  const char *noun;
  Scope scope;
  gint64 chosen; /* cell, reason or change */
  int group;     /* of the cell's clusters; -1: all */
  gboolean updating;
};

G_DEFINE_FINAL_TYPE (SondeExplainBrowser, sonde_explain_browser, ADW_TYPE_BIN)

static guint shown_signal, status_signal, switched_signal;

/* ---- scope -------------------------------------------------------------------------------------- */

static gboolean
group_has (SondeExplainBrowser *self,
           guint                sample)
{
  const SondeStudyCluster *cluster = g_ptr_array_index (self->cell_clusters, (guint) self->group);

  for (guint i = 0; i < cluster->members->len; i++)
    if (g_array_index (cluster->members, guint, i) == sample)
      return TRUE;
  return FALSE;
}

static gboolean
in_scope (SondeExplainBrowser *self,
          SondeExplainItem    *item)
{
  const SondeExplainFacts *facts = sonde_explain_item_get_facts (item);

  switch (self->scope)
    {
    case SCOPE_CELL:
      return sonde_explain_table_find (self->table, item) == self->chosen
             && (self->group < 0 || group_has (self, facts->sample));
    case SCOPE_REASON:
      return facts->reason == (SondeReason) self->chosen;
    case SCOPE_CHANGE:
      return sonde_explain_change_of (item) == (SondeExplainChange) self->chosen;
    default:
      /* Without mistakes, or without labels, all there is. */
      return self->table->n_errors == 0 || sonde_explain_item_is_error (item);
    }
}

static char *
share_words (guint k,
             guint n)
{
  double low, high;

  sonde_wilson_interval (k, n, &low, &high);
  return n > 0 ? g_strdup_printf ("%u of %u, %.1f %% (95 %% interval %.1f … %.1f %%)", k, n, 100.0 * k / n, 100 * low,
                                  100 * high)
               : g_strdup ("none");
}

static void
set_words_of_all (SondeExplainBrowser *self)
{
  SondeExplainTable *table = self->table;
  g_autofree char *words = share_words (table->n_errors, table->n_labelled);
  g_autofree char *text = NULL;

  if (table->n_samples == 0)
    sonde_explain_cell_set_words (SONDE_EXPLAIN_CELL (self->cell), "No samples yet", "");
  else if (table->n_labelled == 0)
    {
      text = g_strdup_printf ("%u samples; none has a label, so nothing can be called a mistake.", table->n_samples);
      sonde_explain_cell_set_words (SONDE_EXPLAIN_CELL (self->cell), "All samples", text);
    }
  else if (table->n_errors == table->n_labelled && g_str_equal (self->noun, "explained samples"))
    {
      text = g_strdup_printf ("%u explained samples. Choose a cell of the matrix to see one kind of them.",
                              table->n_samples);
      sonde_explain_cell_set_words (SONDE_EXPLAIN_CELL (self->cell), "All mistakes", text);
    }
  else
    {
      text = g_strdup_printf ("Wrong: %s.", words);
      sonde_explain_cell_set_words (SONDE_EXPLAIN_CELL (self->cell),
                                    table->n_errors > 0 ? "All mistakes" : "No mistakes", text);
    }
}

static void
set_words_of_cell (SondeExplainBrowser *self)
{
  guint truth = (guint) (self->chosen / self->table->n), predicted = (guint) (self->chosen % self->table->n);
  guint total = 0, count = self->table->counts[self->chosen];
  g_autofree char *title = g_strdup_printf (truth == predicted ? "“%s” recognised" : "“%s” taken for “%s”",
                                            self->table->names[truth], self->table->names[predicted]);
  g_autofree char *words = NULL, *text = NULL;

  for (guint c = 0; c < self->table->n; c++)
    total += self->table->counts[(gsize) truth * self->table->n + c];
  words = share_words (count, total);
  /* Of mistakes alone no share of the class can be told. */
  text = self->table->n_errors < self->table->n_labelled
           ? g_strdup_printf ("%s of “%s”.", words, self->table->names[truth])
           : g_strdup_printf ("%u %s.", count, self->noun);
  sonde_explain_cell_set_words (SONDE_EXPLAIN_CELL (self->cell), title, text);
}

static void
set_words (SondeExplainBrowser *self)
{
  guint n = sonde_explain_gallery_get_n_items (SONDE_EXPLAIN_GALLERY (self->gallery));
  g_autofree char *text = NULL;

  if (self->scope == SCOPE_ALL)
    set_words_of_all (self);
  else if (self->scope == SCOPE_CELL)
    set_words_of_cell (self);
  else if (self->scope == SCOPE_REASON)
    {
      g_autofree char *words = share_words (n, self->table->n_errors);

      text = g_strdup_printf ("%s of the mistakes.", words);
      sonde_explain_cell_set_words (SONDE_EXPLAIN_CELL (self->cell), sonde_reason_title ((SondeReason) self->chosen), text);
    }
  else
    {
      static const char *const titles[] = { "Fixed by the second model", "New with the second model",
                                            "Still wrong with the second model" };

      text = g_strdup_printf ("%u samples.", n);
      sonde_explain_cell_set_words (SONDE_EXPLAIN_CELL (self->cell), titles[self->chosen], text);
    }
}

static SondeExplainItem *
find_sample (SondeExplainBrowser *self,
             guint                sample)
{
  return g_hash_table_lookup (self->by_sample, GUINT_TO_POINTER (sample + 1));
}

/* The clusters of the chosen cell. */
static void
update_clusters (SondeExplainBrowser *self)
{
  g_autoptr (GPtrArray) medoids = g_ptr_array_new ();

  g_ptr_array_set_size (self->cell_clusters, 0);
  for (guint i = 0; self->scope == SCOPE_CELL && self->clusters != NULL && i < self->clusters->len; i++)
    {
      SondeStudyCluster *cluster = g_ptr_array_index (self->clusters, i);
      SondeExplainItem *medoid = find_sample (self, cluster->medoid);

      if (medoid == NULL || sonde_explain_table_find (self->table, medoid) != self->chosen)
        continue;
      g_ptr_array_add (self->cell_clusters, cluster);
      g_ptr_array_add (medoids, medoid);
    }
  sonde_explain_cell_set_clusters (SONDE_EXPLAIN_CELL (self->cell), self->cell_clusters, medoids, self->pictures);
}

static void
fill_gallery (SondeExplainBrowser *self)
{
  g_autoptr (GPtrArray) shown = g_ptr_array_new ();

  for (guint i = 0; i < self->items->len; i++)
    if (in_scope (self, g_ptr_array_index (self->items, i)))
      g_ptr_array_add (shown, g_ptr_array_index (self->items, i));
  sonde_explain_gallery_set_items (SONDE_EXPLAIN_GALLERY (self->gallery), shown);
}

/* The left side says what was chosen, wherever that was. */
static void
update_left (SondeExplainBrowser *self)
{
  self->updating = TRUE;
  sonde_view_set_selection (SONDE_VIEW (self->matrix), self->scope == SCOPE_CELL ? self->chosen : SONDE_VIEW_NOTHING);
  sonde_explain_pairs_choose (SONDE_EXPLAIN_PAIRS (self->pairs), self->scope == SCOPE_CELL ? self->chosen : -1);
  sonde_explain_reasons_choose (SONDE_EXPLAIN_REASONS (self->reasons),
                                self->scope == SCOPE_REASON ? (SondeReason) self->chosen : SONDE_N_REASONS);
  sonde_explain_compare_choose (SONDE_EXPLAIN_COMPARE (self->compare),
                                self->scope == SCOPE_CHANGE ? (SondeExplainChange) self->chosen
                                                            : SONDE_N_EXPLAIN_CHANGES);
  self->updating = FALSE;
}

static void show_sample (SondeExplainBrowser *self,
                         SondeExplainItem    *item);

static void
set_scope (SondeExplainBrowser *self,
           Scope                scope,
           gint64               chosen)
{
  self->scope = scope;
  self->chosen = chosen;
  self->group = -1;
  update_left (self);
  update_clusters (self);
  fill_gallery (self);
  set_words (self);
  show_sample (self, NULL);
  if (scope != SCOPE_ALL)
    adw_leaflet_set_visible_child (ADW_LEAFLET (self->leaflet), self->right);
  g_signal_emit (self, status_signal, 0);
}

/* ---- one sample --------------------------------------------------------------------------------- */

static void
update_sample_bar (SondeExplainBrowser *self)
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

static void
show_sample (SondeExplainBrowser *self,
             SondeExplainItem    *item)
{
  gboolean other = item != self->sample;

  g_set_object (&self->sample, item);
  gtk_stack_set_visible_child_name (GTK_STACK (self->detail), item != NULL ? "sample" : "gallery");
  update_sample_bar (self);
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
sonde_explain_browser_step (SondeExplainBrowser *browser,
                            int                  by)
{
  g_autoptr (SondeExplainItem) item = NULL;

  g_return_val_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser), FALSE);
  if (browser->sample == NULL)
    return FALSE;
  item = sonde_explain_gallery_step (SONDE_EXPLAIN_GALLERY (browser->gallery), browser->sample, by, NULL);
  if (item == NULL)
    return FALSE;
  show_sample (browser, item);
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
      show_sample (browser, NULL);
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
      set_scope (browser, SCOPE_ALL, -1);
      return TRUE;
    }
  return FALSE;
}

SondeExplainItem *
sonde_explain_browser_get_sample (SondeExplainBrowser *browser)
{
  return browser->sample;
}

/* ---- hands -------------------------------------------------------------------------------------- */

static void
on_cell_selected (SondeExplainBrowser *self)
{
  gint64 cell = sonde_view_get_selection (SONDE_VIEW (self->matrix));

  if (!self->updating)
    set_scope (self, cell >= 0 ? SCOPE_CELL : SCOPE_ALL, cell);
}

static void
on_pair_chosen (SondeExplainBrowser *self,
                gint64               cell)
{
  if (!self->updating)
    set_scope (self, cell >= 0 ? SCOPE_CELL : SCOPE_ALL, cell);
}

static void
on_reason_chosen (SondeExplainBrowser *self,
                  guint                reason)
{
  if (self->updating)
    return;
  set_scope (self, reason < SONDE_N_REASONS ? SCOPE_REASON : SCOPE_ALL, reason < SONDE_N_REASONS ? (gint64) reason : -1);
  sonde_explain_gallery_set_list (SONDE_EXPLAIN_GALLERY (self->gallery), reason < SONDE_N_REASONS);
}

static void
on_change_chosen (SondeExplainBrowser *self,
                  guint                change)
{
  if (!self->updating)
    set_scope (self, change < SONDE_N_EXPLAIN_CHANGES ? SCOPE_CHANGE : SCOPE_ALL,
               change < SONDE_N_EXPLAIN_CHANGES ? (gint64) change : -1);
}

static void
on_group_chosen (SondeExplainBrowser *self,
                 int                  group)
{
  self->group = group;
  fill_gallery (self);
  g_signal_emit (self, status_signal, 0);
}

static void
on_opened (SondeExplainBrowser *self,
           SondeExplainItem    *item)
{
  show_sample (self, item);
}

static void
on_shown_changed (SondeExplainBrowser *self)
{
  update_sample_bar (self);
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
  sonde_confusion_view_set_by_errors (SONDE_CONFUSION_VIEW (self->matrix),
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
on_back (GtkWidget  *widget,
         const char *action,
         GVariant   *parameter)
{
  sonde_explain_browser_back (SONDE_EXPLAIN_BROWSER (widget));
}

static void
on_step (GtkWidget  *widget,
         const char *action,
         GVariant   *parameter)
{
  sonde_explain_browser_step (SONDE_EXPLAIN_BROWSER (widget), g_variant_get_int32 (parameter));
}

static gboolean
on_back_key (GtkWidget *widget,
             GVariant  *arguments,
             gpointer   data)
{
  return sonde_explain_browser_back (SONDE_EXPLAIN_BROWSER (widget));
}

static gboolean
on_step_key (GtkWidget *widget,
             GVariant  *arguments,
             gpointer   data)
{
  return sonde_explain_browser_step (SONDE_EXPLAIN_BROWSER (widget), g_variant_get_int32 (arguments));
}

/* ---- what it holds ------------------------------------------------------------------------------ */

void
sonde_explain_browser_set_sample_view (SondeExplainBrowser *browser,
                                       GtkWidget           *view)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  adw_bin_set_child (ADW_BIN (browser->sample_bin), view);
}

void
sonde_explain_browser_set_pictures (SondeExplainBrowser  *browser,
                                    SondeExplainPictures *pictures)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  g_set_object (&browser->pictures, pictures);
  sonde_explain_gallery_set_pictures (SONDE_EXPLAIN_GALLERY (browser->gallery), pictures);
}

/* A cell goes by its classes: the table is another one. */
static gint64
find_again (const SondeExplainTable *old,
            const SondeExplainTable *table,
            gint64                   cell)
{
  guint row, column;

  if (old == NULL || old->n == 0 || cell < 0)
    return -1;
  row = GPOINTER_TO_UINT (g_hash_table_lookup (table->places, old->names[cell / old->n]));
  column = GPOINTER_TO_UINT (g_hash_table_lookup (table->places, old->names[cell % old->n]));
  if (row == 0 || column == 0)
    return -1;
  cell = (gint64) (row - 1) * table->n + (column - 1);
  return table->counts[cell] > 0 ? cell : -1;
}

/* The sample that is shown, among the new items. */
static void
keep_sample (SondeExplainBrowser *self)
{
  const SondeExplainFacts *facts;

  if (self->sample == NULL)
    return;
  facts = sonde_explain_item_get_facts (self->sample);
  for (guint i = 0; i < self->items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (self->items, i);

      if (g_strcmp0 (sonde_explain_item_get_facts (item)->name, facts->name) == 0)
        {
          g_set_object (&self->sample, item);
          update_sample_bar (self);
          return;
        }
    }
  show_sample (self, NULL);
}

void
sonde_explain_browser_set_items (SondeExplainBrowser *browser,
                                 GPtrArray           *items,
                                 char               **classes,
                                 guint                n_classes,
                                 const char          *noun)
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

      g_hash_table_insert (browser->by_sample, GUINT_TO_POINTER (sonde_explain_item_get_facts (item)->sample + 1), item);
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
                                   (const char *const *) browser->table->names, browser->table->n,
                                   browser->table->counts);
  /* A small matrix has its size; a large one wants what there is. */
  gtk_widget_set_vexpand (browser->matrix, browser->table->n > SMALL_MATRIX);
  sonde_explain_pairs_set_table (SONDE_EXPLAIN_PAIRS (browser->pairs), browser->table);
  browser->updating = FALSE;
  update_left (browser);
  update_clusters (browser);
  fill_gallery (browser);
  set_words (browser);
  keep_sample (browser);
  g_signal_emit (browser, status_signal, 0);
}

void
sonde_explain_browser_set_triage (SondeExplainBrowser *browser,
                                  GPtrArray           *clusters,
                                  GPtrArray           *notes)
{
  guint counts[SONDE_N_REASONS + 1] = { 0 };
  gboolean told = FALSE;

  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  g_clear_pointer (&browser->clusters, g_ptr_array_unref);
  browser->clusters = clusters != NULL ? g_ptr_array_ref (clusters) : NULL;
  for (guint i = 0; i < browser->items->len; i++)
    {
      SondeReason reason = sonde_explain_item_get_facts (g_ptr_array_index (browser->items, i))->reason;

      counts[reason]++;
      told = told || reason < SONDE_N_REASONS;
    }
  sonde_explain_reasons_set_counts (SONDE_EXPLAIN_REASONS (browser->reasons), told ? counts : NULL, notes);
  update_clusters (browser);
  if (browser->group >= 0)
    {
      browser->group = -1;
      fill_gallery (browser);
    }
  set_words (browser);
  g_signal_emit (browser, status_signal, 0);
}

void
sonde_explain_browser_set_no_reasons (SondeExplainBrowser *browser,
                                      const char          *sentence,
                                      const char          *button,
                                      const char          *action)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  sonde_explain_reasons_set_empty (SONDE_EXPLAIN_REASONS (browser->reasons), sentence, button, action);
}

void
sonde_explain_browser_set_models (SondeExplainBrowser *browser,
                                  const char          *first,
                                  const char          *second)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  browser->updating = TRUE;
  gtk_widget_set_visible (browser->models, second != NULL);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (browser->first_model), TRUE);
  browser->updating = FALSE;
  if (second == NULL)
    {
      sonde_explain_compare_clear (SONDE_EXPLAIN_COMPARE (browser->compare));
      if (browser->scope == SCOPE_CHANGE)
        set_scope (browser, SCOPE_ALL, -1);
      return;
    }
  gtk_widget_set_tooltip_text (browser->first_model, first);
  gtk_widget_set_tooltip_text (browser->second_model, second);
  sonde_explain_compare_set_items (SONDE_EXPLAIN_COMPARE (browser->compare), browser->items, first, second);
  sonde_explain_gallery_refresh (SONDE_EXPLAIN_GALLERY (browser->gallery));
}

void
sonde_explain_browser_set_recorded (SondeExplainBrowser *browser,
                                    gboolean             recorded)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  gtk_widget_set_visible (browser->switcher, !recorded);
  if (recorded)
    gtk_stack_set_visible_child_name (GTK_STACK (browser->sides), "matrix");
}

void
sonde_explain_browser_show_side (SondeExplainBrowser *browser,
                                 const char          *name)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser));
  gtk_stack_set_visible_child_name (GTK_STACK (browser->sides), name);
}

static gboolean
go_to_cell (SondeExplainBrowser *self,
            const char          *what)
{
  g_auto (GStrv) names = g_strsplit (what, ">", 2);
  guint row, column;

  if (g_strv_length (names) != 2)
    return FALSE;
  row = GPOINTER_TO_UINT (g_hash_table_lookup (self->table->places, g_strstrip (names[0])));
  column = GPOINTER_TO_UINT (g_hash_table_lookup (self->table->places, g_strstrip (names[1])));
  if (row == 0 || column == 0)
    return FALSE;
  set_scope (self, SCOPE_CELL, (gint64) (row - 1) * self->table->n + (column - 1));
  return TRUE;
}

/* By its name, and after "sample:" by its number too. (nullable) */
static SondeExplainItem *
find_item (SondeExplainBrowser *self,
           const char          *what)
{
  gboolean is_sample = g_str_has_prefix (what, SAMPLE);
  const char *name = is_sample ? what + strlen (SAMPLE) : what;
  SondeExplainItem *numbered = NULL;
  guint64 number;

  if (!is_sample || !g_ascii_string_to_unsigned (name, 10, 0, G_MAXUINT, &number, NULL))
    number = G_MAXUINT64;
  for (guint i = 0; i < self->items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (self->items, i);
      const SondeExplainFacts *facts = sonde_explain_item_get_facts (item);

      if (g_strcmp0 (facts->name, name) == 0 || g_strcmp0 (facts->name, what) == 0)
        return item;
      if (facts->sample == number)
        numbered = item;
    }
  return numbered;
}

gboolean
sonde_explain_browser_go_to (SondeExplainBrowser *browser,
                             const char          *what)
{
  SondeExplainItem *item;

  g_return_val_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser), FALSE);
  if (browser->table == NULL)
    return FALSE;
  for (guint i = 0; i < SONDE_N_REASONS; i++)
    if (g_str_equal (what, sonde_reason_name (i)))
      {
        sonde_explain_browser_show_side (browser, "reasons");
        on_reason_chosen (browser, i);
        return TRUE;
      }
  item = find_item (browser, what);
  if (item == NULL)
    return go_to_cell (browser, what);
  if (!in_scope (browser, item))
    set_scope (browser, SCOPE_CELL, sonde_explain_table_find (browser->table, item));
  show_sample (browser, item);
  return TRUE;
}

char *
sonde_explain_browser_dup_status (SondeExplainBrowser *browser)
{
  g_return_val_if_fail (SONDE_IS_EXPLAIN_BROWSER (browser), NULL);
  if (browser->items->len == 0)
    return NULL;
  return g_strdup_printf ("%u of %u %s",
                          sonde_explain_gallery_get_n_shown (SONDE_EXPLAIN_GALLERY (browser->gallery)),
                          browser->items->len, browser->noun);
}

/* ---- widget ------------------------------------------------------------------------------------- */

static GtkWidget *
make_toggle (const char *label,
             const char *tooltip,
             GtkWidget  *group)
{
  GtkWidget *button = gtk_toggle_button_new_with_label (label);

  gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (button), GTK_TOGGLE_BUTTON (group));
  gtk_widget_add_css_class (button, "small-toggle");
  gtk_widget_set_tooltip_text (button, tooltip);
  return button;
}

static GtkWidget *
make_matrix_side (SondeExplainBrowser *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *linked = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0), *space = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  GtkWidget *counts = make_toggle ("Counts", "How many samples", NULL), *scrolled = gtk_scrolled_window_new ();

  self->share = make_toggle ("Share", "Which part of the true class", counts);
  self->by_errors = make_toggle ("Largest First", "Classes with the most mistakes first", NULL);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (counts), TRUE);
  gtk_widget_add_css_class (linked, "linked");
  gtk_widget_set_hexpand (space, TRUE);
  gtk_box_append (GTK_BOX (linked), counts);
  gtk_box_append (GTK_BOX (linked), self->share);
  gtk_box_append (GTK_BOX (bar), linked);
  gtk_box_append (GTK_BOX (bar), space);
  gtk_box_append (GTK_BOX (bar), self->by_errors);
  self->matrix = sonde_confusion_view_new ();
  self->pairs = sonde_explain_pairs_new ();
  gtk_widget_set_vexpand (self->pairs, TRUE);
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (GTK_BOX (box), self->matrix);
  gtk_box_append (GTK_BOX (box), self->pairs);
  gtk_widget_add_css_class (box, "matrix-side");
  /* A low window still has room for all of it. */
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), box);
  return scrolled;
}

static GtkWidget *
make_left (SondeExplainBrowser *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);

  self->reasons = sonde_explain_reasons_new ();
  self->compare = sonde_explain_compare_new ();
  self->sides = gtk_stack_new ();
  gtk_stack_add_titled (GTK_STACK (self->sides), make_matrix_side (self), "matrix", "Matrix");
  gtk_stack_add_titled (GTK_STACK (self->sides), self->reasons, "reasons", "Reasons");
  gtk_stack_add_titled (GTK_STACK (self->sides), self->compare, "models", "Two Models");
  gtk_widget_set_vexpand (self->sides, TRUE);
  self->switcher = gtk_stack_switcher_new ();
  gtk_stack_switcher_set_stack (GTK_STACK_SWITCHER (self->switcher), GTK_STACK (self->sides));
  gtk_widget_add_css_class (self->switcher, "small-switcher");
  gtk_widget_add_css_class (self->switcher, "side-switcher");
  gtk_widget_set_halign (self->switcher, GTK_ALIGN_FILL);
  gtk_box_append (GTK_BOX (box), self->switcher);
  gtk_box_append (GTK_BOX (box), self->sides);
  gtk_widget_set_size_request (box, SIDE_WIDTH, -1);
  gtk_widget_set_hexpand (box, FALSE);
  return box;
}

static GtkWidget *
make_button (const char *icon,
             const char *label,
             const char *tooltip,
             const char *action,
             int         by)
{
  GtkWidget *button = gtk_button_new (), *content = adw_button_content_new ();

  if (label != NULL)
    {
      adw_button_content_set_icon_name (ADW_BUTTON_CONTENT (content), icon);
      adw_button_content_set_label (ADW_BUTTON_CONTENT (content), label);
      gtk_button_set_child (GTK_BUTTON (button), content);
    }
  else
    {
      g_object_ref_sink (content);
      g_object_unref (content);
      gtk_button_set_icon_name (GTK_BUTTON (button), icon);
    }
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip, -1);
  if (by != 0)
    gtk_actionable_set_action_target (GTK_ACTIONABLE (button), "i", by);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), action);
  return button;
}

static GtkWidget *
make_gallery_side (SondeExplainBrowser *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);

  self->to_left = make_button ("go-previous-symbolic", NULL, "Back to the matrix", "browser.back", 0);
  gtk_widget_set_valign (self->to_left, GTK_ALIGN_START);
  gtk_widget_set_margin_top (self->to_left, 6);
  gtk_widget_set_margin_start (self->to_left, 6);
  self->cell = sonde_explain_cell_new ();
  gtk_widget_set_hexpand (self->cell, TRUE);
  gtk_box_append (GTK_BOX (head), self->to_left);
  gtk_box_append (GTK_BOX (head), self->cell);
  self->gallery = sonde_explain_gallery_new ();
  gtk_widget_set_vexpand (self->gallery, TRUE);
  gtk_box_append (GTK_BOX (box), head);
  gtk_box_append (GTK_BOX (box), self->gallery);
  return box;
}

static GtkWidget *
make_sample_side (SondeExplainBrowser *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0), *space = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  self->sample_bar = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  self->sample_back = make_button ("go-previous-symbolic", "Pictures", "Back to the pictures (Escape)", "browser.back", 0);
  self->place = gtk_label_new (NULL);
  gtk_widget_add_css_class (self->place, "numeric");
  gtk_widget_add_css_class (self->place, "dim-label");
  self->previous = make_button ("go-up-symbolic", NULL, "Previous sample (←)", "browser.step", -1);
  self->next = make_button ("go-down-symbolic", NULL, "Next sample (→)", "browser.step", 1);
  self->first_model = make_toggle ("First Model", NULL, NULL);
  self->second_model = make_toggle ("Second Model", NULL, self->first_model);
  self->models = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class (self->models, "linked");
  gtk_widget_set_valign (self->models, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (self->models), self->first_model);
  gtk_box_append (GTK_BOX (self->models), self->second_model);
  gtk_widget_set_visible (self->models, FALSE);
  gtk_widget_set_hexpand (space, TRUE);
  gtk_box_append (GTK_BOX (self->sample_bar), self->sample_back);
  gtk_box_append (GTK_BOX (self->sample_bar), space);
  gtk_box_append (GTK_BOX (self->sample_bar), self->models);
  gtk_box_append (GTK_BOX (self->sample_bar), self->place);
  gtk_box_append (GTK_BOX (self->sample_bar), self->previous);
  gtk_box_append (GTK_BOX (self->sample_bar), self->next);
  gtk_widget_add_css_class (self->sample_bar, "gallery-bar");
  self->sample_bin = adw_bin_new ();
  gtk_widget_set_vexpand (self->sample_bin, TRUE);
  gtk_box_append (GTK_BOX (box), self->sample_bar);
  gtk_box_append (GTK_BOX (box), self->sample_bin);
  return box;
}

static void
connect_hands (SondeExplainBrowser *self)
{
  g_signal_connect_object (self->matrix, "notify::selection", G_CALLBACK (on_cell_selected), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->pairs, "chosen", G_CALLBACK (on_pair_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->reasons, "chosen", G_CALLBACK (on_reason_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->compare, "chosen", G_CALLBACK (on_change_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->cell, "group-chosen", G_CALLBACK (on_group_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->gallery, "opened", G_CALLBACK (on_opened), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->gallery, "shown-changed", G_CALLBACK (on_shown_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->share, "toggled", G_CALLBACK (on_share_toggled), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->by_errors, "toggled", G_CALLBACK (on_by_errors_toggled), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->second_model, "toggled", G_CALLBACK (on_model_toggled), self, G_CONNECT_SWAPPED);
}

static void
sonde_explain_browser_dispose (GObject *object)
{
  SondeExplainBrowser *self = SONDE_EXPLAIN_BROWSER (object);

  self->updating = TRUE;
  g_clear_object (&self->sample);
  g_clear_object (&self->pictures);
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
  shown_signal = g_signal_new ("sample-shown", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                               SONDE_TYPE_EXPLAIN_ITEM);
  status_signal = g_signal_new ("status-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  switched_signal = g_signal_new ("model-switched", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                  G_TYPE_BOOLEAN);
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
  self->left = make_left (self);
  self->detail = gtk_stack_new ();
  /* A sample may need more room than pictures do: then it has the window for itself until one goes back. */
  gtk_stack_set_hhomogeneous (GTK_STACK (self->detail), FALSE);
  gtk_stack_add_named (GTK_STACK (self->detail), make_gallery_side (self), "gallery");
  gtk_stack_add_named (GTK_STACK (self->detail), make_sample_side (self), "sample");
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
  set_words (self);
}

GtkWidget *
sonde_explain_browser_new (void)
{
  return g_object_new (SONDE_TYPE_EXPLAIN_BROWSER, NULL);
}
