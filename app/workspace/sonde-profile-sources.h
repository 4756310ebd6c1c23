/* SPDX-License-Identifier: Apache-2.0
 * The profiles that a window can show: traces that were opened, and runs whose record holds one; which of
 * them is open, and that document, for every page that shows something of it. */
#pragma once

#include "app/workspace/sonde-trace-document.h"
#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PROFILE_SOURCES (sonde_profile_sources_get_type ())
G_DECLARE_FINAL_TYPE (SondeProfileSources, sonde_profile_sources, SONDE, PROFILE_SOURCES, GObject)

/* Signals: "changed" (): the list is another one, or titles are; "document-changed" (): another document is
 * open, or none. */

/* @path: absolute, of a trace, a run, or a folder of another profiler; @run: (nullable): whose it is */
typedef struct
{
  char *path;
  SondeRun *run;
} SondeProfileSource;

/* What a run is called on the screen; until the next call. */
typedef const char *(*SondeProfileTitle) (gpointer data, SondeRun *run);

/* @traces: (array zero-terminated=1): absolute paths; @title, @data: outlive the sources */
SondeProfileSources *sonde_profile_sources_new (SondeRunStore *store, const char *const *traces,
                                                SondeProfileTitle title, gpointer data);
/* Runs, records or titles are others than before. */
void sonde_profile_sources_update (SondeProfileSources *sources);
/* Records came, but no run and no kind of record: a run that is open and got another recording is read again. */
void sonde_profile_sources_follow (SondeProfileSources *sources);

/* Traces, then runs in the store's order. */
guint sonde_profile_sources_get_n (SondeProfileSources *sources);
const SondeProfileSource *sonde_profile_sources_get (SondeProfileSources *sources, guint i);
char *sonde_profile_sources_dup_title (SondeProfileSources *sources, guint i);
/* Index of @path; -1: not one of them. */
int sonde_profile_sources_find (SondeProfileSources *sources, const char *path);

/* Whether the run's record holds a profile. */
gboolean sonde_profile_sources_is_recorded (SondeRun *run);

/* Opens a source, or another trace, which becomes one; what was open is closed. @recording: of a run: its number; 0: the
 * last, also where the store does not know of it yet. When the run gets another one, that is opened.
 * @path: (nullable): NULL: closes */
void sonde_profile_sources_open (SondeProfileSources *sources, const char *path, guint64 recording);
/* Unless something is open: the first trace, else the profile of @run (nullable), else that of the first
 * run that has one. FALSE: there is none. */
gboolean sonde_profile_sources_open_any (SondeProfileSources *sources, SondeRun *run);

/* What is open. (nullable) (transfer none) */
SondeTraceDocument *sonde_profile_sources_get_document (SondeProfileSources *sources);

G_END_DECLS
