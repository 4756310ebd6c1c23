/* SPDX-License-Identifier: Apache-2.0
 * The list of what cannot be read: samples, and folders without any. Threads that load add to
 * it. */
#include "data/datasets/sonde-dataset-faults.h"

#define MAX_TEXTS 1000

struct _SondeFaults
{
  GMutex lock;
  GPtrArray *texts;    /* owned strings */
  GHashTable *samples; /* numbers + 1 as pointers */
  guint n;
};

SondeFaults *
sonde_faults_new (void)
{
  SondeFaults *faults = g_new0 (SondeFaults, 1);

  g_mutex_init (&faults->lock);
  faults->texts = g_ptr_array_new_with_free_func (g_free);
  faults->samples = g_hash_table_new (NULL, NULL);
  return faults;
}

void
sonde_faults_free (SondeFaults *faults)
{
  if (faults == NULL)
    return;
  g_mutex_clear (&faults->lock);
  g_ptr_array_unref (faults->texts);
  g_hash_table_unref (faults->samples);
  g_free (faults);
}

guint
sonde_faults_get_n (SondeFaults *faults)
{
  guint n;

  g_mutex_lock (&faults->lock);
  n = faults->n;
  g_mutex_unlock (&faults->lock);
  return n;
}

guint
sonde_faults_get_n_samples (SondeFaults *faults)
{
  guint n;

  g_mutex_lock (&faults->lock);
  n = g_hash_table_size (faults->samples);
  g_mutex_unlock (&faults->lock);
  return n;
}

void
sonde_faults_add (SondeFaults *faults, gint64 sample, const char *text)
{
  g_mutex_lock (&faults->lock);
  if (sample < 0 || g_hash_table_add (faults->samples, GSIZE_TO_POINTER ((gsize) sample + 1)))
    {
      faults->n++;
      if (faults->texts->len < MAX_TEXTS)
        g_ptr_array_add (faults->texts, g_strdup (text));
    }
  g_mutex_unlock (&faults->lock);
}

gboolean
sonde_faults_contain (SondeFaults *faults, guint sample)
{
  gboolean contained;

  g_mutex_lock (&faults->lock);
  contained = g_hash_table_contains (faults->samples, GSIZE_TO_POINTER ((gsize) sample + 1));
  g_mutex_unlock (&faults->lock);
  return contained;
}

char *
sonde_faults_dup (SondeFaults *faults, guint index)
{
  char *text = NULL;

  g_mutex_lock (&faults->lock);
  if (index < faults->texts->len)
    text = g_strdup (g_ptr_array_index (faults->texts, index));
  g_mutex_unlock (&faults->lock);
  return text;
}
