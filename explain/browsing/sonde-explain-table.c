/* SPDX-License-Identifier: Apache-2.0
 * Classes are told apart by name: records of other programs may have no numbers. */
#include "explain/browsing/sonde-explain-table.h"

#define FEW 24 /* classes that are all shown, also those without samples */

typedef struct
{
  const char *name;
  gint64 number;
  guint errors;
} Class;

static Class *
note_class (GHashTable *classes, const char *name, gint64 number)
{
  Class *class = g_hash_table_lookup (classes, name);

  if (class == NULL)
    {
      class = g_new0 (Class, 1);
      class->name = name;
      class->number = number;
      g_hash_table_insert (classes, (char *) name, class);
    }
  return class;
}

static int
compare_errors (gconstpointer a, gconstpointer b)
{
  const Class *x = *(Class *const *) a, *y = *(Class *const *) b;

  return x->errors != y->errors ? (x->errors < y->errors ? 1 : -1)
                                : (x->number > y->number) - (x->number < y->number);
}

static int
compare_numbers (gconstpointer a, gconstpointer b)
{
  const Class *x = *(Class *const *) a, *y = *(Class *const *) b;

  return x->number != y->number ? (x->number > y->number) - (x->number < y->number)
                                : g_strcmp0 (x->name, y->name);
}

/* A sample without a label has no row, but its answer may be a class that nothing else has. */
static void
note_classes (SondeExplainTable *self, GPtrArray *items, GHashTable *classes)
{
  for (guint i = 0; i < items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (items, i);
      const SondeSampleResult *result = sonde_explain_item_get_result (item);
      gboolean labelled = result->label >= 0 || sonde_explain_item_get_recorded (item) != NULL;
      Class *label, *predicted;

      if (!labelled)
        continue;
      self->n_labelled++;
      label = note_class (classes, sonde_explain_item_get_label_name (item), result->label);
      predicted
          = note_class (classes, sonde_explain_item_get_predicted_name (item), result->predicted);
      if (sonde_explain_item_is_error (item))
        {
          self->n_errors++;
          label->errors++;
          predicted->errors++;
        }
    }
}

/* By place among the classes shown. */
static SondeConfusion *
count (SondeExplainTable *self, GPtrArray *items)
{
  g_autofree gint64 *rows = g_new (gint64, MAX (items->len, 1)),
                    *columns = g_new (gint64, MAX (items->len, 1));

  for (guint i = 0; i < items->len; i++)
    {
      gint64 cell = sonde_explain_table_find (self, g_ptr_array_index (items, i));

      rows[i] = cell >= 0 ? cell / self->n : -1;
      columns[i] = cell >= 0 ? cell % self->n : -1;
    }
  return sonde_confusion_new (rows, columns, items->len, self->n);
}

SondeExplainTable *
sonde_explain_table_new (GPtrArray *items, char **classes, guint n_classes, guint max)
{
  SondeExplainTable *self = g_new0 (SondeExplainTable, 1);
  g_autoptr (GHashTable) noted = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer class;

  self->n_samples = items->len;
  for (guint i = 0; classes != NULL && n_classes <= FEW && i < n_classes; i++)
    note_class (noted, classes[i], i);
  note_classes (self, items, noted);
  g_hash_table_iter_init (&iter, noted);
  while (g_hash_table_iter_next (&iter, NULL, &class))
    g_ptr_array_add (sorted, class);
  g_ptr_array_sort (sorted, compare_errors);
  if (sorted->len > max)
    g_ptr_array_set_size (sorted, (int) max);
  g_ptr_array_sort (sorted, compare_numbers);
  self->n = self->n_labelled > 0 ? sorted->len : 0;
  self->names = g_new0 (char *, self->n + 1);
  self->places = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint i = 0; i < self->n; i++)
    {
      self->names[i] = g_strdup (((Class *) g_ptr_array_index (sorted, i))->name);
      g_hash_table_insert (self->places, self->names[i], GUINT_TO_POINTER (i + 1));
    }
  self->counts = count (self, items);
  return self;
}

void
sonde_explain_table_free (SondeExplainTable *table)
{
  if (table == NULL)
    return;
  g_hash_table_unref (table->places);
  g_strfreev (table->names);
  sonde_confusion_free (table->counts);
  g_free (table);
}

gint64
sonde_explain_table_find (const SondeExplainTable *table, SondeExplainItem *item)
{
  const SondeSampleResult *result = sonde_explain_item_get_result (item);
  guint row = GPOINTER_TO_UINT (
      g_hash_table_lookup (table->places, sonde_explain_item_get_label_name (item)));
  guint column = GPOINTER_TO_UINT (
      g_hash_table_lookup (table->places, sonde_explain_item_get_predicted_name (item)));

  if (row == 0 || column == 0
      || (result->label < 0 && sonde_explain_item_get_recorded (item) == NULL))
    return -1;
  return (gint64) (row - 1) * table->n + (column - 1);
}
