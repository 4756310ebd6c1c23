/* SPDX-License-Identifier: Apache-2.0
 * The summaries of rows, for the index alone. */
#pragma once

#include "viewers/layout/trace/sonde-timeline-index.h"

/* Fills codes, blocks and groups; rows and order are there. */
void sonde_timeline_summarise (SondeTimelineIndex *index);
