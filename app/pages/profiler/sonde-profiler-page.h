/* SPDX-License-Identifier: Apache-2.0
 * The Profiler page: a trace that was opened with the window, or here, in the views of app/profiler. */
#pragma once

#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PROFILER_PAGE (sonde_profiler_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeProfilerPage, sonde_profiler_page, SONDE, PROFILER_PAGE, SondePage)

G_END_DECLS
