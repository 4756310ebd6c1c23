/* SPDX-License-Identifier: Apache-2.0
 * Loops as MindIR has them: a function that asks, calls its body or ends, and is called by the body again.
 * What goes round is handed from call to call. */
#pragma once

#include "data/models/mindir/write/sonde-mindir-writer.h"

G_BEGIN_DECLS

/* What is handed round first: number of the round (int64), and whether to go on (bool). */
enum
{
  SONDE_ROUND_NUMBER,
  SONDE_ROUND_GOING,
  SONDE_ROUND_FIRST, /* of what the caller adds */
};

/**
 * SondeMindirRounds:
 * @names: (element-type utf8): what goes round, as the function at work calls it
 * @types: (element-type SondeType): theirs, NULL where not known
 * @limit: place of the number of rounds among them; 0: none
 */
typedef struct
{
  GPtrArray *names, *types;
  const char *head, *body, *result;
  guint limit;
} SondeMindirRounds;

/* @going: (nullable): whether to begin; NULL: yes */
void sonde_mindir_rounds_init (SondeMindirRounds *rounds, SondeMindirWriter *w, const char *going);
void sonde_mindir_rounds_clear (SondeMindirRounds *rounds);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeMindirRounds, sonde_mindir_rounds_clear)

/* Something more goes round. @type: (nullable): lent until the end. Returns: its place in @names */
guint sonde_mindir_rounds_add (SondeMindirRounds *rounds, const char *name, const SondeType *type);
/* Ends after so many rounds. @limit: int64 scalar */
void sonde_mindir_rounds_set_limit (SondeMindirRounds *rounds, const char *limit);
/* The body follows; it puts into @names what goes into the next round, but for the number. */
void sonde_mindir_rounds_begin (SondeMindirRounds *rounds, SondeMindirWriter *w);
/* Then: @names are what it all came to. */
void sonde_mindir_rounds_end (SondeMindirRounds *rounds, SondeMindirWriter *w);

/* Part @index of @x along @axis, which goes; @index: int64 scalar */
const char *sonde_mindir_pick (SondeMindirWriter *w, const char *x, const char *index, gint64 axis);
/* @x, but its part @index along the first dimension is @part. */
const char *sonde_mindir_place (SondeMindirWriter *w, const char *x, const char *index,
                                const char *part);
/* The place for parts of a value of @type along @axis, which comes first. NULL when sizes are not
 * known. */
const char *sonde_mindir_write_room (SondeMindirWriter *w, const SondeType *type, gint64 axis);
/* The other way round: a room's first dimension goes to @axis. @rank: of the room */
const char *sonde_mindir_leave_room (SondeMindirWriter *w, const char *room, gint64 axis, int rank);
/* An int64 scalar. */
const char *sonde_mindir_write_whole (SondeMindirWriter *w, gint64 number);

G_END_DECLS
