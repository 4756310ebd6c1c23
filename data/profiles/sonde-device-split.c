/* SPDX-License-Identifier: Apache-2.0
 * What the devices of a trace do while a step runs. */
#include <string.h>

#include "data/profiles/sonde-intervals.h"
#include "data/profiles/sonde-step-split.h"
#include "data/profiles/sonde-trace-style.h"

typedef enum
{
  WORK_NONE,
  WORK_COMPUTE,
  WORK_COPY,
  WORK_COMMUNICATION,
  N_WORK,
} Work;

static gboolean
has_prefix_of_any_case (const char *text, const char *prefix)
{
  return g_ascii_strncasecmp (text, prefix, strlen (prefix)) == 0;
}

static Work
get_work (const SondeTraceLabel *label)
{
  if (strcmp (label->category, "gpu_memcpy") == 0 || strcmp (label->category, "gpu_memset") == 0)
    return WORK_COPY;
  if (strcmp (label->category, "kernel") != 0)
    return WORK_NONE;
  return has_prefix_of_any_case (label->name, "nccl")
                 || has_prefix_of_any_case (label->name, "rccl")
                 || has_prefix_of_any_case (label->name, "hccl")
             ? WORK_COMMUNICATION
             : WORK_COMPUTE;
}

/* When a device does what; @work[WORK_NONE] is all of it. */
typedef struct
{
  SondeIntervals work[N_WORK];
  SondeIntervals exposed;
} Device;

static Device *
device_new (void)
{
  Device *device = g_new0 (Device, 1);

  for (guint i = 0; i < N_WORK; i++)
    sonde_intervals_init (&device->work[i]);
  sonde_intervals_init (&device->exposed);
  return device;
}

static void
device_free (gpointer data)
{
  Device *device = data;

  for (guint i = 0; i < N_WORK; i++)
    sonde_intervals_clear (&device->work[i]);
  sonde_intervals_clear (&device->exposed);
  g_free (device);
}

static Device *
get_device (GHashTable *devices, const char *pid)
{
  Device *device = g_hash_table_lookup (devices, pid);

  if (device == NULL)
    {
      device = device_new ();
      g_hash_table_insert (devices, (gpointer) pid, device);
    }
  return device;
}

static GHashTable *
find_devices (const SondeTrace *trace)
{
  GHashTable *devices = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, device_free);
  const gboolean own = sonde_trace_style_find (trace) == SONDE_TRACE_STYLE_OWN;
  g_autofree Work *works = g_new (Work, trace->labels->len + 1);
  GHashTableIter iter;
  gpointer value;

  /* our own kernels are those of the processor that drives the steps */
  for (guint i = 0; i < trace->labels->len; i++)
    works[i] = own ? WORK_NONE : get_work (sonde_trace_get_label (trace, i));
  for (gsize i = 0; i < trace->n_spans; i++)
    {
      const SondeTraceSpan *span = &trace->spans[i];
      Device *device;

      if (works[span->label] == WORK_NONE)
        continue;
      device = get_device (devices, sonde_trace_get_thread (trace, span->thread)->pid);
      sonde_intervals_add (&device->work[WORK_NONE], span->start_ns, span->end_ns);
      sonde_intervals_add (&device->work[works[span->label]], span->start_ns, span->end_ns);
    }
  g_hash_table_iter_init (&iter, devices);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      Device *device = value;

      for (guint i = 0; i < N_WORK; i++)
        sonde_intervals_settle (&device->work[i]);
      sonde_intervals_subtract (&device->work[WORK_COMMUNICATION], &device->work[WORK_COMPUTE],
                                &device->exposed);
    }
  return devices;
}

static void
add_stretch (SondeDeviceSplit *split, const Device *device, gint64 start_ns, gint64 end_ns)
{
  gint64 busy_ns = sonde_intervals_measure (&device->work[WORK_NONE], start_ns, end_ns);

  split->busy_ns += busy_ns;
  split->idle_ns += end_ns - start_ns - busy_ns;
  split->compute_ns += sonde_intervals_measure (&device->work[WORK_COMPUTE], start_ns, end_ns);
  split->copy_ns += sonde_intervals_measure (&device->work[WORK_COPY], start_ns, end_ns);
  split->communication_ns
      += sonde_intervals_measure (&device->work[WORK_COMMUNICATION], start_ns, end_ns);
  split->exposed_communication_ns += sonde_intervals_measure (&device->exposed, start_ns, end_ns);
  split->wall_ns += end_ns - start_ns;
}

void
sonde_device_split_compute (const SondeTrace *trace, const GArray *steps, SondeDeviceSplit *split)
{
  g_autoptr (GHashTable) devices = find_devices (trace);
  GHashTableIter iter;
  gpointer device;

  *split = (SondeDeviceSplit){ .n_steps = MAX (steps->len, 1),
                               .n_devices = g_hash_table_size (devices) };
  g_hash_table_iter_init (&iter, devices);
  while (g_hash_table_iter_next (&iter, NULL, &device))
    {
      for (guint i = 0; i < steps->len; i++)
        {
          const SondeTraceSpan *step = &trace->spans[g_array_index (steps, guint32, i)];

          add_stretch (split, device, step->start_ns, step->end_ns);
        }
      if (steps->len == 0)
        add_stretch (split, device, trace->start_ns, trace->end_ns);
    }
}
