/* SPDX-License-Identifier: Apache-2.0
 * The Scalars page: curves of every scalar tag, several runs a chart. */
#pragma once

#include "app/pages/sonde-grid-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SCALARS_PAGE (sonde_scalars_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeScalarsPage, sonde_scalars_page, SONDE, SCALARS_PAGE, SondeGridPage)

G_END_DECLS
