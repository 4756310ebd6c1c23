/* SPDX-License-Identifier: Apache-2.0
 * The tags of one kind over runs, and which of them a filter lets through. */
#pragma once

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

/* @runs: of SondeRun. Returns: (transfer container) (element-type utf8): interned, each once,
 * sorted by bytes */
GPtrArray *sonde_tag_names_collect (GListModel *runs, SondeRecordKind kind);

/* Brings together what differs in its first part alone: "gradients/fc1.weight" and "weights/fc1.weight" stand side by
 * side. @tags: (element-type utf8) */
void sonde_tag_names_pair (GPtrArray *tags);

/* Whether @filter lets @tag through. @filter: (nullable): text that the tag must contain in any
 * case, or a pattern with * and ? for all of it; NULL or "" is every tag */
gboolean sonde_tag_matches (const char *tag, const char *filter);

G_END_DECLS
