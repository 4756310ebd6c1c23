/* SPDX-License-Identifier: Apache-2.0
 * The Overview page: what a run holds at one look. */
#pragma once

#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_OVERVIEW_PAGE (sonde_overview_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeOverviewPage, sonde_overview_page, SONDE, OVERVIEW_PAGE, SondePage)

G_END_DECLS
