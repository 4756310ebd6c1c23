/* SPDX-License-Identifier: Apache-2.0
 * A piece of advice: its sentence, the numbers it rests on, what it would gain, and the way there. */
#pragma once

#include <gtk/gtk.h>

#include "app/workspace/sonde-trace-document.h"
#include "data/profiles/sonde-profile-advice.h"

G_BEGIN_DECLS

/* @advice: of the document's profile */
GtkWidget *sonde_advice_card_new (SondeTraceDocument *document, const SondeAdvice *advice);

/* Marks a step as the selected stretch and shows it in the timeline; FALSE when the trace marks no such
 * step. @i: from 0, of the profile's steps */
gboolean sonde_profiler_show_step (SondeTraceDocument *document, guint i);

G_END_DECLS
