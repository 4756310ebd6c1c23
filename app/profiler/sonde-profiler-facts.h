/* SPDX-License-Identifier: Apache-2.0
 * What was recorded, in words: by whom, on what, how much, and what this kind of trace cannot tell. */
#pragma once

#include "app/workspace/sonde-trace-document.h"

G_BEGIN_DECLS

/* @name: translated; both owned */
typedef struct
{
  char *name, *value;
} SondeRecordingFact;

void sonde_recording_fact_free (gpointer fact);

/* (transfer full) (element-type SondeRecordingFact) */
GPtrArray *sonde_recording_facts_list (SondeTraceDocument *document);

/* A sentence for each thing that the trace cannot tell. (transfer full) (element-type utf8) */
GPtrArray *sonde_recording_gaps_list (SondeTraceDocument *document);

G_END_DECLS
