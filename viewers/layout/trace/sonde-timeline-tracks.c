/* SPDX-License-Identifier: Apache-2.0
 * Processes in the order of their first thread, below each its threads, asynchronous spans and series. */
#include "viewers/layout/trace/sonde-timeline-tracks-private.h"

#include <string.h>

#include "data/base/sonde-text.h"
#include "data/traces/sonde-max-tree.h"

#define BLOCK SONDE_TIMELINE_BLOCK

/* A track before its place is known. @process: number of its process */
typedef struct
{
  SondeTrackKind kind;
  guint32 process, source;
} Entry;

typedef struct
{
  SondeTimelineIndex *index;
  GHashTable *processes; /* pid -> number + 1 */
  GPtrArray *names;      /* of processes: what the file calls them, lent */
  GPtrArray *pids;
  GArray *entries; /* Entry */
} Gathering;

static guint32
find_process (Gathering *gathering, const char *pid, const char *name)
{
  guint32 known = GPOINTER_TO_UINT (g_hash_table_lookup (gathering->processes, pid));

  if (known == 0)
    {
      g_ptr_array_add (gathering->names, (char *) name);
      g_ptr_array_add (gathering->pids, (char *) pid);
      known = gathering->names->len;
      g_hash_table_insert (gathering->processes, (char *) pid, GUINT_TO_POINTER (known));
    }
  else if (*(const char *) gathering->names->pdata[known - 1] == '\0')
    gathering->names->pdata[known - 1] = (char *) name;
  return known - 1;
}

static void
gather (Gathering *gathering, SondeTrackKind kind, const char *pid, const char *name,
        guint32 source)
{
  Entry entry = { kind, find_process (gathering, pid, name), source };

  g_array_append_val (gathering->entries, entry);
}

/* ---- threads and what happens on them ------------------------------------ */

/* PyTorch marks each allocation with an instant; they are the memory curve. */
static gboolean
is_shown (const SondeTrace *trace, const SondeTraceInstant *instant)
{
  return trace->memory->len == 0
         || strcmp (sonde_trace_get_label (trace, instant->label)->name, "[memory]") != 0;
}

static int
compare_instants (gconstpointer a, gconstpointer b, gpointer data)
{
  const GArray *instants = data;
  const SondeTraceInstant *left
      = &g_array_index (instants, SondeTraceInstant, *(const guint32 *) a);
  const SondeTraceInstant *right
      = &g_array_index (instants, SondeTraceInstant, *(const guint32 *) b);

  if (left->thread != right->thread)
    return left->thread < right->thread ? -1 : 1;
  return (left->at_ns > right->at_ns) - (left->at_ns < right->at_ns);
}

static void
sort_instants (SondeTimelineIndex *index)
{
  const SondeTrace *trace = index->trace;

  for (guint32 i = 0; i < trace->instants->len; i++)
    if (is_shown (trace, &g_array_index (trace->instants, SondeTraceInstant, i)))
      g_array_append_val (index->instants, i);
  g_array_sort_with_data (index->instants, compare_instants, trace->instants);
}

/* The instants of threads: first and n in @first, @n. */
static void
count_instants (const SondeTimelineIndex *index, guint32 *first, guint32 *n)
{
  for (guint32 i = 0; i < index->instants->len; i++)
    {
      guint32 thread = g_array_index (index->trace->instants, SondeTraceInstant,
                                      g_array_index (index->instants, guint32, i))
                           .thread;

      if (n[thread]++ == 0)
        first[thread] = i;
    }
}

static void
gather_threads (Gathering *gathering, const guint32 *n_instants)
{
  const SondeTrace *trace = gathering->index->trace;

  for (guint32 i = 0; i < trace->threads->len; i++)
    {
      const SondeTraceThread *thread = sonde_trace_get_thread (trace, i);

      if (thread->n > 0 || n_instants[i] > 0)
        gather (gathering, SONDE_TRACK_THREAD, thread->pid, thread->process, i);
    }
}

