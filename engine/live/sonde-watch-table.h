/* SPDX-License-Identifier: Apache-2.0
 * The watches of one session: their texts, what they met, what becomes of a hit. Which values a
 * watch looks at, and when, is its owner's business: the table never looks at a graph.
 *
 * Threads: the one that runs; nothing is locked. */
#pragma once

#include "engine/live/sonde-condition.h"
#include "engine/live/sonde-expression.h"
#include "engine/types/sonde-watchpoint.h"

G_BEGIN_DECLS

/* Most watches of one session; more are refused with SONDE_ENGINE_ERROR_MEMORY. */
#define SONDE_DEBUGGER_MAX_WATCHES 10000
/* Most hits that are kept; older ones go. */
#define SONDE_DEBUGGER_MAX_WATCH_HITS 1000
/**
 * SondeArmedWatch: a watch with what was parsed of it
 * @condition: its klass is NULL of an expression
 * @expression: (nullable)
 */
typedef struct
{
  SondeWatch info; /* first member */
  SondeCondition condition;
  SondeExpression *expression;
} SondeArmedWatch;

/* @text: one watch, as sonde_debugger_add_watches() takes it. Errors: INVALID, NOT_FOUND of a
 * condition's names. (transfer full) */
SondeArmedWatch *sonde_armed_watch_new (const char *text, GError **error);
void sonde_armed_watch_free (SondeArmedWatch *watch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeArmedWatch, sonde_armed_watch_free)

/* @text asks for the recommended set: "preset recommended [nostop]". */
gboolean sonde_watch_text_is_recommended (const char *text, gboolean *nostop);

/* What it looks at is called so: "tensor", "weight" … */
const char *sonde_armed_watch_target_name (const SondeArmedWatch *watch);

/**
 * SondeWatchTable:
 * @list: (element-type SondeArmedWatch): in order of ids
 * @hits: (element-type SondeWatchHit): the last ones
 * @stops: (element-type SondeWatchHit): of the present stop
 */
typedef struct
{
  GPtrArray *list;
  GQueue hits;
  GPtrArray *stops;
} SondeWatchTable;

void sonde_watch_table_init (SondeWatchTable *table);
void sonde_watch_table_clear (SondeWatchTable *table);

/* Errors: MEMORY: there are too many. */
gboolean sonde_watch_table_has_room (const SondeWatchTable *table, GError **error);
/* @watch: (transfer full); @id: of its own from now on */
void sonde_watch_table_add (SondeWatchTable *table, SondeArmedWatch *watch, guint id);

typedef enum
{
  SONDE_WATCH_ENABLE, /* value 0: disable */
  SONDE_WATCH_IGNORE, /* value: hits */
  SONDE_WATCH_REMOVE,
} SondeWatchChange;

/* @id 0: all. FALSE: there is none of that id. */
gboolean sonde_watch_table_change (SondeWatchTable *table, guint id, SondeWatchChange change,
                                   guint64 value);

/**
 * sonde_watch_table_note:
 * @hit: (transfer full): a hit, or what could not be checked
 * @again: it was met before, on a way back: nothing is counted
 *
 * Returns: TRUE when the run is to stop.
 */
gboolean sonde_watch_table_note (SondeWatchTable *table, SondeArmedWatch *watch, SondeWatchHit *hit,
                                 gboolean again);
/* The run goes on. */
void sonde_watch_table_forget_stop (SondeWatchTable *table);

/* The last hits, oldest first. @id 0: of all. (element-type SondeWatchHit) (transfer container) */
GPtrArray *sonde_watch_table_get_hits (const SondeWatchTable *table, guint id);

G_END_DECLS
