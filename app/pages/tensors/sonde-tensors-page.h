/* SPDX-License-Identifier: Apache-2.0
 * Tensors of the chosen run: heat map and table of a slice, and its statistics. */
#pragma once

#include "app/pages/sonde-record-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TENSORS_PAGE (sonde_tensors_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeTensorsPage, sonde_tensors_page, SONDE, TENSORS_PAGE, SondeRecordPage)

G_END_DECLS