static void
gather_async (Gathering *gathering)
{
  const SondeTrace *trace = gathering->index->trace;
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  if (gathering->index->n_items == trace->n_spans)
    return;
  for (guint i = 0; i < trace->async->len; i++)
    {
      guint32 t = g_array_index (trace->async, SondeTraceAsync, i).thread;
      const SondeTraceThread *thread = sonde_trace_get_thread (trace, t);

      if (g_hash_table_add (seen, (char *) thread->pid))
        gather (gathering, SONDE_TRACK_ASYNC, thread->pid, thread->process, t);
    }
}

/* ---- series -------------------------------------------------------------- */

static double *
make_ranges (const GArray *points)
{
  guint n = points->len / BLOCK;
  double *ranges = g_new (double, 2 * (gsize) n + 1);

  for (guint b = 0; b < n; b++)
    {
      double *range = ranges + 2 * b;

      range[0] = range[1] = g_array_index (points, SondeTracePoint, b * BLOCK).value;
      for (guint i = b * BLOCK; i < (b + 1) * BLOCK; i++)
        {
          double value = g_array_index (points, SondeTracePoint, i).value;

          range[0] = MIN (range[0], value);
          range[1] = MAX (range[1], value);
        }
    }
  return ranges;
}

static void
gather_counters (Gathering *gathering)
{
  SondeTimelineIndex *index = gathering->index;
  const GArray *counters = index->trace->counters;

  for (guint i = 0; i < counters->len; i++)
    {
      const SondeTraceCounter *counter = &g_array_index (counters, SondeTraceCounter, i);
      g_autofree char *name = *counter->key == '\0' || g_str_equal (counter->key, "value")
                                  ? g_strdup (counter->name)
                                  : g_strdup_printf ("%s · %s", counter->name, counter->key);
      SondeTimelineSeries series = { .name = g_string_chunk_insert (index->texts, name),
                                     .points = g_array_ref (counter->points),
                                     .ranges = make_ranges (counter->points),
                                     .min = counter->min,
                                     .max = counter->max,
                                     .unit = sonde_counter_get_unit (index->trace, counter) };

      g_array_append_val (index->series, series);
      gather (gathering, SONDE_TRACK_SERIES, counter->pid, "", index->series->len - 1);
    }
}

/* PyTorch's numbers of a kind of device and of the device: “0:-1”, “1:0”. */
static char *
name_memory (const char *device)
{
  if (g_str_has_prefix (device, "0:"))
    return g_strdup (_ ("Memory of the CPU"));
  if (g_str_has_prefix (device, "1:"))
    return g_strdup_printf (_ ("Memory of GPU %s"), device + 2);
  return g_strdup_printf (_ ("Memory of %s"), device);
}

static void
gather_memory (Gathering *gathering)
{
  SondeTimelineIndex *index = gathering->index;
  const GArray *memory = index->trace->memory;
  g_autoptr (GHashTable) devices = g_hash_table_new (g_str_hash, g_str_equal);
  const char *pid = gathering->pids->len > 0 ? gathering->pids->pdata[0] : "0";

  for (guint i = 0; i < memory->len; i++)
    {
      const SondeTraceMemory *one = &g_array_index (memory, SondeTraceMemory, i);
      SondeTracePoint point = { one->at_ns, (double) one->total_bytes };
      guint32 known = GPOINTER_TO_UINT (g_hash_table_lookup (devices, one->device));

      if (known == 0)
        {
          g_autofree char *name = name_memory (one->device);
          SondeTimelineSeries series
              = { .name = g_string_chunk_insert (index->texts, name),
                  .points = g_array_new (FALSE, FALSE, sizeof (SondeTracePoint)),
                  .min = point.value,
                  .max = point.value,
                  .unit = SONDE_COUNTER_BYTES };

          g_array_append_val (index->series, series);
          known = index->series->len;
          g_hash_table_insert (devices, (char *) one->device, GUINT_TO_POINTER (known));
          gather (gathering, SONDE_TRACK_SERIES, pid, "", known - 1);
        }
      {
        SondeTimelineSeries *series
            = &g_array_index (index->series, SondeTimelineSeries, known - 1);

        g_array_append_val (series->points, point);
        series->min = MIN (series->min, point.value);
        series->max = MAX (series->max, point.value);
      }
    }
  for (guint i = 0; i < index->series->len; i++)
    {
      SondeTimelineSeries *series = &g_array_index (index->series, SondeTimelineSeries, i);

      if (series->ranges == NULL)
        series->ranges = make_ranges (series->points);
    }
}

