/* SPDX-License-Identifier: Apache-2.0
 * Cells go by the names of their classes: a new table may count other classes. */
#include "explain/browsing/sonde-sample-selection.h"

#include <string.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/values/sonde-wilson.h"
#include "explain/browsing/sonde-model-change.h"

#define SAMPLE "sample:" /* before a name or a number */

SondeSampleSelection *
sonde_sample_selection_new (guint max_classes)
{
  SondeSampleSelection *self = g_new0 (SondeSampleSelection, 1);

  self->items = g_ptr_array_new_with_free_func (g_object_unref);
  self->by_sample = g_hash_table_new (NULL, NULL);
  self->max_classes = max_classes;
  self->table = sonde_explain_table_new (self->items, NULL, 0, max_classes);
  self->chosen = -1;
  self->group = -1;
  return self;
}

void
sonde_sample_selection_free (SondeSampleSelection *selection)
{
  if (selection == NULL)
    return;
  g_hash_table_unref (selection->by_sample);
  g_ptr_array_unref (selection->items);
  g_clear_pointer (&selection->clusters, g_ptr_array_unref);
  sonde_explain_table_free (selection->table);
  g_free (selection);
}

/* ---- content --------------------------------------------------------------- */

static gint64
cell_of (const SondeExplainTable *table, const char *truth, const char *predicted)
{
  guint row = GPOINTER_TO_UINT (g_hash_table_lookup (table->places, truth));
  guint column = GPOINTER_TO_UINT (g_hash_table_lookup (table->places, predicted));

  return row > 0 && column > 0 ? (gint64) (row - 1) * table->n + (column - 1) : -1;
}

/* The cell of the same classes, where it counts something. */
static gint64
find_again (const SondeExplainTable *old, const SondeExplainTable *table, gint64 cell)
{
  if (old->n == 0 || cell < 0)
    return -1;
  cell = cell_of (table, old->names[cell / old->n], old->names[cell % old->n]);
  return cell >= 0 && table->counts->counts[cell] > 0 ? cell : -1;
}

void
sonde_sample_selection_set_items (SondeSampleSelection *selection, GPtrArray *items, char **classes,
                                  guint n_classes)
{
  SondeExplainTable *old = selection->table;

  g_ptr_array_ref (items);
  g_ptr_array_unref (selection->items);
  selection->items = items;
  g_hash_table_remove_all (selection->by_sample);
  for (guint i = 0; i < items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (items, i);

      g_hash_table_insert (selection->by_sample,
                           GUINT_TO_POINTER (sonde_explain_item_get_result (item)->sample + 1),
                           item);
    }
  selection->table = sonde_explain_table_new (items, classes, n_classes, selection->max_classes);
  if (selection->scope == SONDE_SCOPE_CELL)
    {
      selection->chosen = find_again (old, selection->table, selection->chosen);
      if (selection->chosen < 0)
        selection->scope = SONDE_SCOPE_ALL;
    }
  sonde_explain_table_free (old);
}

void
sonde_sample_selection_set_clusters (SondeSampleSelection *selection, GPtrArray *clusters)
{
  g_clear_pointer (&selection->clusters, g_ptr_array_unref);
  selection->clusters = clusters != NULL ? g_ptr_array_ref (clusters) : NULL;
  selection->group = -1;
}

void
sonde_sample_selection_choose (SondeSampleSelection *selection, SondeScope scope, gint64 chosen)
{
  selection->scope = scope;
  selection->chosen = scope == SONDE_SCOPE_ALL ? -1 : chosen;
  selection->group = -1;
}

/* ---- what belongs to it ---------------------------------------------------- */

static gboolean
group_has (const SondeSampleSelection *self, guint sample)
{
  g_autoptr (GPtrArray) clusters = sonde_sample_selection_list_clusters (self, NULL);
  const SondeErrorCluster *cluster = (guint) self->group < clusters->len
                                         ? g_ptr_array_index (clusters, (guint) self->group)
                                         : NULL;

  for (guint i = 0; cluster != NULL && i < cluster->members->len; i++)
    if (g_array_index (cluster->members, guint, i) == sample)
      return TRUE;
  return FALSE;
}

