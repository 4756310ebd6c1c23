/* SPDX-License-Identifier: Apache-2.0 */
#include "data/base/sonde-span-counters.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "data/base/sonde-error.h"

#define MS G_GINT64_CONSTANT (1000000)
#define PERIOD_NS (10 * MS)
#define FREQUENCY_PERIOD 10 /* of the others' */
#define MAX_GAUGES 10
#define LINE_BYTES 128
#define CPUINFO_BYTES 65536
#define MAX_THREADS 256
#define N_EVENTS 3

/* ---- what the processor counts --------------------------------------------------- */

/* @fds: by thread, of each counter; -1: not counted */
typedef struct
{
  int fds[MAX_THREADS][N_EVENTS];
  guint n_threads;
} Hardware;

/* As read() gives it with the format below. */
typedef struct
{
  guint64 value, enabled, running;
} Reading;

static const struct
{
  const char *name;
  guint64 config;
} events[N_EVENTS] = {
  { "instructions", PERF_COUNT_HW_INSTRUCTIONS },
  { "cycles", PERF_COUNT_HW_CPU_CYCLES },
  { "cache misses", PERF_COUNT_HW_CACHE_MISSES },
};

static int
open_event (guint counter, pid_t thread)
{
  struct perf_event_attr attributes = {
    .type = PERF_TYPE_HARDWARE,
    .size = sizeof attributes,
    .config = events[counter].config,
    .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    .inherit = 1,
    .exclude_kernel = 1,
    .exclude_hv = 1,
  };

  return (int) syscall (SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* 0: one at least is counted; else the errno of the first. */
static int
open_thread (Hardware *counters, pid_t thread)
{
  int *fds = counters->fds[counters->n_threads], reason = 0;
  gboolean counts = FALSE;

  for (guint i = 0; i < N_EVENTS; i++)
    {
      fds[i] = open_event (i, thread);
      counts = counts || fds[i] >= 0;
      reason = fds[i] < 0 && reason == 0 ? errno : reason;
    }
  counters->n_threads += counts;
  return counts ? 0 : reason;
}

static void
set_reason (GError **error, int reason)
{
  if (reason == EACCES || reason == EPERM)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                     "The system does not permit counting instructions and cycles. It does where "
                     "/proc/sys/kernel/perf_event_paranoid is 2 or less.");
  else if (reason == ENOSYS)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                     "This kernel has no hardware counters: perf_event_open is not there.");
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                     "This machine has no hardware counters that programs may read, as many "
                     "virtual machines: %s.",
                     g_strerror (reason));
}

/* Counts from now on, for all threads that there are and those that they will start. */
static Hardware *
open_hardware (GError **error)
{
  g_autofree Hardware *counters = g_new0 (Hardware, 1);
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  const char *name;
  int reason = 0;

  while (tasks != NULL && counters->n_threads < MAX_THREADS
         && (name = g_dir_read_name (tasks)) != NULL)
    {
      int failed = open_thread (counters, (pid_t) g_ascii_strtoll (name, NULL, 10));

      /* a thread that has ended meanwhile is no reason */
      reason = failed != 0 && failed != ESRCH ? failed : reason;
    }
  if (counters->n_threads > 0)
    return g_steal_pointer (&counters);
  set_reason (error, reason != 0 ? reason : ENOENT);
  return NULL;
}

static void
free_hardware (Hardware *counters)
{
  if (counters == NULL)
    return;
  for (guint i = 0; i < counters->n_threads; i++)
    for (guint k = 0; k < N_EVENTS; k++)
      if (counters->fds[i][k] >= 0)
        close (counters->fds[i][k]);
  g_free (counters);
}

/* Of all threads together since they were opened, NaN where the machine does not count it. */
static void
read_hardware (const Hardware *counters, double values[N_EVENTS])
{
  for (guint k = 0; k < N_EVENTS; k++)
    values[k] = NAN;
  for (guint i = 0; i < counters->n_threads; i++)
    for (guint k = 0; k < N_EVENTS; k++)
      {
        Reading reading;
        double value;

        if (counters->fds[i][k] < 0
            || read (counters->fds[i][k], &reading, sizeof reading) != (gssize) sizeof reading)
          continue;
        value = reading.running > 0 && reading.running < reading.enabled
                    ? (double) reading.value * ((double) reading.enabled / (double) reading.running)
                    : (double) reading.value;
        values[k] = isnan (values[k]) ? value : values[k] + value;
      }
}

/* ---- the counters -------------------------------------------------------------------- */

/* @every: so many periods */
typedef struct
{
  guint32 label;
  guint every;
  SondeSpanGauge gauge;
  gpointer data;
} Gauge;

/**
 * SondeSpanCounters:
 * @statm: /proc/self/statm, open; -1: it is not there
 * @n_looks: how often gauges were read; @looked_at: ticks of the last time; 0: never
 * @hardware: (nullable); @before: what they said at the end of the step before; NaN: of none
 */
struct _SondeSpanCounters
{
  SondeSpanLog *log;
  Gauge gauges[MAX_GAUGES];
  guint n_gauges, n_looks;
  guint64 looked_at;
  int statm;
  Hardware *hardware;
  guint32 hardware_labels[N_EVENTS];
  double before[N_EVENTS];
};

/* ---- what the system tells --------------------------------------------------- */

static double
get_resident_bytes (gpointer data)
{
  const SondeSpanCounters *counters = data;
  char line[LINE_BYTES];
  gssize n = counters->statm >= 0 ? pread (counters->statm, line, sizeof line - 1, 0) : -1;
  const char *resident;

  line[MAX (n, 0)] = '\0';
  resident = strchr (line, ' ');
  return resident != NULL ? g_ascii_strtod (resident, NULL) * (double) sysconf (_SC_PAGESIZE) : NAN;
}

