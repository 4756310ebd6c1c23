/* SPDX-License-Identifier: Apache-2.0
 * A folder of dumped tensors as an activity: nothing runs, every iteration can be looked at. */
#pragma once

#include "engine/session/activity/sonde-activity.h"

G_BEGIN_DECLS

/* @request: its subject is a folder; of its sets rank=N, net=NAME and graph=N choose where there
 * are several. Step N is iteration N - 1, as MindInsight counts. Errors: NOT_FOUND; of the folder
 * and its files. */
SondeActivity *sonde_dump_activity_new (const SondeOpenRequest *request, GError **error);

G_END_DECLS