gboolean
sonde_sample_selection_has (const SondeSampleSelection *selection, SondeExplainItem *item)
{
  const SondeSampleResult *result = sonde_explain_item_get_result (item);

  switch (selection->scope)
    {
    case SONDE_SCOPE_CELL:
      return sonde_explain_table_find (selection->table, item) == selection->chosen
             && (selection->group < 0 || group_has (selection, result->sample));
    case SONDE_SCOPE_CATEGORY:
      return result->category == (SondeErrorCategory) selection->chosen;
    case SONDE_SCOPE_CHANGE:
      return sonde_explain_change_of (item) == (SondeExplainChange) selection->chosen;
    default:
      /* Without misclassifications, or without labels, all there is. */
      return selection->table->n_errors == 0 || sonde_explain_item_is_error (item);
    }
}

GPtrArray *
sonde_sample_selection_list (const SondeSampleSelection *selection)
{
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = 0; i < selection->items->len; i++)
    if (sonde_sample_selection_has (selection, g_ptr_array_index (selection->items, i)))
      g_ptr_array_add (list, g_ptr_array_index (selection->items, i));
  return list;
}

GPtrArray *
sonde_sample_selection_list_clusters (const SondeSampleSelection *selection, GPtrArray **medoids)
{
  GPtrArray *list = g_ptr_array_new ();
  guint n = selection->clusters != NULL && selection->scope == SONDE_SCOPE_CELL
                ? selection->clusters->len
                : 0;

  if (medoids != NULL)
    *medoids = g_ptr_array_new ();
  for (guint i = 0; i < n; i++)
    {
      SondeErrorCluster *cluster = g_ptr_array_index (selection->clusters, i);
      SondeExplainItem *medoid
          = g_hash_table_lookup (selection->by_sample, GUINT_TO_POINTER (cluster->medoid + 1));

      if (medoid == NULL
          || sonde_explain_table_find (selection->table, medoid) != selection->chosen)
        continue;
      g_ptr_array_add (list, cluster);
      if (medoids != NULL)
        g_ptr_array_add (*medoids, medoid);
    }
  return list;
}

/* ---- words ----------------------------------------------------------------- */

static const char *
title_of_all (const SondeExplainTable *table)
{
  if (table->n_samples == 0)
    return _ ("No samples yet");
  if (table->n_labelled == 0)
    return _ ("All samples");
  return table->n_errors > 0 ? _ ("All misclassifications") : _ ("No misclassifications");
}

char *
sonde_sample_selection_dup_title (const SondeSampleSelection *selection)
{
  static const char *const changes[]
      = { N_ ("Fixed by the second model"), N_ ("New errors of the second model"),
          N_ ("Misclassified by both models") };
  const SondeExplainTable *table = selection->table;
  guint truth, predicted;

  switch (selection->scope)
    {
    case SONDE_SCOPE_CELL:
      truth = (guint) (selection->chosen / table->n);
      predicted = (guint) (selection->chosen % table->n);
      if (truth == predicted)
        return g_strdup_printf (_ ("“%s” classified correctly"), table->names[truth]);
      return g_strdup_printf (_ ("“%s” classified as “%s”"), table->names[truth],
                              table->names[predicted]);
    case SONDE_SCOPE_CATEGORY:
      return g_strdup (_ (sonde_error_category_get_title ((SondeErrorCategory) selection->chosen)));
    case SONDE_SCOPE_CHANGE:
      return g_strdup (_ (changes[selection->chosen]));
    default:
      return g_strdup (title_of_all (table));
    }
}

