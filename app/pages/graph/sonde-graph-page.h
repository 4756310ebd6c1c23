/* SPDX-License-Identifier: Apache-2.0
 * The Graph page: the network of the run or of an opened model file, as written or as executed. */
#pragma once

#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_GRAPH_PAGE (sonde_graph_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeGraphPage, sonde_graph_page, SONDE, GRAPH_PAGE, SondePage)

G_END_DECLS
