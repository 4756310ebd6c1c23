/* SPDX-License-Identifier: Apache-2.0
 * Inside of the text debugger; shared by the files of its commands. */
#pragma once

#include <stdatomic.h>

#include "app/front/sonde-front.h"

G_BEGIN_DECLS

/**
 * SondeFront:
 * @waiting: a command waits for a stop
 * @over: no line is to follow
 * @failed: the run or the engine failed
 * @listed_to: last line that `list` showed, 0: begin at the current one
 * @displays: (element-type utf8): shown at every stop, NULL where one was removed
 */
struct _SondeFront
{
  SondeSessionClient *client;
  SondeFrontOptions options;
  _Atomic gboolean waiting;
  gboolean over;
  gboolean failed;
  guint listed_to;
  GPtrArray *displays;
};

/* Calls and waits as long as it takes; a closed session sets front->over. */
SondeSessionReply *sonde_front_call (SondeFront *front, SondeSessionRequest *request,
                                     GError **error);
SondeSessionStatus *sonde_front_get_status (SondeFront *front,
                                            GError **error); /* (transfer full) */

/* Sends what lets it run, and drops events from before: sonde_front_wait() waits for the stop.
 * (transfer full) (nullable) */
SondeSessionReply *sonde_front_go (SondeFront *front, SondeSessionRequest *request, GError **error);

/* The next event, NULL at the time-out or when the session is over. (transfer full) (nullable) */
SondeSessionEvent *sonde_front_next_event (SondeFront *front, int timeout_ms);

/* Sends @resume, waits for the stop or the end, and says which. */
gboolean sonde_front_resume (SondeFront *front, const SondeResume *resume, SondeFrontAnswer *answer,
                             GError **error);
/* The same with a count as the only argument. */
gboolean sonde_front_resume_by (SondeFront *front, SondeResumeKind kind, const char *arguments,
                                SondeFrontAnswer *answer, GError **error);
/* Waits for a stop that was asked for. */
gboolean sonde_front_wait (SondeFront *front, SondeFrontAnswer *answer, GError **error);

/* What a stop or an end says; @status is STOPPED's or ENDED's. */
void sonde_front_answer_stop (SondeFront *front, SondeFrontAnswer *answer,
                              const SondeSessionStatus *status);
void sonde_front_answer_end (SondeFront *front, SondeFrontAnswer *answer,
                             const SondeSessionStatus *status);
/* All displays, at a stop. */
void sonde_front_answer_displays (SondeFront *front, SondeFrontAnswer *answer);
/* dtype, shape, data; as text like NumPy, shortened. @name: (nullable) */
void sonde_front_answer_tensor (SondeFront *front, SondeFrontAnswer *answer,
                                const SondeSessionReply *reply);
/* count, min, max … neg_inf, as members of the object that is open. */
void sonde_front_json_statistics (SondeJsonText *json, const SondeStatistics *statistics);
/* Like NumPy prints it: at most 1,000 elements whole, else the first and last three of each
 * dimension. */
void sonde_front_append_tensor (GString *text, const SondeTensor *tensor);

/* "“conv1”" -> "conv1": quotes around a whole argument go. (transfer full) */
char *sonde_front_unquote (const char *text);
/* Cuts the last word (or quoted text) off: what is before it, NULL when there is nothing. Both
 * (transfer full) */
char *sonde_front_split_last (const char *text, char **last);
/* A number from @minimum on. Errors: INVALID naming @what. */
gboolean sonde_front_parse_number (const char *text, guint64 minimum, const char *what,
                                   guint64 *number, GError **error);
/* FALSE with @error INVALID when there are arguments. */
gboolean sonde_front_no_arguments (const char *arguments, GError **error);

/* sonde-front-evaluate.c */
/* What an argument says, without quotes around the whole. (transfer full) */
char *sonde_front_dup_expression (const char *text);
/* A value with a slice; when there is none of that name, an expression. Replies as the requests for
 * values do. */
