/* SPDX-License-Identifier: Apache-2.0
 * What a debugger command answers: a tagged, owned value, and its two renderings. Front ends with
 * widgets or a protocol of their own read the members and render nothing. */
#pragma once

#include <json-glib/json-glib.h>

#include "engine/commands/sonde-command.h"

G_BEGIN_DECLS

/* In brackets: the member of SondeCommandResult that is valid. */
typedef enum
{
  SONDE_COMMAND_RESULT_DONE,         /* nothing to report */
  SONDE_COMMAND_RESULT_DETACHED,     /* nothing to report, but for people */
  SONDE_COMMAND_RESULT_STOPPED,      /* (stop) */
  SONDE_COMMAND_RESULT_ENDED,        /* (stop) */
  SONDE_COMMAND_RESULT_RESTARTED,    /* (status) */
  SONDE_COMMAND_RESULT_STATE,        /* (status) */
  SONDE_COMMAND_RESULT_BREAKPOINT,   /* (breakpoints): the one that was set */
  SONDE_COMMAND_RESULT_BREAKPOINTS,  /* (breakpoints) */
  SONDE_COMMAND_RESULT_WATCH,        /* (watches): those that were set, one or more */
  SONDE_COMMAND_RESULT_WATCHES,      /* (watches) */
  SONDE_COMMAND_RESULT_HITS,         /* (hits) */
  SONDE_COMMAND_RESULT_STACK,        /* (frames) */
  SONDE_COMMAND_RESULT_FRAME,        /* (frames): .selected was selected */
  SONDE_COMMAND_RESULT_LISTING,      /* (listing) */
  SONDE_COMMAND_RESULT_NODES,        /* (nodes) */
  SONDE_COMMAND_RESULT_OPS,          /* (nodes), of which operators are counted; @list alone */
  SONDE_COMMAND_RESULT_TENSOR,       /* (value): .tensor */
  SONDE_COMMAND_RESULT_STATISTICS,   /* (value): .statistics */
  SONDE_COMMAND_RESULT_SAVED,        /* (value): .file */
  SONDE_COMMAND_RESULT_VALUES,       /* (values) */
  SONDE_COMMAND_RESULT_DISPLAYS,     /* (displays) */
  SONDE_COMMAND_RESULT_EDIT,         /* (edits): the one that was made */
  SONDE_COMMAND_RESULT_EDITS,        /* (edits) */
  SONDE_COMMAND_RESULT_NODE_CHANGED, /* (change) */
  SONDE_COMMAND_RESULT_BRANCHES,     /* (branches) */
  SONDE_COMMAND_RESULT_RERUN,        /* (rerun) */
  SONDE_COMMAND_RESULT_DIFFERENCE,   /* (diff): one difference */
  SONDE_COMMAND_RESULT_BRANCH_DIFFERENCES, /* (diff): one for each value */
  SONDE_COMMAND_RESULT_ORIGIN,             /* (origin) */
  SONDE_COMMAND_RESULT_REDUCTION,          /* (reduction) */
  SONDE_COMMAND_RESULT_DIVERGENCE,         /* (divergence) */
  SONDE_COMMAND_RESULT_PRECISION,          /* (precision) */
  SONDE_COMMAND_RESULT_CAPTURE,            /* (capture) */
  SONDE_COMMAND_RESULT_PROFILE,            /* (profile) */
  SONDE_COMMAND_RESULT_HELP,               /* (help) */
  SONDE_COMMAND_RESULT_FUNCTIONS,          /* of expressions, see sonde_expression_help() */
} SondeCommandResultKind;

/**
 * SondeCommandValue: a value or the value of an expression
 * @name: of the value, or the expression
 * @tensor: (nullable): of TENSOR
 * @statistics: of STATISTICS
 * @file: (nullable): of SAVED: as it was given
 */
typedef struct
{
  char *name;
  SondeDtype dtype;
  SondeShape shape;
  SondeTensor *tensor;
  SondeStatistics statistics;
  char *file;
} SondeCommandValue;

void sonde_command_value_free (SondeCommandValue *value);

/**
 * SondeCommandDisplay: an expression that is shown at each stop
 * @number: from 1
 * @value: (nullable): NULL with @error
 */
typedef struct
{
  guint number;
  char *expression;
  SondeCommandValue *value;
  GError *error;
} SondeCommandDisplay;

/**
 * SondeCommandStop:
 * @status: where the run stands (->stop), or how it ended (->end)
 * @displays: (element-type SondeCommandDisplay) (nullable): NULL at an end and without displays
 * @file: (nullable): of rewind: the batch
 */
typedef struct
{
  SondeSessionStatus *status;
  GPtrArray *displays;
  char *file;
} SondeCommandStop;

/* @breakpoints: (element-type SondeBreakpoint); @watches: (element-type SondeWatch)
 * (nullable): NULL where watches were not concerned */
typedef struct
{
  GPtrArray *breakpoints, *watches;
} SondeCommandBreakpoints;

