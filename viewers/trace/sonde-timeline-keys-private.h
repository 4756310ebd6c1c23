/* SPDX-License-Identifier: Apache-2.0
 * Keys of the timeline that go from the selected span to others. */
#pragma once

#include "viewers/trace/sonde-timeline-view.h"

/* M selects the stretch of the selected span; comma and period the span before and behind it in its row;
 * [ and ] the span that an arrow comes from or goes to. */
void sonde_timeline_keys_add (GtkWidgetClass *class);
