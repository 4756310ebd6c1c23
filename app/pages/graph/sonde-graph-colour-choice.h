/* SPDX-License-Identifier: Apache-2.0
 * “Colour by”: the drop-down of the Graph page that gives its view the colours, and has the profile read
 * that they need. */
#pragma once

#include "app/widgets/sonde-page.h"
#include "viewers/graph/sonde-graph-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_GRAPH_COLOUR_CHOICE (sonde_graph_colour_choice_get_type ())
G_DECLARE_FINAL_TYPE (SondeGraphColourChoice, sonde_graph_colour_choice, SONDE, GRAPH_COLOUR_CHOICE,
                      AdwBin)

/* @page, @view: outlive it; once, when the page has its workspace. */
void sonde_graph_colour_choice_set_up (SondeGraphColourChoice *choice, SondePage *page,
                                       SondeGraphView *view);

/* The graph that the view is given. (nullable) */
void sonde_graph_colour_choice_set_graph (SondeGraphColourChoice *choice, SondeGraph *graph);

/* The operations of its nodes were counted, or cannot be. @flops: (nullable): by node id; lives until the next
 * graph is set */
void sonde_graph_colour_choice_set_flops (SondeGraphColourChoice *choice, const double *flops);

/* Another graph stands beside it, or none. @partners: (nullable): of its nodes, by id; live until the next call */
void sonde_graph_colour_choice_set_partners (SondeGraphColourChoice *choice,
                                             SondeNode *const *partners);

/* By a name of sonde_graph_colours; now, or when the graph and the profile are there. */
void sonde_graph_colour_choice_choose (SondeGraphColourChoice *choice, const char *name);
const char *sonde_graph_colour_choice_get (SondeGraphColourChoice *choice); /* that is shown */

G_END_DECLS