SondeSessionReply *sonde_front_look (SondeFront *front, const char *text, SondeSessionWant want,
                                     const char *path, GError **error);
void sonde_front_answer_functions (SondeFront *front, SondeFrontAnswer *answer);
void sonde_front_complete_functions (const char *text, GPtrArray *names);
/* What a breakpoint or the engine says, and that it says nothing any more. Other events:
 * nothing. */
void sonde_front_show_told (SondeFront *front, const SondeSessionEvent *event);

typedef gboolean SondeFrontRun (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                                GError **error);

/* sonde-front-run.c */
SondeFrontRun sonde_front_run_run, sonde_front_run_continue, sonde_front_run_pause,
    sonde_front_run_step, sonde_front_run_next, sonde_front_run_until, sonde_front_run_restart,
    sonde_front_run_back, sonde_front_run_reverse, sonde_front_run_rewind, sonde_front_run_detach,
    sonde_front_run_quit;
/* sonde-front-break.c */
SondeFrontRun sonde_front_run_break, sonde_front_run_tbreak, sonde_front_run_log,
    sonde_front_run_enable, sonde_front_run_disable, sonde_front_run_ignore, sonde_front_run_clear;
gboolean sonde_front_info_breakpoints (SondeFront *front, SondeFrontAnswer *answer, GError **error);
/* sonde-front-nest.c */
SondeFrontRun sonde_front_run_into, sonde_front_run_out, sonde_front_run_up, sonde_front_run_down,
    sonde_front_info_stack;
void sonde_front_json_frame (SondeJsonText *json, const SondeFrame *frame, guint level);
/* The list "stack". @frames: (nullable) */
void sonde_front_json_stack (SondeJsonText *json, const GPtrArray *frames);
void sonde_front_append_iterations (GString *text, const GPtrArray *frames);
/* sonde-front-look.c, -list.c, -info.c */
SondeFrontRun sonde_front_run_print, sonde_front_run_stats, sonde_front_run_save,
    sonde_front_run_display, sonde_front_run_undisplay, sonde_front_run_list, sonde_front_run_info;
/* sonde-front-origin.c */
SondeFrontRun sonde_front_run_origin, sonde_front_run_reduce;
/* sonde-front-change.c */
void sonde_front_json_edit (SondeJsonText *json, const SondeEdit *edit);
char *sonde_front_absolute_source (
    const char *what); /* "file:F.npy" where this program is (transfer full) */
void sonde_front_json_part (SondeJsonText *json, const char *name,
                            const SondeStatistics *statistics);
void sonde_front_text_edit (GString *text, const SondeEdit *edit);
SondeFrontRun sonde_front_run_set, sonde_front_info_edits;
/* sonde-front-diff.c */
SondeFrontRun sonde_front_run_rerun, sonde_front_run_diff;
/* sonde-front-branch.c */
SondeFrontRun sonde_front_run_attr, sonde_front_run_bypass, sonde_front_run_branch;
/* sonde-front-diverge.c, -precision.c */
SondeFrontRun sonde_front_run_diverge, sonde_front_run_precision;
/* sonde-front-watch.c */
SondeFrontRun sonde_front_run_watch, sonde_front_run_recheck, sonde_front_info_watches,
    sonde_front_info_hits;
void sonde_front_answer_watches (SondeFront *front, SondeFrontAnswer *answer,
                                 const GPtrArray *watches);
/* As the array @name. @hits: (nullable) */
void sonde_front_answer_hits (SondeFront *front, SondeFrontAnswer *answer, const char *name,
                              const GPtrArray *hits);
/* sonde-front-capture.c */
SondeFrontRun sonde_front_run_capture;
/* An array of strings. @names: (element-type utf8) */
void sonde_front_json_names (SondeJsonText *json, const char *name, const GPtrArray *names);
/* sonde-front-table.c */
SondeFrontRun sonde_front_run_help;

G_END_DECLS
