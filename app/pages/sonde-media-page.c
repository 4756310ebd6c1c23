/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-media-page.h"

struct _SondeMediaPage
{
  SondePage parent_instance;
};

G_DEFINE_FINAL_TYPE (SondeMediaPage, sonde_media_page, SONDE_TYPE_PAGE)

static void
sonde_media_page_set_up (SondePage *page)
{
  sonde_page_set_empty (page, "image-x-generic-symbolic", "No Runs", "Nothing has been recorded here yet.", "Open a Folder…", "win.open");
}

static void
sonde_media_page_class_init (SondeMediaPageClass *klass)
{
  SONDE_PAGE_CLASS (klass)->set_up = sonde_media_page_set_up;
}

static void
sonde_media_page_init (SondeMediaPage *page)
{
}
