/* SPDX-License-Identifier: Apache-2.0
 * The pictures of the page, each with its heading; nothing where the trace has nothing to show. */
#pragma once

#include "data/profiles/sonde-profile.h"

G_BEGIN_DECLS

/* Who called whom: width is time (or samples), a call lies below what called it; threads beside each other. */
void sonde_report_add_icicle (GString *page, const SondeTrace *trace);
/* The busiest threads over time, some levels of nesting of each. */
void sonde_report_add_timeline (GString *page, const SondeTrace *trace);
/* Memory over time, or over the steps of the plan. */
void sonde_report_add_memory (GString *page, const SondeProfile *profile);

G_END_DECLS
