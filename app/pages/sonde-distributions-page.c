/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-distributions-page.h"

struct _SondeDistributionsPage
{
  SondePage parent_instance;
};

G_DEFINE_FINAL_TYPE (SondeDistributionsPage, sonde_distributions_page, SONDE_TYPE_PAGE)

static void
sonde_distributions_page_set_up (SondePage *page)
{
  sonde_page_set_empty (page, "sonde-distributions-symbolic", "No Runs", "Nothing has been recorded here yet.", "Open a Folder…", "win.open");
}

static void
sonde_distributions_page_class_init (SondeDistributionsPageClass *klass)
{
  SONDE_PAGE_CLASS (klass)->set_up = sonde_distributions_page_set_up;
}

static void
sonde_distributions_page_init (SondeDistributionsPage *page)
{
}
