/* SPDX-License-Identifier: Apache-2.0
 * What a person says of runs: kept beside the records, never in them, in one key file of the user
 * (XDG_DATA_HOME/sonde/runs.ini), a group for each run by its path. Who owns it saves it; what another
 * window or process saves meanwhile is read again. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* All are texts; without one the run has none. */
typedef enum
{
  SONDE_RUN_MARK_TITLE,  /* what it is called on the screen */
  SONDE_RUN_MARK_NOTE,   /* lines */
  SONDE_RUN_MARK_TAGS,   /* words, as sonde_run_marks_split_tags() takes them */
  SONDE_RUN_MARK_PIN,    /* "true": it stands first */
  SONDE_RUN_MARK_HIDDEN, /* "true": no chart shows it */
  SONDE_RUN_MARK_COLOR,  /* "#rrggbb", or the number of a series' hue */
  SONDE_N_RUN_MARKS
} SondeRunMark;

#define SONDE_TYPE_RUN_MARKS (sonde_run_marks_get_type ())
G_DECLARE_FINAL_TYPE (SondeRunMarks, sonde_run_marks, SONDE, RUN_MARKS, GObject)

/* Signal "changed" (): somebody else saved other marks. Of those HIDDEN is left as it is here: two
 * windows may show different runs. */

/* @path: (nullable): of the file; NULL is the user's. A file that cannot be read is as good as none. */
SondeRunMarks *sonde_run_marks_new (const char *path);

/* @run: absolute path. (nullable) (transfer none): until the next change */
const char *sonde_run_marks_get (SondeRunMarks *marks, const char *run, SondeRunMark mark);
/* @value: (nullable): NULL and "" take the mark away. Returns: whether it was another. */
gboolean sonde_run_marks_set (SondeRunMarks *marks, const char *run, SondeRunMark mark,
                              const char *value);
/* Writes what was set since the last time into the file as it is now. Errors: SONDE_DATA_ERROR_*. */
gboolean sonde_run_marks_save (SondeRunMarks *marks, GError **error);

/* The words of @tags between commas and spaces, without a "#" before them, each once.
 * @tags: (nullable). (transfer full) (array zero-terminated=1) */
char **sonde_run_marks_split_tags (const char *tags);

G_END_DECLS
