/* SPDX-License-Identifier: Apache-2.0
 * The source of a network: the listing of its executed graph, one node a line. It is served, and
 * written beside the model so that an editor can keep breakpoints in it. */
#pragma once

#include "app/dap/sonde-dap-json.h"
#include "engine/session/client/sonde-session-client.h"

G_BEGIN_DECLS

/* The listing is source 1. */
#define SONDE_DAP_LISTING 1

/**
 * SondeDapSource: strings are owned
 * @title: of the session
 * @path: (nullable): of the file that has the listing
 * @names: (element-type utf8): by line, from 0: the node that is computed there, NULL for other
 * lines
 */
typedef struct
{
  char *title, *text, *path;
  GPtrArray *names;
} SondeDapSource;

/**
 * sonde_dap_source_new:
 * @text: the listing
 * @status: of the session
 * @subject: (nullable): what was opened: a file of that name gets the listing as a neighbour; else
 *   it lies in the run's folder or in the user's cache, whichever can be written
 */
SondeDapSource *sonde_dap_source_new (const char *text, const SondeSessionStatus *status,
                                      const char *subject);
void sonde_dap_source_free (SondeDapSource *source);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDapSource, sonde_dap_source_free)

/* Node on @line (from 1), or on the next one that has one, of bodies too; NULL after the last.
 * @found: (out): its line */
const char *sonde_dap_source_find_node (const SondeDapSource *source, guint line, guint *found);
/* Line of the node of that name (nullable), 0 when it has none. */
guint sonde_dap_source_find_line (const SondeDapSource *source, const char *name);
/* Whether a "source" of the editor is the listing. */
gboolean sonde_dap_source_is (const SondeDapSource *source, JsonObject *given);

/* Members of a "Source" in the object that is open. */
void sonde_dap_source_append (const SondeDapSource *source, JsonBuilder *body);

G_END_DECLS
