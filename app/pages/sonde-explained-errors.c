/* SPDX-License-Identifier: Apache-2.0
 * The counts of the confusion matrix. */
#include "app/pages/sonde-explained-errors.h"

#include "app/pages/sonde-explained-sample.h"

/* One class while the table is made. */
typedef struct
{
  const char *name;
  int number;
  guint n_samples;
  guint index;
} Class;

static void
count_class (GHashTable *classes,
             const char *name,
             int         number)
{
  Class *class = g_hash_table_lookup (classes, name);

  if (class == NULL)
    {
      class = g_new0 (Class, 1);
      class->name = name;
      class->number = number;
      g_hash_table_insert (classes, (char *) name, class);
    }
  class->n_samples++;
}

static int
compare_by_samples (const void *a,
                    const void *b)
{
  const Class *x = *(Class *const *) a, *y = *(Class *const *) b;

  return (x->n_samples < y->n_samples) - (x->n_samples > y->n_samples);
}

static int
compare_by_number (const void *a,
                   const void *b)
{
  const Class *x = *(Class *const *) a, *y = *(Class *const *) b;

  return x->number != y->number ? (x->number > y->number) - (x->number < y->number) : g_strcmp0 (x->name, y->name);
}

static void
count_pairs (SondeExplainedErrors *self,
             GListModel           *samples,
             GHashTable           *classes)
{
  for (guint i = 0; i < g_list_model_get_n_items (samples); i++)
    {
      g_autoptr (SondeExplainedSample) sample = g_list_model_get_item (samples, i);
      const Class *label = g_hash_table_lookup (classes, sonde_explained_sample_get_label (sample));
      const Class *predicted = g_hash_table_lookup (classes, sonde_explained_sample_get_predicted (sample));

      if (label->index < self->n && predicted->index < self->n)
        self->counts[label->index * self->n + predicted->index]++;
    }
}

SondeExplainedErrors *
sonde_explained_errors_new (GListModel *samples)
{
  SondeExplainedErrors *self = g_new0 (SondeExplainedErrors, 1);
  g_autoptr (GHashTable) classes = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  g_autoptr (GPtrArray) sorted = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (samples); i++)
    {
      g_autoptr (SondeExplainedSample) sample = g_list_model_get_item (samples, i);

      count_class (classes, sonde_explained_sample_get_label (sample), sonde_explained_sample_get_label_class (sample));
      count_class (classes, sonde_explained_sample_get_predicted (sample),
                   sonde_explained_sample_get_predicted_class (sample));
    }
  sorted = g_ptr_array_new ();
  {
    GHashTableIter iter;
    gpointer class;

    g_hash_table_iter_init (&iter, classes);
    while (g_hash_table_iter_next (&iter, NULL, &class))
      {
        ((Class *) class)->index = G_MAXUINT;
        g_ptr_array_add (sorted, class);
      }
  }
  g_ptr_array_sort (sorted, compare_by_samples);
  if (sorted->len > SONDE_EXPLAINED_ERRORS_MAX_CLASSES)
    g_ptr_array_set_size (sorted, SONDE_EXPLAINED_ERRORS_MAX_CLASSES);
  g_ptr_array_sort (sorted, compare_by_number);
  self->n = sorted->len;
  self->names = g_new0 (char *, self->n + 1);
  self->counts = g_new0 (guint, MAX (self->n * self->n, 1));
  for (guint i = 0; i < self->n; i++)
    {
      Class *class = g_ptr_array_index (sorted, i);

      class->index = i;
      self->names[i] = g_strdup (class->name);
    }
  count_pairs (self, samples, classes);
  return self;
}

void
sonde_explained_errors_free (SondeExplainedErrors *errors)
{
  if (errors == NULL)
    return;
  g_strfreev (errors->names);
  g_free (errors->counts);
  g_free (errors);
}

char *
sonde_explained_errors_dup_pair (const SondeExplainedErrors *errors,
                                 guint                       cell)
{
  return g_strdup_printf ("%s → %s", errors->names[cell / errors->n], errors->names[cell % errors->n]);
}

int
sonde_explained_errors_find (const SondeExplainedErrors *errors,
                             const char                 *pair)
{
  for (guint i = 0; pair != NULL && i < errors->n * errors->n; i++)
    {
      g_autofree char *other = errors->counts[i] > 0 ? sonde_explained_errors_dup_pair (errors, i) : NULL;

      if (g_strcmp0 (other, pair) == 0)
        return (int) i;
    }
  return -1;
}
