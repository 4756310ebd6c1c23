/* SPDX-License-Identifier: Apache-2.0
 * Where results come from: all shown runs with their hyper-parameters and metrics in a table that is
 * filtered, sorted and exported, and beside it what the chosen run says of itself. */
#pragma once

#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_LINEAGE_PAGE (sonde_lineage_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeLineagePage, sonde_lineage_page, SONDE, LINEAGE_PAGE, SondePage)

G_END_DECLS
