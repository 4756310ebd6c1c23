/* SPDX-License-Identifier: Apache-2.0
 * What a session's server asks of what it debugs, whatever that is: the engine's own debugger, or a
 * loop that is somebody else's (sonde-live-loop.h). Requests that are not in this table (changing
 * the graph, going back, searches) are the engine's own.
 *
 * Threads: all but @interrupt are called on the thread that runs, while it stands or between two
 * nodes. */
#pragma once

#include "engine/live/sonde-expression.h"
#include "engine/types/sonde-breakpoint.h"
#include "engine/types/sonde-stop.h"

G_BEGIN_DECLS

typedef struct _SondeLiveTarget SondeLiveTarget;

/**
 * SondeLiveTargetClass: every entry is required
 * @interrupt: any thread: the run stands before its next node, once, so that it can be asked
 * @get_stop: where it stands; everything in it is lent, frames are left out
 * @get_frames: from the innermost outwards. (element-type SondeFrame) (transfer full)
 * @get_selected, @select_frame: in which names are looked up first. Errors: NOT_FOUND
 * @resume: how it is to go on; who serves it lets it. Errors: INVALID, NOT_FOUND, STATE
 * @stop_here: a stop of reason PAUSE, at the present place, or where it comes to one
 * @has_stopped: it stopped by itself; FALSE: it was only interrupted
 * @add_breakpoint: (transfer none). Errors: NOT_FOUND, INVALID, MEMORY, STATE
 * @get_breakpoints: in order of ids. (element-type SondeBreakpoint) (transfer none)
 * @remove, @enable, @ignore: breakpoints and watches have ids of the same numbers; 0: all. Errors:
 *   NOT_FOUND
 * @add_watches: as sonde_debugger_add_watches(). (element-type SondeWatch) (transfer container)
 * @get_watches: in order of ids. (element-type SondeWatch) (transfer none)
 * @get_watch_hits: the last ones, of @id or (0) of all. (element-type SondeWatchHit) (transfer
 *   container)
 * @recheck: what watches meet now or, with @step, met then, without counting it; @may_go: the run
 *   may go there and come back. (element-type SondeWatchHit) (transfer full). Errors: STATE
 */
typedef struct
{
  void (*interrupt) (SondeLiveTarget *target);
  void (*get_stop) (SondeLiveTarget *target, SondeStop *stop);
  GPtrArray *(*get_frames) (SondeLiveTarget *target);
  guint (*get_selected) (SondeLiveTarget *target);
  gboolean (*select_frame) (SondeLiveTarget *target, guint level, GError **error);
  gboolean (*resume) (SondeLiveTarget *target, const SondeResume *resume, GError **error);
  void (*stop_here) (SondeLiveTarget *target);
  gboolean (*has_stopped) (SondeLiveTarget *target);
  const SondeBreakpoint *(*add_breakpoint) (SondeLiveTarget *target,
                                            const SondeBreakpointSpec *spec, GError **error);
  GPtrArray *(*get_breakpoints) (SondeLiveTarget *target);
  gboolean (*remove) (SondeLiveTarget *target, guint id, GError **error);
  gboolean (*enable) (SondeLiveTarget *target, guint id, gboolean enabled, GError **error);
  gboolean (*ignore) (SondeLiveTarget *target, guint id, guint64 count, GError **error);
  GPtrArray *(*add_watches) (SondeLiveTarget *target, const char *text, GError **error);
  GPtrArray *(*get_watches) (SondeLiveTarget *target);
  GPtrArray *(*get_watch_hits) (SondeLiveTarget *target, guint id);
  GPtrArray *(*recheck) (SondeLiveTarget *target, guint64 step, gboolean may_go, GError **error);
} SondeLiveTargetClass;

/* First member of every target. */
struct _SondeLiveTarget
{
  const SondeLiveTargetClass *klass;
};

G_END_DECLS
