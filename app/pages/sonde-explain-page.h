/* SPDX-License-Identifier: Apache-2.0
 * The Explain page: a model on images, studied live, or the explained samples that the chosen run
 * recorded. What happens is in app/explain; here it is joined to the workspace: its runs, its
 * documents, what the window remembers. */
#pragma once

#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAIN_PAGE (sonde_explain_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainPage, sonde_explain_page, SONDE, EXPLAIN_PAGE, SondePage)

G_END_DECLS