/* Of a small file of the system: the first bytes of it. FALSE: it is not there. */
static gboolean
read_start (const char *path, char *text, gsize size)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  gssize n = fd >= 0 ? read (fd, text, size - 1) : -1;

  if (fd >= 0)
    close (fd);
  text[MAX (n, 0)] = '\0';
  return n > 0;
}

/* As the kernel prints it for people, where it has no driver that tells. */
static double
read_cpuinfo_mhz (int cpu)
{
  g_autofree char *text = g_malloc (CPUINFO_BYTES);
  const char *entry = NULL, *mhz, *colon;

  if (!read_start ("/proc/cpuinfo", text, CPUINFO_BYTES))
    return NAN;
  for (const char *at = text; entry == NULL && (at = strstr (at, "processor")) != NULL; at++)
    {
      colon = strchr (at, ':');
      if (colon != NULL && g_ascii_strtoll (colon + 1, NULL, 10) == cpu)
        entry = at;
    }
  mhz = entry != NULL ? strstr (entry, "cpu MHz") : NULL;
  colon = mhz != NULL ? strchr (mhz, ':') : NULL;
  return colon != NULL ? g_ascii_strtod (colon + 1, NULL) : NAN;
}

/* MHz of the core that runs this thread. */
static double
get_frequency (gpointer data)
{
  const int cpu = sched_getcpu ();
  char path[LINE_BYTES], text[LINE_BYTES];

  g_snprintf (path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu);
  return read_start (path, text, sizeof text) ? g_ascii_strtod (text, NULL) / 1e3
                                              : read_cpuinfo_mhz (cpu);
}

/* ---- at the ends of steps ------------------------------------------------------- */

static void
add_hardware (SondeSpanCounters *counters, SondeSpanRing *ring)
{
  double now[N_EVENTS];

  read_hardware (counters->hardware, now);
  for (guint i = 0; i < N_EVENTS; i++)
    if (!isnan (now[i]) && !isnan (counters->before[i]))
      sonde_span_log_add_number (counters->log, ring, counters->hardware_labels[i],
                                 now[i] - counters->before[i]);
  memcpy (counters->before, now, sizeof now);
}

static void
look (SondeSpanCounters *counters, SondeSpanRing *ring)
{
  for (guint i = 0; i < counters->n_gauges; i++)
    {
      const Gauge *gauge = &counters->gauges[i];
      double value
          = counters->n_looks % gauge->every == gauge->every / 2 ? gauge->gauge (gauge->data) : NAN;

      if (isfinite (value))
        sonde_span_log_add_number (counters->log, ring, gauge->label, value);
    }
  counters->n_looks++;
}

static void
sample (SondeSpanLog *log, SondeSpanRing *ring, gpointer data)
{
  SondeSpanCounters *counters = data;
  guint64 now = sonde_ticks_now (&log->ticks);

  if (counters->hardware != NULL)
    add_hardware (counters, ring);
  /* without hardware counters the log itself asks no sooner */
  if (counters->hardware != NULL && counters->looked_at != 0
      && (double) (now - counters->looked_at) * sonde_ticks_get_ns (&log->ticks)
             < (double) PERIOD_NS)
    return;
  counters->looked_at = now;
  look (counters, ring);
}

/* ---- life -------------------------------------------------------------------------- */

static void
add_gauge (SondeSpanCounters *counters, const char *name, guint every, SondeSpanGauge gauge,
           gpointer data)
{
  g_return_if_fail (counters->n_gauges < MAX_GAUGES);

  counters->gauges[counters->n_gauges++]
      = (Gauge){ sonde_span_log_add_label (counters->log, name), every, gauge, data };
}

SondeSpanCounters *
sonde_span_counters_new (SondeSpanLog *log)
{
  SondeSpanCounters *counters = g_new0 (SondeSpanCounters, 1);

  counters->log = sonde_span_log_ref (log);
  counters->statm = open ("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  add_gauge (counters, SONDE_COUNTER_PROCESS, 1, get_resident_bytes, counters);
  add_gauge (counters, SONDE_COUNTER_FREQUENCY, FREQUENCY_PERIOD, get_frequency, counters);
  sonde_span_log_set_sampler (log, sample, counters, PERIOD_NS);
  return counters;
}

void
sonde_span_counters_free (SondeSpanCounters *counters)
{
  if (counters == NULL)
    return;
  sonde_span_log_set_sampler (counters->log, NULL, NULL, 0);
  sonde_span_log_unref (counters->log);
  free_hardware (counters->hardware);
  if (counters->statm >= 0)
    close (counters->statm);
  g_free (counters);
}

void
sonde_span_counters_add (SondeSpanCounters *counters, const char *name, SondeSpanGauge gauge,
                         gpointer data)
{
  add_gauge (counters, name, 1, gauge, data);
}

gboolean
sonde_span_counters_use_hardware (SondeSpanCounters *counters, GError **error)
{
  Hardware *hardware = open_hardware (error);

  if (hardware == NULL)
    return FALSE;
  for (guint i = 0; i < N_EVENTS; i++)
    {
      counters->hardware_labels[i] = sonde_span_log_add_label (counters->log, events[i].name);
      counters->before[i] = NAN;
    }
  free_hardware (counters->hardware);
  counters->hardware = hardware;
  sonde_span_log_set_sampler (counters->log, sample, counters, 0);
  return TRUE;
}
