/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/perfetto/sonde-perfetto-clocks.h"

#include "data/base/sonde-checked.h"

#define FIRST_OF_SEQUENCE 64
#define FIRST_OF_ALL 128
#define SNAPSHOTS_MAX 65536 /* of one clock; older ones are forgotten */

/* What a clock showed when the clock since boot showed @boot_ns. */
typedef struct
{
  gint64 own_ns, boot_ns;
} Snapshot;

/* @last_ns: the last time of an incremental clock
 * @snapshots: Snapshot, by own time; of an incremental clock the last alone */
typedef struct
{
  gint64 multiplier, last_ns;
  gboolean is_incremental;
  GArray *snapshots;
} Clock;

struct _SondePerfettoClocks
{
  GHashTable *clocks; /* guint64: sequence and id → Clock */
};

static void
free_clock (gpointer data)
{
  Clock *clock = data;

  g_array_unref (clock->snapshots);
  g_free (clock);
}

SondePerfettoClocks *
sonde_perfetto_clocks_new (void)
{
  SondePerfettoClocks *clocks = g_new0 (SondePerfettoClocks, 1);

  clocks->clocks = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, free_clock);
  return clocks;
}

void
sonde_perfetto_clocks_free (SondePerfettoClocks *clocks)
{
  g_hash_table_unref (clocks->clocks);
  g_free (clocks);
}

static guint64
make_key (guint32 sequence, guint32 id)
{
  return (guint64) (id >= FIRST_OF_SEQUENCE ? sequence : 0) << 32 | id;
}

static Clock *
find_clock (SondePerfettoClocks *clocks, guint32 sequence, guint32 id)
{
  guint64 own = make_key (sequence, id), of_all = id;
  Clock *clock = g_hash_table_lookup (clocks->clocks, &own);

  if (clock == NULL && id >= FIRST_OF_ALL)
    clock = g_hash_table_lookup (clocks->clocks, &of_all);
  return clock;
}

/* ---- snapshots ----------------------------------------------------------- */

static gboolean
get_own_ns (const SondePerfettoClockInfo *info, gint64 *ns)
{
  return info->time <= G_MAXINT64 && info->multiplier <= G_MAXINT64
         && sonde_checked_mul (ns, (gint64) info->time, (gint64) info->multiplier);
}

static gboolean
to_boot (const Clock *clock, gint64 own_ns, gint64 *ns)
{
  const GArray *snapshots = clock->snapshots;
  const Snapshot *snapshot;
  guint low = 0, high = snapshots->len;
  gint64 passed;

  if (snapshots->len == 0)
    return FALSE;
  /* the last one that is not later, or else the first */
  while (low + 1 < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (snapshots, Snapshot, middle).own_ns <= own_ns)
        low = middle;
      else
        high = middle;
    }
  snapshot = &g_array_index (snapshots, Snapshot, low);
  return sonde_checked_sub (&passed, own_ns, snapshot->own_ns)
         && sonde_checked_add (ns, snapshot->boot_ns, passed);
}

/* The clock since boot at the moment of a snapshot that may not name it itself. */
static gboolean
find_boot_ns (SondePerfettoClocks *clocks, guint32 sequence, const GArray *infos, gint64 *ns)
{
  gint64 own_ns;

  for (guint i = 0; i < infos->len; i++)
    {
      const SondePerfettoClockInfo *info = &g_array_index (infos, SondePerfettoClockInfo, i);

      if (info->id == SONDE_PERFETTO_BOOT_CLOCK)
        return get_own_ns (info, ns);
    }
  for (guint i = 0; i < infos->len; i++)
    {
      const SondePerfettoClockInfo *info = &g_array_index (infos, SondePerfettoClockInfo, i);
      const Clock *clock = find_clock (clocks, sequence, info->id);

      if (clock != NULL && get_own_ns (info, &own_ns) && to_boot (clock, own_ns, ns))
        return TRUE;
    }
  return FALSE;
}

static void
add_snapshot (SondePerfettoClocks *clocks, guint64 key, const SondePerfettoClockInfo *info,
              Snapshot snapshot)
{
  Clock *clock = g_hash_table_lookup (clocks->clocks, &key);
  GArray *snapshots;

  if (clock == NULL)
    {
      clock = g_new0 (Clock, 1);
      clock->snapshots = g_array_new (FALSE, FALSE, sizeof (Snapshot));
      g_hash_table_insert (clocks->clocks, g_memdup2 (&key, sizeof key), clock);
    }
  clock->multiplier = info->multiplier;
  clock->is_incremental = info->is_incremental;
  clock->last_ns = snapshot.own_ns;
  snapshots = clock->snapshots;
  /* a clock that was set back begins anew */
  if (info->is_incremental || snapshots->len >= SNAPSHOTS_MAX
      || (snapshots->len > 0
          && g_array_index (snapshots, Snapshot, snapshots->len - 1).own_ns > snapshot.own_ns))
    g_array_set_size (snapshots, 0);
  g_array_append_val (snapshots, snapshot);
}

void
sonde_perfetto_clocks_add_snapshot (SondePerfettoClocks *clocks, guint32 sequence,
                                    const GArray *infos)
{
  Snapshot snapshot;

  if (!find_boot_ns (clocks, sequence, infos, &snapshot.boot_ns))
    return;
  for (guint i = 0; i < infos->len; i++)
    {
      const SondePerfettoClockInfo *info = &g_array_index (infos, SondePerfettoClockInfo, i);

      if (info->id == SONDE_PERFETTO_BOOT_CLOCK || !get_own_ns (info, &snapshot.own_ns))
        continue;
      add_snapshot (clocks, make_key (sequence, info->id), info, snapshot);
      if (info->id >= FIRST_OF_ALL)
        add_snapshot (clocks, info->id, info, snapshot);
    }
}

/* ---- times --------------------------------------------------------------- */

gboolean
sonde_perfetto_clocks_convert (SondePerfettoClocks *clocks, guint32 sequence, guint32 id,
                               guint64 time, gint64 *ns)
{
  Clock *clock;
  gint64 own_ns;

  if (id == SONDE_PERFETTO_BOOT_CLOCK)
    {
      *ns = (gint64) time;
      return time <= G_MAXINT64;
    }
  clock = find_clock (clocks, sequence, id);
  if (clock == NULL || time > G_MAXINT64
      || !sonde_checked_mul (&own_ns, (gint64) time, clock->multiplier))
    return FALSE;
  if (clock->is_incremental)
    {
      if (!sonde_checked_add (&own_ns, clock->last_ns, own_ns))
        return FALSE;
      clock->last_ns = own_ns;
    }
  return to_boot (clock, own_ns, ns);
}
