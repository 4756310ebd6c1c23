/* SPDX-License-Identifier: Apache-2.0
 * What is said of a sample in a list, in the user's language. */
#pragma once

#include "explain/browsing/sonde-explain-item.h"

G_BEGIN_DECLS

/* "“cat” classified as “dog”", or "“cat” classified correctly". (transfer full) */
char *sonde_explain_item_dup_title (SondeExplainItem *item);
/* "cat → dog", or "cat". (transfer full) */
char *sonde_explain_item_dup_short (SondeExplainItem *item);
/* "p 0.931", and what a second model says. (transfer full) */
char *sonde_explain_item_dup_detail (SondeExplainItem *item);
/* All of it, with probabilities, category and evidence, in lines. (transfer full) */
char *sonde_explain_item_dup_details (SondeExplainItem *item);
/* "0.931", or "–" for NaN. (transfer full) */
char *sonde_explain_probability_text (double p);

G_END_DECLS