static char *
sentence_of_all (const SondeSampleSelection *self)
{
  const SondeExplainTable *table = self->table;
  g_autofree char *errors = NULL, *all = NULL;
  double low, high;

  if (table->n_samples == 0)
    return g_strdup ("");
  if (table->n_labelled == 0)
    return g_strdup_printf (
        P_ ("%u sample without a label, so it cannot be told whether it is misclassified.",
            "%u samples without labels, so misclassifications cannot be identified.",
            table->n_samples),
        table->n_samples);
  if (table->n_errors == table->n_labelled && self->recorded)
    return g_strdup_printf (
        P_ ("%u explained sample. Select a matrix cell to see one kind of error.",
            "%u explained samples. Select a matrix cell to see one kind of error.",
            table->n_samples),
        table->n_samples);
  sonde_wilson_interval (table->n_errors, table->n_labelled, &low, &high);
  errors = sonde_format_count (table->n_errors);
  all = sonde_format_count (table->n_labelled);
  return g_strdup_printf (_ ("Misclassified: %s of %s, %.1f %% (95 %% interval %.1f … %.1f %%)."),
                          errors, all, 100.0 * table->n_errors / table->n_labelled, 100 * low,
                          100 * high);
}

static char *
sentence_of_cell (const SondeSampleSelection *self)
{
  const SondeExplainTable *table = self->table;
  guint truth = (guint) (self->chosen / table->n), count = table->counts->counts[self->chosen],
        total = table->counts->row_totals[truth];
  g_autofree char *some = NULL, *all = NULL;
  double low, high;

  /* Of misclassifications alone no share of the class can be told. */
  if (table->n_errors == table->n_labelled)
    return self->recorded ? g_strdup_printf (
               P_ ("%u explained sample.", "%u explained samples.", count), count)
                          : g_strdup_printf (P_ ("%u sample.", "%u samples.", count), count);
  sonde_wilson_interval (count, total, &low, &high);
  some = sonde_format_count (count);
  all = sonde_format_count (total);
  return g_strdup_printf (_ ("%s of %s samples of “%s”, %.1f %% (95 %% interval %.1f … %.1f %%)."),
                          some, all, table->names[truth], 100.0 * count / MAX (total, 1), 100 * low,
                          100 * high);
}

char *
sonde_sample_selection_dup_sentence (const SondeSampleSelection *selection, guint n)
{
  guint errors = selection->table->n_errors;
  g_autofree char *some = NULL, *all = NULL;
  double low, high;

  if (selection->scope == SONDE_SCOPE_ALL)
    return sentence_of_all (selection);
  if (selection->scope == SONDE_SCOPE_CELL)
    return sentence_of_cell (selection);
  if (selection->scope == SONDE_SCOPE_CHANGE || errors == 0)
    return g_strdup_printf (P_ ("%u sample.", "%u samples.", n), n);
  sonde_wilson_interval (n, errors, &low, &high);
  some = sonde_format_count (n);
  all = sonde_format_count (errors);
  return g_strdup_printf (
      _ ("%s of %s misclassifications, %.1f %% (95 %% interval %.1f … %.1f %%)."), some, all,
      100.0 * n / errors, 100 * low, 100 * high);
}

/* ---- finding --------------------------------------------------------------- */

SondeExplainItem *
sonde_sample_selection_find (const SondeSampleSelection *selection, const char *what)
{
  gboolean is_sample = g_str_has_prefix (what, SAMPLE);
  const char *name = is_sample ? what + strlen (SAMPLE) : what;
  guint64 number;

  for (guint i = 0; i < selection->items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (selection->items, i);
      const SondeSampleResult *result = sonde_explain_item_get_result (item);

      if (g_strcmp0 (result->name, name) == 0 || g_strcmp0 (result->name, what) == 0)
        return item;
    }
  /* Data that are a part of others have other numbers: by the place. */
  if (!is_sample || !g_ascii_string_to_unsigned (name, 10, 0, G_MAXUINT, &number, NULL)
      || number >= selection->items->len)
    return NULL;
  return g_ptr_array_index (selection->items, (guint) number);
}

gint64
sonde_sample_selection_find_cell (const SondeSampleSelection *selection, const char *what)
{
  g_auto (GStrv) names = g_strsplit (what, ">", 2);

  if (g_strv_length (names) != 2)
    return -1;
  return cell_of (selection->table, g_strstrip (names[0]), g_strstrip (names[1]));
}