/* ---- names and order ----------------------------------------------------- */

static gboolean
is_number (const char *id)
{
  return *id != '\0' && strspn (id, "-0123456789") == strlen (id);
}

static void
name_thread (SondeTimelineIndex *index, SondeTimelineTrack *track)
{
  const SondeTraceThread *thread = sonde_trace_get_thread (index->trace, track->source);
  g_autofree char *name = NULL, *detail = NULL;

  if (*thread->track != '\0')
    name = g_strdup (thread->track);
  else if (*thread->name != '\0')
    name = g_strdup (thread->name);
  else
    name = is_number (thread->tid) ? g_strdup_printf (_ ("Thread %s"), thread->tid)
                                   : g_strdup (thread->tid);
  detail = g_strdup_printf (_ ("%s\nprocess %s, thread %s"), name, thread->pid, thread->tid);
  track->name = g_string_chunk_insert (index->texts, name);
  track->detail = g_string_chunk_insert (index->texts, detail);
}

static SondeTimelineTrack
head_process (Gathering *gathering, guint32 process)
{
  const char *name = gathering->names->pdata[process], *pid = gathering->pids->pdata[process];
  g_autofree char *title = *name != '\0' && !g_str_equal (name, pid)
                               ? g_strdup_printf ("%s (%s)", name, pid)
                           : *pid == '\0'    ? g_strdup (_ ("Without a process"))
                           : is_number (pid) ? g_strdup_printf (_ ("Process %s"), pid)
                                             : g_strdup (pid);
  const char *kept = g_string_chunk_insert (gathering->index->texts, title);

  return (SondeTimelineTrack){
    .kind = SONDE_TRACK_PROCESS, .source = SONDE_TIMELINE_NONE, .name = kept, .detail = kept
  };
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *left = a, *right = b;

  if (left->process != right->process)
    return left->process < right->process ? -1 : 1;
  if (left->kind != right->kind)
    return left->kind < right->kind ? -1 : 1;
  return (left->source > right->source) - (left->source < right->source);
}

static void
order_tracks (Gathering *gathering, const guint32 *first_instant, const guint32 *n_instants)
{
  SondeTimelineIndex *index = gathering->index;
  guint32 process = SONDE_TIMELINE_NONE;

  g_array_sort (gathering->entries, compare_entries);
  for (guint i = 0; i < gathering->entries->len; i++)
    {
      const Entry *entry = &g_array_index (gathering->entries, Entry, i);
      SondeTimelineTrack track = { .kind = entry->kind, .source = entry->source };

      if (entry->process != process)
        {
          SondeTimelineTrack head = head_process (gathering, entry->process);

          g_array_append_val (index->tracks, head);
          process = entry->process;
        }
      if (entry->kind == SONDE_TRACK_THREAD)
        {
          name_thread (index, &track);
          track.first_instant = first_instant[entry->source];
          track.n_instants = n_instants[entry->source];
        }
      else if (entry->kind == SONDE_TRACK_SERIES)
        track.name = track.detail
            = g_array_index (index->series, SondeTimelineSeries, entry->source).name;
      else
        track.name = track.detail = _ ("Asynchronous");
      g_array_append_val (index->tracks, track);
    }
}

