/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-profiler-views.h"

#include "app/profiler/sonde-compare-pane.h"
#include "app/profiler/sonde-data-pane.h"
#include "app/profiler/sonde-flame-pane.h"
#include "app/profiler/sonde-memory-pane.h"
#include "app/profiler/sonde-operators-pane.h"
#include "app/profiler/sonde-overview-pane.h"
#include "app/profiler/sonde-roofline-pane.h"
#include "app/profiler/sonde-timeline-pane.h"
#include "data/base/sonde-text.h"

static gboolean
has_times (SondeTraceDocument *document)
{
  return sonde_trace_document_get_index (document)->tracks->len > 0;
}

/* Sampled stacks have shares and no times. */
static gboolean
has_durations (SondeTraceDocument *document)
{
  return !sonde_profile_is_sampled (sonde_trace_document_get_profile (document));
}

static gboolean
has_operators (SondeTraceDocument *document)
{
  return sonde_trace_document_get_profile (document)->operators->len > 0;
}

const SondeProfilerView sonde_profiler_views[] = {
  { "overview", N_ ("Overview"), sonde_overview_pane_new, NULL },
  { "operators", N_ ("Operators"), sonde_operators_pane_new, has_operators },
  { "timeline", N_ ("Timeline"), sonde_timeline_pane_new, has_times },
  { "flame", N_ ("Flame Graph"), sonde_flame_pane_new, NULL },
  { "roofline", N_ ("Roofline"), sonde_roofline_pane_new, NULL },
  { "memory", N_ ("Memory"), sonde_memory_pane_new, NULL },
  { "data", N_ ("Data"), sonde_data_pane_new, NULL },
  { "compare", N_ ("Compare"), sonde_compare_pane_new, has_durations },
  { NULL },
};

const SondeProfilerView *
sonde_profiler_view_find (const char *name)
{
  for (const SondeProfilerView *view = sonde_profiler_views; view->name != NULL; view++)
    if (g_strcmp0 (view->name, name) == 0)
      return view;
  return NULL;
}
