/* SPDX-License-Identifier: Apache-2.0
 * Counterfactual boxes from the JSON that `sonde explain --hoc` writes. */
#pragma once

#include "explain/study/sonde-study-types.h"

G_BEGIN_DECLS

/* @name: for messages. Any thread. (transfer full): sample 0. Errors: LIMIT, DAMAGED, INVALID for
 * boxes or steps that cannot be. */
SondeStudyBoxes *sonde_explained_boxes_parse (GBytes *json, const char *name, GError **error);

G_END_DECLS
