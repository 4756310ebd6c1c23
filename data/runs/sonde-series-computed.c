/* SPDX-License-Identifier: Apache-2.0
 * Points that nobody recorded, as a series: a track of blocks that are only in memory. */
#include "data/runs/sonde-run-private.h"

struct _SondeSeriesMemory
{
  SondeRunCache cache;
  SondeRunTrack *track;
};

/* Nothing of it is anywhere else: these are never called. */
static SondeColumns *
load_columns (gpointer owner, gint64 id, guint n)
{
  return NULL;
}

static gboolean
load_units (gpointer owner, gint64 id, SondeBucket *units, guint n)
{
  return FALSE;
}

static void
lost (gpointer owner)
{
}

static const SondeRunBlockSource source
    = { .load_columns = load_columns, .load_units = load_units, .lost = lost };

static SondeRunBlock *
make_block (guint number, const SondePoint *points, guint n)
{
  SondeColumns *columns = sonde_columns_new (n);
  SondeBlockSummary summary = { 0 };

  for (guint i = 0; i < n; i++)
    {
      columns->steps[i] = points[i].step;
      columns->walls[i] = points[i].wall_time_ns;
      columns->values[i] = points[i].value;
      columns->sessions[i] = points[i].session;
    }
  sonde_block_summary_add_points (&summary, columns, 0, n);
  if (n == SONDE_BLOCK_POINTS)
    sonde_columns_compute_units (columns);
  return sonde_run_block_new (number, n, columns, &summary, 0, 0);
}

SondeSeriesMemory *
sonde_series_memory_new (const SondePoint *points, gsize n)
{
  SondeSeriesMemory *memory = g_new0 (SondeSeriesMemory, 1);
  g_autoptr (GRefString) order = g_ref_string_new_intern ("");
  guint number = 0;

  sonde_run_cache_init (&memory->cache, SONDE_RUN_CACHE_BYTES);
  memory->track
      = sonde_run_track_new (g_intern_static_string ("computed"), &memory->cache, &source, memory);
  for (gsize i = 0; i < n; i += SONDE_BLOCK_POINTS)
    {
      g_autoptr (SondeRunBlock) block
          = make_block (number++, points + i, (guint) MIN (n - i, SONDE_BLOCK_POINTS));

      sonde_run_track_put_block (memory->track, 0, order, block);
    }
  return memory;
}

SondeRunTrack *
sonde_series_memory_get_track (SondeSeriesMemory *memory)
{
  return memory->track;
}

void
sonde_series_memory_free (SondeSeriesMemory *memory)
{
  if (memory == NULL)
    return;
  sonde_run_track_free (memory->track);
  g_free (memory);
}
