/* SPDX-License-Identifier: Apache-2.0
 * The Explain page: the errors of a run by what was taken for what, and for each its maps for the predicted and the
 * true class, side by side on one scale. */
#pragma once

#include "app/pages/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAIN_PAGE (sonde_explain_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainPage, sonde_explain_page, SONDE, EXPLAIN_PAGE, SondePage)

G_END_DECLS
