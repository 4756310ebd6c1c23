/* SPDX-License-Identifier: Apache-2.0
 * Where a pattern occurs in the recorded texts of a run, at all their steps; read and matched in the background. */
#pragma once

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

#define SONDE_TEXT_SEARCH_MAX_MATCHES 10000

/* One place. @tag: interned; @line: in which it is, valid UTF-8, shortened around the match; @start, @length: bytes of
 * the match in @line */
typedef struct
{
  const char *tag;
  gint64 step;
  char *line;
  guint start, length;
} SondeTextMatch;

typedef struct _SondeTextSearch SondeTextSearch;

/* @changed: there are more matches, or the search ended; main thread */
SondeTextSearch *sonde_text_search_new (void (*changed) (void *user_data), void *user_data);
void sonde_text_search_free (SondeTextSearch *search); /* (nullable): nothing is called any more */

/**
 * sonde_text_search_start:
 * @tags: (element-type utf8): searched one after the other, each by ascending step
 *
 * In place of the search before, whose matches are gone. It ends after SONDE_TEXT_SEARCH_MAX_MATCHES.
 */
void sonde_text_search_start (SondeTextSearch *search, SondeRun *run, GPtrArray *tags,
                              GRegex *regex);
void sonde_text_search_stop (SondeTextSearch *search); /* no matches any more */

/* (element-type SondeTextMatch) (transfer none): until the next start or stop; grows meanwhile */
const GPtrArray *sonde_text_search_get_matches (SondeTextSearch *search);
gboolean sonde_text_search_is_busy (SondeTextSearch *search);
gboolean sonde_text_search_is_cut (SondeTextSearch *search); /* there may be more matches */

G_END_DECLS
