/* SPDX-License-Identifier: Apache-2.0
 * What is in a trace, as JSON for programs. It is made as text, an element of a list after the other, since there may be
 * hundreds of thousands of threads and names. */
#pragma once

#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

/* Appends one object. */
void sonde_inspect_trace_append_json (GString *text, const char *path, const SondeTrace *trace);

G_END_DECLS
