/* SPDX-License-Identifier: Apache-2.0
 * Numbers as the Explain page shows them. No GTK. */
#pragma once

#include "data/base/sonde-text.h"

G_BEGIN_DECLS

/* "0.01234", "12.35 M": four significant digits; "–" for NaN. (transfer full) */
char *sonde_explain_number_text (double value);
/* "4 ms", "0.4 s", "12 s", "3 min", "2.5 h"; "" for NaN or negative. (transfer full) */
char *sonde_explain_duration_text (double seconds);

G_END_DECLS
