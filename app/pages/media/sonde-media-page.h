/* SPDX-License-Identifier: Apache-2.0
 * The Media page: images, texts, sounds and meshes of the selected run, by step. */
#pragma once

#include "app/pages/sonde-grid-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_MEDIA_PAGE (sonde_media_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeMediaPage, sonde_media_page, SONDE, MEDIA_PAGE, SondeGridPage)

G_END_DECLS
