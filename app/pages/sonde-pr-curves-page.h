/* SPDX-License-Identifier: Apache-2.0
 * The page PR Curves: a grid of charts, one a tag, with the curves of all runs that are shown. */
#pragma once

#include "app/pages/sonde-grid-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PR_CURVES_PAGE (sonde_pr_curves_page_get_type ())
G_DECLARE_FINAL_TYPE (SondePrCurvesPage, sonde_pr_curves_page, SONDE, PR_CURVES_PAGE, SondeGridPage)

G_END_DECLS
