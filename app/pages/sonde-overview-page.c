/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-overview-page.h"

struct _SondeOverviewPage
{
  SondePage parent_instance;
};

G_DEFINE_FINAL_TYPE (SondeOverviewPage, sonde_overview_page, SONDE_TYPE_PAGE)

static void
sonde_overview_page_set_up (SondePage *page)
{
  sonde_page_set_empty (page, "go-home-symbolic", "No Runs", "Nothing has been recorded here yet.", "Open a Folder…", "win.open");
}

static void
sonde_overview_page_class_init (SondeOverviewPageClass *klass)
{
  SONDE_PAGE_CLASS (klass)->set_up = sonde_overview_page_set_up;
}

static void
sonde_overview_page_init (SondeOverviewPage *page)
{
}
