/* SPDX-License-Identifier: Apache-2.0
 * The Distributions page: histograms over steps. */
#pragma once

#include "app/pages/sonde-grid-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DISTRIBUTIONS_PAGE (sonde_distributions_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeDistributionsPage, sonde_distributions_page, SONDE, DISTRIBUTIONS_PAGE,
                      SondeGridPage)

G_END_DECLS