void
sonde_timeline_tracks_add (SondeTimelineIndex *index)
{
  gsize n_threads = index->trace->threads->len;
  g_autofree guint32 *first = g_new0 (guint32, n_threads + 1), *n = g_new0 (guint32, n_threads + 1);
  Gathering gathering = { .index = index,
                          .processes = g_hash_table_new (g_str_hash, g_str_equal),
                          .names = g_ptr_array_new (),
                          .pids = g_ptr_array_new (),
                          .entries = g_array_new (FALSE, FALSE, sizeof (Entry)) };

  sort_instants (index);
  count_instants (index, first, n);
  gather_threads (&gathering, n);
  gather_async (&gathering);
  gather_counters (&gathering);
  gather_memory (&gathering);
  order_tracks (&gathering, first, n);
  g_hash_table_unref (gathering.processes);
  g_ptr_array_unref (gathering.names);
  g_ptr_array_unref (gathering.pids);
  g_array_unref (gathering.entries);
}

/* ---- asynchronous spans -------------------------------------------------- */

static int
compare_places (gconstpointer a, gconstpointer b, gpointer data)
{
  const SondeTimelinePacked *x = a, *y = b;
  const SondeTraceAsync *left = &g_array_index ((GArray *) data, SondeTraceAsync, x->async);
  const SondeTraceAsync *right = &g_array_index ((GArray *) data, SondeTraceAsync, y->async);

  if (x->track != y->track)
    return x->track < y->track ? -1 : 1;
  if (left->start_ns != right->start_ns)
    return left->start_ns < right->start_ns ? -1 : 1;
  return (left->end_ns < right->end_ns) - (left->end_ns > right->end_ns);
}

static GArray *
list_async (const SondeTimelineIndex *index)
{
  const SondeTrace *trace = index->trace;
  g_autoptr (GHashTable) tracks = g_hash_table_new (g_str_hash, g_str_equal);
  GArray *packed = g_array_new (FALSE, FALSE, sizeof (SondeTimelinePacked));

  for (guint t = 0; t < index->tracks->len; t++)
    {
      const SondeTimelineTrack *track = &g_array_index (index->tracks, SondeTimelineTrack, t);

      if (track->kind == SONDE_TRACK_ASYNC)
        g_hash_table_insert (tracks, (char *) sonde_trace_get_thread (trace, track->source)->pid,
                             GUINT_TO_POINTER (t));
    }
  for (guint32 i = 0; g_hash_table_size (tracks) > 0 && i < trace->async->len; i++)
    {
      guint32 thread = g_array_index (trace->async, SondeTraceAsync, i).thread;
      const char *pid = sonde_trace_get_thread (trace, thread)->pid;
      SondeTimelinePacked one
          = { .async = i, .track = GPOINTER_TO_UINT (g_hash_table_lookup (tracks, pid)) };

      g_array_append_val (packed, one);
    }
  g_array_sort_with_data (packed, compare_places, trace->async);
  return packed;
}

GArray *
sonde_timeline_tracks_pack (const SondeTimelineIndex *index)
{
  GArray *packed = list_async (index);
  SondeMaxTree ends = { 0 }; /* of each lane, its negative: the greatest ends first */
  gsize lane, n_lanes = 0;
  guint32 track = SONDE_TIMELINE_NONE;

  for (guint i = 0; i < packed->len; i++)
    {
      SondeTimelinePacked *one = &g_array_index (packed, SondeTimelinePacked, i);
      const SondeTraceAsync *async
          = &g_array_index (index->trace->async, SondeTraceAsync, one->async);

      if (one->track != track)
        {
          sonde_max_tree_clear (&ends);
          sonde_max_tree_init (&ends, 16);
          track = one->track;
          n_lanes = 0;
        }
      if (!sonde_max_tree_find_first (&ends, -async->start_ns, &lane) || lane >= n_lanes)
        {
          lane = n_lanes++;
          sonde_max_tree_grow (&ends, n_lanes);
        }
      sonde_max_tree_set (&ends, lane, -async->end_ns);
      one->lane = (guint32) lane;
    }
  sonde_max_tree_clear (&ends);
  return packed;
}
