/* SPDX-License-Identifier: Apache-2.0
 * The list of what cannot be read: samples, and folders without any. Threads that load add to
 * it. */
#include "data/datasets/sonde-dataset-faults.h"

#define MAX_MESSAGES 1000

struct _SondeFaults
{
  GMutex lock;
  GPtrArray *messages; /* of SondeMessage */
  GHashTable *samples; /* numbers + 1 as pointers */
  guint n;
};

SondeFaults *
sonde_faults_new (void)
{
  SondeFaults *faults = g_new0 (SondeFaults, 1);

  g_mutex_init (&faults->lock);
  faults->messages = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);
  faults->samples = g_hash_table_new (NULL, NULL);
  return faults;
}

void
sonde_faults_free (SondeFaults *faults)
{
  if (faults == NULL)
    return;
  g_mutex_clear (&faults->lock);
  g_ptr_array_unref (faults->messages);
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
sonde_faults_add (SondeFaults *faults, gint64 sample, SondeMessage *message)
{
  g_mutex_lock (&faults->lock);
  if (sample < 0 || g_hash_table_add (faults->samples, GSIZE_TO_POINTER ((gsize) sample + 1)))
    {
      faults->n++;
      if (faults->messages->len < MAX_MESSAGES)
        g_ptr_array_add (faults->messages, g_steal_pointer (&message));
    }
  g_mutex_unlock (&faults->lock);
  sonde_message_free (message);
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

SondeMessage *
sonde_faults_dup (SondeFaults *faults, guint index)
{
  SondeMessage *message = NULL;

  g_mutex_lock (&faults->lock);
  if (index < faults->messages->len)
    message = sonde_message_copy (g_ptr_array_index (faults->messages, index));
  g_mutex_unlock (&faults->lock);
  return message;
}
