/* SPDX-License-Identifier: Apache-2.0
 * The Media page: sample images by step. */
#pragma once

#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_MEDIA_PAGE (sonde_media_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeMediaPage, sonde_media_page, SONDE, MEDIA_PAGE, SondePage)

G_END_DECLS
