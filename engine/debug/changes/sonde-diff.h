/* SPDX-License-Identifier: Apache-2.0
 * Values by what a user calls them: of the present position, of a branch, of the step before; and
 * two of them, or two branches, compared. */
#pragma once

#include "engine/debug/changes/sonde-changes.h"
#include "engine/live/sonde-difference.h"

G_BEGIN_DECLS

/**
 * sonde_changes_evaluate:
 * @text: "VALUE[slice]", "VALUE[slice]@BRANCH", "VALUE[slice]@prev" (the step before), or an
 * expression
 *
 * Returns: (transfer full): of the value's own type where nothing is calculated. Errors: as of
 * finding, reading and evaluating; INVALID for a text that is none of these.
 */
SondeTensor *sonde_changes_evaluate (SondeChanges *changes, const char *text, GError **error);

/* Whether @text is the number or the name of a branch, and no value. */
gboolean sonde_changes_is_branch (SondeChanges *changes, const char *text);

/**
 * sonde_changes_diff_branches:
 * @b: (nullable): the present one
 *
 * Every value that both have computed: those that no node makes where they differ, then each
 * node's, in the order in which
 * @a runs. Returns: (transfer full) (element-type SondeDifference). Errors: NOT_FOUND.
 */
GPtrArray *sonde_changes_diff_branches (SondeChanges *changes, const char *a, const char *b,
                                        GError **error);

G_END_DECLS
