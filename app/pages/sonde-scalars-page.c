/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-scalars-page.h"

struct _SondeScalarsPage
{
  SondePage parent_instance;
};

G_DEFINE_FINAL_TYPE (SondeScalarsPage, sonde_scalars_page, SONDE_TYPE_PAGE)

static void
sonde_scalars_page_set_up (SondePage *page)
{
  sonde_page_set_empty (page, "sonde-scalars-symbolic", "No Runs", "Nothing has been recorded here yet.", "Open a Folder…", "win.open");
}

static void
sonde_scalars_page_class_init (SondeScalarsPageClass *klass)
{
  SONDE_PAGE_CLASS (klass)->set_up = sonde_scalars_page_set_up;
}

static void
sonde_scalars_page_init (SondeScalarsPage *page)
{
}
