/* SPDX-License-Identifier: Apache-2.0
 * A trace out of bytes at hand. */
#pragma once

#include "data/base/sonde-error.h"
#include "data/traces/sonde-trace-file.h"
#include "tests/data/records/memory-io.h"

/* @max_bytes: what one read gives at most */
static inline SondeTrace *
read_trace (const void *bytes, gsize n, gsize max_bytes, GError **error)
{
  MemoryIo memory;

  memory_io_init (&memory, bytes, n, max_bytes);
  return sonde_trace_file_read (&memory.io, "test", error);
}

/* Of a right trace, in reads of many sizes: how the bytes come changes nothing. */
static inline SondeTrace *
read_text (const char *text)
{
  g_autoptr (GError) error = NULL;
  SondeTrace *trace = read_trace (text, strlen (text), 1 << 20, &error);

  g_assert_no_error (error);
  for (gsize n = 1; n < 64; n += 7)
    {
      g_autoptr (SondeTrace) other = read_trace (text, strlen (text), n, &error);

      g_assert_no_error (error);
      g_assert_cmpint (other->n_events, ==, trace->n_events);
      g_assert_cmpint (other->n_samples, ==, trace->n_samples);
      g_assert_cmpint (other->n_spans, ==, trace->n_spans);
    }
  return trace;
}
