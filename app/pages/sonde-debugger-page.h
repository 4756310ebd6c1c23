/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page: a network paused between two nodes: listing with breakpoints, graph with the
 * current node, values with statistics. */
#pragma once

#include "engine/frontend/sonde-debug-session.h"
#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUGGER_PAGE (sonde_debugger_page_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebuggerPage, sonde_debugger_page, SONDE, DEBUGGER_PAGE, SondePage)

/* The view of a SondePageRequest that asks what to attach to. */
#define SONDE_DEBUGGER_VIEW_ATTACH "attach"

/* (transfer none) */
SondeDebugSession *sonde_debugger_page_get_session (SondeDebuggerPage *page);

G_END_DECLS
