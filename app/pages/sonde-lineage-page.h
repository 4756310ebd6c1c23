/* SPDX-License-Identifier: Apache-2.0
 * Where results come from: all shown runs with their hyper-parameters and last values in a table,
 * and below it what the chosen run says of itself, record by record, in plain words. */
#pragma once

#include "app/pages/sonde-record-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_LINEAGE_PAGE (sonde_lineage_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeLineagePage, sonde_lineage_page, SONDE, LINEAGE_PAGE, SondeRecordPage)

G_END_DECLS
