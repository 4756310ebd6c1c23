/* SPDX-License-Identifier: Apache-2.0
 * Inside of the Debugger page; for its files. */
#pragma once

#include "app/debugger/sonde-debug-actions.h"
#include "app/debugger/sonde-debug-input-note.h"
#include "app/debugger/sonde-debug-keys.h"
#include "app/debugger/sonde-debug-line-values.h"
#include "app/debugger/sonde-debug-locations.h"
#include "app/pages/sonde-debugger-page.h"

G_BEGIN_DECLS

struct _SondeDebuggerPage
{
  SondePage parent_instance;

  GtkWidget *pages, *welcome, *bar, *below, *layout, *not_responding, *input_note, *listing, *graph,
      *values, *dock;
  SondeDebugSession *session;
  SondeDebugActions *actions;
  SondeDebugLocations *locations;
  SondeDebugLineValues *line_values;
  SondeDebugKeys *keys;  /* (nullable): only while the page is open */
  GCancellable *looking; /* (nullable): for what could be debugged */
  guint look_timeout;
  guint arguments_idle; /* what the command line asked for is about to be started */
  gboolean arguments_used;
  char *subject;    /* (nullable): what was opened, to open it again with an input */
  char *start_at;   /* (nullable): open the best target and stop there */
  gboolean started; /* something was opened or attached */
  gboolean is_settled;
};

/* ---- sonde-debugger-page-session.c --------------------------------------- */

/* Whether there is something to wait for. */
void sonde_debugger_page_update_settled (SondeDebuggerPage *self);

/* Something opens, with @at as in sonde_debug_session_open(), or is attached to. */
void sonde_debugger_page_start (SondeDebuggerPage *self, const SondeOpenRequest *request,
                                const char *at);
void sonde_debugger_page_attach (SondeDebuggerPage *self, const char *target);
/* @client: (transfer full): attached */
void sonde_debugger_page_take (SondeDebuggerPage *self, SondeSessionClient *client);
/* The session is over, or never began: leaves it and says why. */
void sonde_debugger_page_leave (SondeDebuggerPage *self, const char *icon, const char *title,
                                const char *sentence);
void sonde_debugger_page_show_nothing (SondeDebuggerPage *self);
void sonde_debugger_page_show_welcome (SondeDebuggerPage *self, const char *icon, const char *title,
                                       const char *sentence);
/* What could be debugged: shown, or opened where that was asked for. */
void sonde_debugger_page_look_for_targets (SondeDebuggerPage *self);
/* The same with another run than a look that is under way knew of. */
void sonde_debugger_page_look_again (SondeDebuggerPage *self);
/* What the command line asked for. */
void sonde_debugger_page_start_from_arguments (SondeDebuggerPage *self);

G_END_DECLS
