/* SPDX-License-Identifier: Apache-2.0
 * One event of a Chrome trace between its keys (sonde-trace-chrome.c) and what they mean together
 * (sonde-trace-chrome-event.c). */
#pragma once

#include "data/json/sonde-json-scanner.h"
#include "data/traces/sonde-trace-builder.h"
#include "data/traces/sonde-trace-decimal.h"

G_BEGIN_DECLS

/**
 * SondeChromeEvent:
 * @phase: 0 when it is missing or is not one character
 * @name, @category, @pid, @tid, @id, @local_id, @bind_id: texts; SONDE_TRACE_NONE where missing
 * @has_name: whether there is a text as name
 * @time, @duration: only when @has_time, @has_duration
 * @args: (nullable): the bytes of "args", when there are any and they are not too long
 */
typedef struct
{
  guint64 place;
  guint32 phase; /* the text of it */
  char phase_letter;
  guint32 name, category, pid, tid, id, local_id, bind_id;
  gboolean has_time, has_duration, has_name;
  SondeTraceDecimal time, duration;
  gboolean flow_in, flow_out, binds_enclosing;
  const char *args;
  gsize n_args;
} SondeChromeEvent;

/**
 * SondeChromeReader:
 * @args: a scanner for arguments
 * @is_object: whether the file is an object with "traceEvents", not an array of events
 * @known_producer: whether something has told who wrote it
 */
typedef struct
{
  SondeTraceBuilder *builder;
  SondeJsonScanner *scanner, *args;
  gboolean is_object, known_producer;
  guint n_looked_at; /* events whose arguments were searched for the producer */
} SondeChromeReader;

void sonde_chrome_reader_set_producer (SondeChromeReader *reader, const char *producer);

/* Operations and bytes of what PyTorch ran, from its arguments (sonde-trace-chrome-inputs.c); 0: they do not tell. */
void sonde_chrome_event_count_cost (SondeChromeReader *reader, const SondeChromeEvent *event,
                                    double *flops, double *bytes);

/* Adds what an event says to the builder. */
void sonde_chrome_event_apply (SondeChromeReader *reader, const SondeChromeEvent *event);

G_END_DECLS
