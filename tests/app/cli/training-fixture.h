/* SPDX-License-Identifier: Apache-2.0
 * Small trainings of the built program: glyphs, an MLP, a few dozen steps. */
#pragma once

#include "data/arrays/sonde-npz.h"
#include "tests/support/sonde-test-program.h"

G_BEGIN_DECLS

/* 320 training and 80 test pictures in batches of 16, so 20 steps an epoch. */
#define TRAINING_SMALL                                                                             \
  "--set", "data.source=glyphs", "--set", "data.train=320", "--set", "data.test=80", "--set",      \
      "data.batch=16", "--set", "train.seed=3", "--set", "data.seed=5"

/* One scalar of scalars.csv. */
typedef struct
{
  char *run, *tag;
  gint64 step;
  double value;
} TrainingPoint;

/* `sonde export --to csv` of a run below @folder. (element-type TrainingPoint) (transfer full) */
GPtrArray *training_export (const char *folder, const char *run);

/* Points of one tag. (element-type TrainingPoint) (transfer container) */
GPtrArray *training_points (GPtrArray *points, const char *tag);

/* The only run that `sonde inspect --json` finds; *@json keeps it. */
JsonObject *training_inspect (const char *folder, const char *run, JsonNode **json);

/* FOLDER/RUN/checkpoints/NAME.npz, which must be there. (transfer full) */
SondeNamedTensors *training_weights (const char *folder, const char *run, const char *name);

/* Ends the test unless both hold the same names, shapes and bits. */
void training_assert_equal_weights (SondeNamedTensors *got, SondeNamedTensors *want);

/* Waits until the file has @text in it; the test ends after @seconds. */
void training_wait_for_text (const char *path, const char *text, int seconds);

/* Waits until the file is not empty. */
void training_wait_for_file (const char *path, int seconds);

G_END_DECLS
