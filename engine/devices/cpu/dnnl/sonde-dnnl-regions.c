/* SPDX-License-Identifier: Apache-2.0
 * oneDNN takes a thread pool of its caller only where it is built for one; Debian's is built for OpenMP, and
 * libgomp has no OMPT, OpenMP's interface for tools. But all compiled code begins its regions by one function of
 * libgomp's stable interface, GOMP_parallel(): the program has one of that name, which oneDNN finds before the
 * library's and which calls that. */
#include "engine/devices/cpu/dnnl/sonde-dnnl-regions.h"

#include <dlfcn.h>
#include <omp.h>

static _Thread_local const SondeDeviceSpans *watched;

void
sonde_dnnl_watch_regions (const SondeDeviceSpans *spans)
{
  watched = spans;
}

typedef void (*RegionFunction) (void *data);
typedef void (*ParallelFunction) (RegionFunction run, void *data, unsigned n, unsigned flags);

/* A region that is watched: the one that was to run, with its data. */
typedef struct
{
  RegionFunction run;
  void *data;
  SondeDeviceSpans spans;
} Region;

static void
run_watched (void *data)
{
  const Region *region = data;
  guint64 start = sonde_ticks_now (&region->spans.log->ticks);

  region->run (region->data);
  sonde_device_spans_add (&region->spans, SONDE_SPAN_KERNEL, region->spans.kernel, start,
                          omp_get_thread_num ());
}

/* The library's own. */
static ParallelFunction
get_library_function (void)
{
  static _Atomic (ParallelFunction) found;
  ParallelFunction function = atomic_load_explicit (&found, memory_order_relaxed);

  if (G_LIKELY (function != NULL))
    return function;
  *(void **) &function = dlsym (RTLD_NEXT, "GOMP_parallel");
  if (function == NULL)
    g_error ("libgomp has no GOMP_parallel()");
  atomic_store_explicit (&found, function, memory_order_relaxed);
  return function;
}

void GOMP_parallel (RegionFunction run, void *data, unsigned n, unsigned flags);

void
GOMP_parallel (RegionFunction run, void *data, unsigned n, unsigned flags)
{
  const SondeDeviceSpans *spans = watched;

  if (G_UNLIKELY (spans != NULL) && n != 1)
    {
      Region region = { run, data, *spans };

      get_library_function () (run_watched, &region, n, flags);
    }
  else
    get_library_function () (run, data, n, flags);
}
