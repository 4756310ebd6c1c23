/* SPDX-License-Identifier: Apache-2.0
 * Parameters that learn otherwise than the rest, by glob on their names. */
#pragma once

#include "engine/ops/sonde-engine-error.h"

G_BEGIN_DECLS

/**
 * SondeParameterGroup:
 * @pattern: glob on the parameter's name
 * @rate: factor of the learning rate
 * @weight_decay: NAN: as the others
 * @frozen: no gradient, no update
 */
typedef struct
{
  char *pattern;
  double rate, weight_decay;
  gboolean frozen;
} SondeParameterGroup;

/**
 * sonde_parameter_groups_parse:
 * @text: "*.bias weight-decay=0; backbone.* rate=0.1 weight-decay=1e-5; stem.* frozen"
 *
 * Returns: (transfer full) (element-type SondeParameterGroup). Errors: INVALID naming the group and
 * what is allowed
 */
GArray *sonde_parameter_groups_parse (const char *text, GError **error);

/* The first group that matches. @groups: (nullable). Returns: (nullable) */
const SondeParameterGroup *sonde_parameter_groups_find (const GArray *groups,
                                                        const char *parameter);

G_END_DECLS
