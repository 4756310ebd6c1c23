/* SPDX-License-Identifier: Apache-2.0
 * The Runs page: the table of runs. */
#pragma once

#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_RUNS_PAGE (sonde_runs_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeRunsPage, sonde_runs_page, SONDE, RUNS_PAGE, SondePage)

G_END_DECLS
