/* SPDX-License-Identifier: Apache-2.0
 * What the writers of a Perfetto trace have said so far: each numbers its names as it goes, and its
 * later packets hold the numbers only. */
#pragma once

#include "data/traces/perfetto/sonde-perfetto-packet.h"

G_BEGIN_DECLS

/* The table of all writers. */
typedef struct _SondePerfettoSequences SondePerfettoSequences;

/**
 * SondePerfettoSequence:
 * @is_valid: whether nothing was lost since it last began anew
 * @texts: (nullable): number → text of the trace, in two kinds
 * @defaults: what holds where a packet does not say it
 */
typedef struct
{
  gboolean is_valid;
  GHashTable *texts[SONDE_PERFETTO_N_INTERNED];
  SondePerfettoDefaults defaults;
} SondePerfettoSequence;

SondePerfettoSequences *sonde_perfetto_sequences_new (void);
void sonde_perfetto_sequences_free (SondePerfettoSequences *sequences);

/* (transfer none): lives as long as @sequences */
SondePerfettoSequence *sonde_perfetto_sequences_get (SondePerfettoSequences *sequences, guint32 id);

/* Forgets everything; it is valid then. */
void sonde_perfetto_sequence_begin (SondePerfettoSequence *sequence);

void sonde_perfetto_sequence_intern (SondePerfettoSequence *sequence,
                                     SondePerfettoInternedKind kind, guint64 iid, guint32 text);

/* 0, the empty text, for a number that was never given. */
guint32 sonde_perfetto_sequence_get_text (const SondePerfettoSequence *sequence,
                                          SondePerfettoInternedKind kind, guint64 iid);

G_END_DECLS
