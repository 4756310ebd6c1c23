/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/perfetto/sonde-perfetto-sequences.h"

/* @last: what was asked for last, of @last_id */
struct _SondePerfettoSequences
{
  GHashTable *sequences; /* id → SondePerfettoSequence */
  SondePerfettoSequence *last;
  guint32 last_id;
};

static void
forget_texts (SondePerfettoSequence *sequence)
{
  for (guint i = 0; i < SONDE_PERFETTO_N_INTERNED; i++)
    g_clear_pointer (&sequence->texts[i], g_hash_table_unref);
}

static void
free_sequence (gpointer sequence)
{
  forget_texts (sequence);
  g_free (sequence);
}

SondePerfettoSequences *
sonde_perfetto_sequences_new (void)
{
  SondePerfettoSequences *sequences = g_new0 (SondePerfettoSequences, 1);

  sequences->sequences = g_hash_table_new_full (NULL, NULL, NULL, free_sequence);
  return sequences;
}

void
sonde_perfetto_sequences_free (SondePerfettoSequences *sequences)
{
  g_hash_table_unref (sequences->sequences);
  g_free (sequences);
}

SondePerfettoSequence *
sonde_perfetto_sequences_get (SondePerfettoSequences *sequences, guint32 id)
{
  if (sequences->last != NULL && sequences->last_id == id)
    return sequences->last;
  sequences->last_id = id;
  sequences->last = g_hash_table_lookup (sequences->sequences, GUINT_TO_POINTER (id));
  if (sequences->last == NULL)
    {
      sequences->last = g_new0 (SondePerfettoSequence, 1);
      g_hash_table_insert (sequences->sequences, GUINT_TO_POINTER (id), sequences->last);
    }
  return sequences->last;
}

void
sonde_perfetto_sequence_begin (SondePerfettoSequence *sequence)
{
  forget_texts (sequence);
  sequence->defaults = (SondePerfettoDefaults){ 0 };
  sequence->is_valid = TRUE;
}

void
sonde_perfetto_sequence_intern (SondePerfettoSequence *sequence, SondePerfettoInternedKind kind,
                                guint64 iid, guint32 text)
{
  if (sequence->texts[kind] == NULL)
    sequence->texts[kind] = g_hash_table_new (sonde_perfetto_hash, NULL);
  g_hash_table_insert (sequence->texts[kind], GSIZE_TO_POINTER (iid), GUINT_TO_POINTER (text));
}

guint32
sonde_perfetto_sequence_get_text (const SondePerfettoSequence *sequence,
                                  SondePerfettoInternedKind kind, guint64 iid)
{
  if (sequence->texts[kind] == NULL)
    return 0;
  return GPOINTER_TO_UINT (g_hash_table_lookup (sequence->texts[kind], GSIZE_TO_POINTER (iid)));
}