/* @frames: (element-type SondeFrame): from the innermost */
typedef struct
{
  GPtrArray *frames;
  guint selected;
} SondeCommandFrames;

/**
 * SondeCommandListing:
 * @lines: (array zero-terminated=1)
 * @first: number of the first of @lines, from 1; @current: of the line it stands at, 0: none
 */
typedef struct
{
  char **lines;
  guint first, current;
} SondeCommandListing;

/* @status: where it stands in the new branch */
typedef struct
{
  SondeEdit *edit;
  SondeSessionStatus *status;
  SondeMessage *note; /* (nullable) */
} SondeCommandNodeChange;

/* @branches: (element-type SondeBranch); @status: (nullable): where it stands; @changed: a
 * branch was made or switched to */
typedef struct
{
  GPtrArray *branches;
  SondeSessionStatus *status;
  gboolean changed;
} SondeCommandBranches;

/**
 * SondeCommandRerun:
 * @node: as it was asked for; @precision, @device: (nullable): as asked for
 * @note: (nullable): what computed
 * @differences: (element-type SondeDifference): one an output
 * @edits: (element-type SondeEdit): what the run took over, none without "--take"
 */
typedef struct
{
  char *node, *precision, *device;
  SondeMessage *note;
  GPtrArray *differences, *edits;
} SondeCommandRerun;

/* @a, @b: (nullable): what was compared; @differences: (element-type SondeDifference) */
typedef struct
{
  char *a, *b;
  GPtrArray *differences;
} SondeCommandDiff;

/* @file: as it was given */
typedef struct
{
  char *file;
  SondePrecisionFound *found;
} SondeCommandPrecision;

/* @n_stops: breakpoints and watches in the file */
typedef struct
{
  char *file;
  guint n_stops;
} SondeCommandCapture;

/* @run: (nullable): the folder of the run in which it was kept; NULL of all but `profile save`
 * @trace: (nullable): the file that a framework's profiler wrote
 * @needs_run: it has ended and is lost unless somebody names a run for it */
typedef struct
{
  SondeSpanLogStatus status;
  char *run, *trace;
  gboolean needs_run;
} SondeCommandProfile;

/* info nodes. @list: (element-type SondeStepInfo); @pattern: (nullable): what was asked for; @near: (element-type utf8):
 * names like it, where none matches */
typedef struct
{
  GPtrArray *list;
  char *pattern;
  GPtrArray *near;
} SondeCommandNodes;

typedef struct _SondeCommandResultClass SondeCommandResultClass;

/**
 * SondeCommandResult:
 * @class: how it is rendered and freed; private
 * @watches: (element-type SondeWatch); @hits: (element-type SondeWatchHit); @values:
 *   (element-type SondeValueInfo); @displays: (element-type SondeCommandDisplay); @edits:
 *   (element-type SondeEdit); @help: (element-type SondeCommandHelp): static rows
 */
typedef struct
{
  SondeCommandResultKind kind;
  const SondeCommandResultClass *class;
  union
  {
    SondeCommandStop stop;
    SondeSessionStatus *status;
    SondeCommandBreakpoints breakpoints;
    GPtrArray *watches;
    GPtrArray *hits;
    SondeCommandFrames frames;
    SondeCommandListing listing;
    SondeCommandNodes nodes;
    SondeCommandValue *value;
    GPtrArray *values;
    GPtrArray *displays;
    GPtrArray *edits;
    SondeCommandNodeChange change;
    SondeCommandBranches branches;
    SondeCommandRerun rerun;
    SondeCommandDiff diff;
    SondeOrigin *origin;
    SondeReducedCase *reduction;
    SondeDivergence *divergence;
    SondeCommandPrecision precision;
    SondeCommandCapture capture;
    SondeCommandProfile profile;
    GPtrArray *help;
  };
} SondeCommandResult;

void sonde_command_result_free (SondeCommandResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeCommandResult, sonde_command_result_free)

/* Whole lines for people, translated. */
void sonde_command_result_to_text (const SondeCommandResult *result, GString *text);
/* Members of the object that is open in @builder; English in every locale. */
void sonde_command_result_to_json (const SondeCommandResult *result, JsonBuilder *builder);

/**
 * sonde_command_answer_to_json:
 * @name: (nullable): of the command; NULL for a stop or end that no command waited for
 * @result: (nullable): NULL: @error is rendered
 *
 * {"ok": true, "command": NAME, …}, or {"ok": false, "command": NAME, "error": …}; without newline.
 * Returns: (transfer full)
 */
char *sonde_command_answer_to_json (const char *name, const SondeCommandResult *result,
                                    const GError *error);

/**
 * sonde_command_event_to_json:
 * @pid: of the engine
 * Messages of log points, that the engine does not answer or answers again, and progress. Returns: (transfer
 * full) (nullable): NULL for all other events
 */
char *sonde_command_event_to_json (const SondeSessionEvent *event, int pid);

G_END_DECLS
