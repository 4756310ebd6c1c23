/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-memory-pane.h"

#include <string.h>

#include "app/profiler/sonde-memory-curves.h"
#include "app/profiler/sonde-memory-plan.h"
#include "data/base/sonde-text.h"

static GtkWidget *
make_lack (const SondeTrace *trace)
{
  GtkWidget *status = adw_status_page_new ();

  adw_status_page_set_icon_name (ADW_STATUS_PAGE (status), "sonde-profiler-symbolic");
  adw_status_page_set_title (ADW_STATUS_PAGE (status), _ ("No Memory in the Trace"));
  adw_status_page_set_description (
      ADW_STATUS_PAGE (status),
      strcmp (trace->producer, "pytorch") == 0
          ? _ (
              "PyTorch records each allocation when the profiler is made with profile_memory=True.")
          : _ ("Counters of memory are shown here, and so are Sonde's own recordings, by value: "
               "“sonde profile MODEL --run DIR” or “sonde train … --profile FIRST:COUNT”."));
  return status;
}

GtkWidget *
sonde_memory_pane_new (SondeTraceDocument *document)
{
  const SondeProfile *profile = sonde_trace_document_get_profile (document);
  const SondeMemoryTimeline *plan = profile->facts != NULL
                                            && profile->facts->memory.lifetimes != NULL
                                            && profile->facts->memory.n_steps > 0
                                        ? &profile->facts->memory
                                        : NULL;

  if (plan != NULL)
    return sonde_memory_plan_new (plan, G_OBJECT (document));
  if (sonde_memory_curves_are_in (profile->trace))
    return sonde_memory_curves_new (document);
  return make_lack (profile->trace);
}
