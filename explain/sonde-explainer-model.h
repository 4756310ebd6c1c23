/* SPDX-License-Identifier: Apache-2.0
 * The model of an explainer, for the methods that cut or change it, and what they keep with it. What
 * does not live here: running it (sonde-explainer-pass.h). */
#pragma once

#include "explain/sonde-explainer.h"

G_BEGIN_DECLS

/* Lent: the model, prepared for inference; its device; the name of its input. */
SondeGraph *sonde_explainer_get_model (SondeExplainer *explainer);
SondeDevice *sonde_explainer_get_device (SondeExplainer *explainer);
const char *sonde_explainer_get_input (SondeExplainer *explainer);
/* What belongs to the explainer and is found again by its key; of many, those kept first are freed.
 * (transfer none) (nullable) */
gpointer sonde_explainer_find_kept (SondeExplainer *explainer, const char *key);
/* @data: (transfer full) */
void sonde_explainer_keep (SondeExplainer *explainer, const char *key, gpointer data,
                           GDestroyNotify destroy);
/* Passes whose activations take more than @bytes find no memory; 0: no limit of its own. */
void sonde_explainer_set_memory_limit (SondeExplainer *explainer, guint64 bytes);
/* Of one pass: one of a model that takes no other number; less after a batch that found no
 * memory. */
gint64 sonde_explainer_get_most_rows (SondeExplainer *explainer);
/* Another model on the same device. Errors: as sonde_explainer_new(). */
SondeExplainer *sonde_explainer_new_beside (SondeExplainer *explainer, SondeGraph *model,
                                            GError **error);

G_END_DECLS
