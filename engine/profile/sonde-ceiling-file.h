/* SPDX-License-Identifier: Apache-2.0
 * What was measured of this machine, in a key file of the user's cache folder, and how far it is
 * believed: the best of some runs counts when a second one confirms it, and the better of two
 * measurements stays. What was measured beside other work is doubtful and measured again, a few times
 * at most. For sonde-ceilings.c. */
#pragma once

#include "engine/profile/sonde-ceilings-measure.h"

G_BEGIN_DECLS

/* How far the second best may be from the best. */
#define SONDE_CEILING_AGREE 0.05
/* What others may take of the processors' time while it is measured. */
#define SONDE_CEILING_LOAD 0.1
/* After so many measurements the best of them stands. */
#define SONDE_CEILING_TRIES 5

typedef enum
{
  SONDE_CEILING_RATE, /* more is better */
  SONDE_CEILING_TIME, /* less is better */
} SondeCeilingKind;

typedef struct _SondeCeilingFile SondeCeilingFile;

/* That of this model of processor, with as many cores, this size of cache and this version of Sonde. @group: what
 * is measured together. A file that cannot be read is said as a message, and as if it were not there. */
SondeCeilingFile *sonde_ceiling_file_open (const char *group);
/* Written where something changed; where that fails a message says so. (nullable) */
void sonde_ceiling_file_close (SondeCeilingFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeCeilingFile, sonde_ceiling_file_close)

/* What was measured of the group. */
void sonde_ceiling_file_forget (SondeCeilingFile *file);

/* FALSE: there is no number of a measurement: finite and more than 0. @number: (out): 0 then */
gboolean sonde_ceiling_file_get (const SondeCeilingFile *file, const char *key, double *number);
/* Whether it need not be measured again. Of a rate that is 0, too: the machine has none. */
gboolean sonde_ceiling_file_is_settled (const SondeCeilingFile *file, const char *key);

/* The better of @measure and what is kept. */
double sonde_ceiling_file_better (const SondeCeilingFile *file, const char *key,
                                  SondeCeilingKind kind, const SondeCeilingMeasure *measure);
/* Keeps it where it is confirmed, or it is the last try. @load: sonde_other_load_end() */
void sonde_ceiling_file_add (SondeCeilingFile *file, const char *key, SondeCeilingKind kind,
                             const SondeCeilingMeasure *measure, double load);

G_END_DECLS
