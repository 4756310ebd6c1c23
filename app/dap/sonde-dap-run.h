/* SPDX-License-Identifier: Apache-2.0
 * Resuming the run, and what the editor is told when it stops or ends. */
#pragma once

#include "app/dap/sonde-dap-request.h"

G_BEGIN_DECLS

/* Sends @question, which resumes the run; the stop comes as an event. @reason: static (nullable) */
void sonde_dap_resume (SondeDap *dap, SondeSessionRequest *question, const char *reason);
/* The same with a SondeResumeKind. */
void sonde_dap_resume_kind (SondeDap *dap, SondeResumeKind kind, const char *reason);
/* Reports a stop to the editor, with @reason or as in dap->status (both nullable). */
void sonde_dap_tell_stop (SondeDap *dap, const char *reason, const char *description);
/* The session is over; reported once. */
void sonde_dap_tell_end (SondeDap *dap, int exit_status);
void sonde_dap_on_event (SondeDap *dap, SondeSessionEvent *event);
/* @status: (transfer full) */
void sonde_dap_take_status (SondeDap *dap, SondeSessionStatus *status);
SondeDapHandle sonde_dap_continue, sonde_dap_next, sonde_dap_step_in, sonde_dap_step_out,
    sonde_dap_step_back, sonde_dap_reverse_continue, sonde_dap_pause, sonde_dap_restart_frame,
    sonde_dap_restart, sonde_dap_goto_targets, sonde_dap_goto;

G_END_DECLS
