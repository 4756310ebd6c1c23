/* SPDX-License-Identifier: Apache-2.0
 * Stores past the cache. Whole cache lines at a time, where the processor can: they wait in its
 * store buffer, four times as many bytes as of 16, while the next loop computes. */
#include "engine/devices/cpu/movement/sonde-cpu-stream.h"

#include <string.h>

#define LINE 64

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* Elements before @y's next multiple of @bytes. */
static gint64
count_before (const float *y, gsize bytes, gint64 n)
{
  return MIN (n, (gint64) (-GPOINTER_TO_SIZE (y) % bytes / sizeof (float)));
}

static void
stream_quarters (gint64 n, const float *x, float *y)
{
  gint64 i = count_before (y, 16, n);

  memcpy (y, x, (gsize) i * sizeof (float));
  for (; i + 4 <= n; i += 4)
    _mm_stream_ps (y + i, _mm_loadu_ps (x + i));
  memcpy (y + i, x + i, (gsize) (n - i) * sizeof (float));
}

__attribute__ ((target ("avx512f"))) static void
stream_lines (gint64 n, const float *x, float *y)
{
  gint64 i = count_before (y, LINE, n);

  memcpy (y, x, (gsize) i * sizeof (float));
  for (; i + 16 <= n; i += 16)
    _mm512_stream_ps (y + i, _mm512_loadu_ps (x + i));
  memcpy (y + i, x + i, (gsize) (n - i) * sizeof (float));
}

void
sonde_cpu_stream (gint64 n, const float *x, float *y)
{
  (__builtin_cpu_supports ("avx512f") ? stream_lines : stream_quarters) (n, x, y);
}

void
sonde_cpu_settle_streams (void)
{
  _mm_sfence ();
}
#else
void
sonde_cpu_stream (gint64 n, const float *x, float *y)
{
  memcpy (y, x, (gsize) n * sizeof (float));
}

void
sonde_cpu_settle_streams (void)
{
}
#endif

/* Of several threads one would copy what lies in the cache of another. */
gboolean
sonde_cpu_stores (SondeDevice *device)
{
  return ((SondeCpuDevice *) device)->threads == 1;
}

void
sonde_cpu_store (SondeDevice *device, gsize bytes, const void *from, void *to)
{
  const gsize whole = bytes / sizeof (float) * sizeof (float);

  sonde_cpu_stream ((gint64) (bytes / sizeof (float)), from, to);
  sonde_cpu_settle_streams ();
  memcpy ((guint8 *) to + whole, (const guint8 *) from + whole, bytes - whole);
}
