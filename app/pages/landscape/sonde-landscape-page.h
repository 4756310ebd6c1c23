/* SPDX-License-Identifier: Apache-2.0
 * The loss landscape of the chosen run as contours, with the path of the training. */
#pragma once

#include "app/pages/sonde-record-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_LANDSCAPE_PAGE (sonde_landscape_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeLandscapePage, sonde_landscape_page, SONDE, LANDSCAPE_PAGE,
                      SondeRecordPage)

G_END_DECLS
