/* SPDX-License-Identifier: Apache-2.0
 * The debugger's capture file (*.sondecap): one SQLite file that holds what is needed to run a
 * moment of a network again elsewhere: its graph with all weights, its inputs, the state of its
 * random numbers, breakpoints and watches, and the values that were chosen. What does not live
 * here: running it (app/worker). docs/debugger.md describes the tables. */
#pragma once

#include "data/captures/sonde-capture-stop.h"
#include "data/graph/sonde-graph.h"
#include "data/values/sonde-statistics.h"

G_BEGIN_DECLS

/* In the file's header, as SQLite's application id: "Scap". A file of a higher version is refused
 * (UNSUPPORTED). */
#define SONDE_CAPTURE_APPLICATION_ID 0x53636170
#define SONDE_CAPTURE_VERSION 1

/**
 * SondeCaptureValue: one value as it was
 * @name: owned
 * @tensor: (nullable): owned reference; NULL: only its statistics were kept
 * @has_statistics: @statistics is valid
 */
typedef struct
{
  char *name;
  SondeTensor *tensor;
  gboolean has_statistics;
  SondeStatistics statistics;
} SondeCaptureValue;

/**
 * SondeCapture: zero-initialised by sonde_capture_new()
 * @model: (nullable): ONNX bytes of the graph with its weights, metadata of ours included
 * @executed: @model is the executed graph (forward, gradients, optimiser) of one training step;
 *   else the model as the user wrote it
 * @facts: (element-type utf8 utf8): "title", "kind", "device", "threads", "precision", "seed",
 *   "step", "node", "when", "recipe" …
 * @inputs: (element-type SondeCaptureValue): with tensors: what the graph's inputs held
 * @values: (element-type SondeCaptureValue)
 * @stops: (element-type SondeCaptureStop)
 */
typedef struct
{
  GBytes *model;
  gboolean executed;
  GHashTable *facts;
  GPtrArray *inputs;
  GPtrArray *values;
  GPtrArray *stops;
} SondeCapture;

SondeCapture *sonde_capture_new (void);
void sonde_capture_free (SondeCapture *capture);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeCapture, sonde_capture_free)

void sonde_capture_set_fact (SondeCapture *capture, const char *key,
                             const char *value); /* (nullable): takes it away */
const char *sonde_capture_get_fact (const SondeCapture *capture, const char *key); /* (nullable) */
void sonde_capture_add_input (SondeCapture *capture, const char *name, SondeTensor *tensor);
void sonde_capture_add_value (SondeCapture *capture, const char *name,
                              SondeTensor *tensor,                /* (nullable) */
                              const SondeStatistics *statistics); /* (nullable) */
void sonde_capture_add_stop (SondeCapture *capture, const char *command, gboolean enabled);
/* The tensor of an input or value of that name. (transfer none) (nullable) */
SondeTensor *sonde_capture_find_tensor (const SondeCapture *capture, const char *name);

/**
 * sonde_capture_write:
 * Writes beside @path, flushes, and takes its name: a file that was there stays whole until then.
 * Errors: IO, NO_SPACE; LIMIT for a tensor above 512 MiB, naming it.
 */
gboolean sonde_capture_write (const SondeCapture *capture, const char *path, GError **error);

/**
 * sonde_capture_read:
 * The file may be anybody's. Errors: IO, NOT_FOUND; DAMAGED naming table and row; UNSUPPORTED for a
 * later version, LIMIT above 4 GiB of contents. Returns: (transfer full)
 */
SondeCapture *sonde_capture_read (const char *path, GError **error);

/* Whether @path is a capture file, by its first 100 bytes. */
gboolean sonde_capture_sniff (const char *path);

G_END_DECLS
