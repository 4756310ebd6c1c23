/* SPDX-License-Identifier: Apache-2.0
 * TensorBoard's event files, one file a concern: events and values as they lie in a payload
 * (-event), tags and scanning (sonde-tensorboard.c), contents of each plugin (-read, -media,
 * -hparams), graphs (-graph, -attribute, -keras).
 * Source of all numbers: tensorflow/tensorboard compat/proto and the plugins' own .proto files. */
#pragma once

#include "data/records/sonde-record-format.h"
#include "data/records/tensorboard/sonde-tensor-proto.h"
#include "data/wire/sonde-wire-arena.h"

G_BEGIN_DECLS

/* ---- as it lies there ---------------------------------------------------- */

/* Numbers of Event's oneof. */
typedef enum
{
  SONDE_EVENT_NOTHING = 0,
  SONDE_EVENT_FILE_VERSION = 3,
  SONDE_EVENT_GRAPH = 4,
  SONDE_EVENT_SUMMARY = 5,
  SONDE_EVENT_LOG_MESSAGE = 6,
  SONDE_EVENT_SESSION_LOG = 7,
  SONDE_EVENT_RUN_METADATA = 8,
  SONDE_EVENT_META_GRAPH = 9,
} SondeEventKind;

/* @content: of the oneof's last member; @n_summaries: more than one are one after the other */
typedef struct
{
  SondeBytes payload;
  gint64 step, wall_time_ns;
  SondeEventKind kind;
  SondeBytes content;
  guint n_summaries;
} SondeEvent;

/* Numbers of Value's oneof. */
typedef enum
{
  SONDE_FORM_NONE = 0,
  SONDE_FORM_NUMBER = 2,
  SONDE_FORM_OLD_HISTOGRAM = 3,
  SONDE_FORM_IMAGE = 4,
  SONDE_FORM_HISTOGRAM = 5,
  SONDE_FORM_AUDIO = 6,
  SONDE_FORM_TENSOR = 8,
} SondeForm;

/* @number: of FORM_NUMBER; @content: of the others; @tensor: of FORM_TENSOR */
typedef struct
{
  SondeBytes tag, metadata, content;
  gboolean has_metadata;
  SondeForm form;
  double number;
  SondeTensorProto tensor;
} SondeEventValue;

typedef struct
{
  SondeBytes plugin, content, display_name, description;
} SondeEventMetadata;

/* Errors of all three: DAMAGED, LIMIT with what and where in the payload. */
gboolean sonde_event_view (SondeEvent *event, const guint8 *payload, gsize length, GError **error);

/* Steps through the values of all summaries of an event: zero it and set @event. @reading: what
 * values hold is not looked at, whoever wants it decodes it */
typedef struct
{
  const SondeEvent *event;
  gboolean reading;
  SondeWireCursor outer, inner;
  gboolean begun;
} SondeEventWalk;

SondeWireStep sonde_event_walk_next (SondeEventWalk *walk, SondeEventValue *value, GError **error);

/* @arena: memory for it */
gboolean sonde_event_metadata_view (SondeEventMetadata *metadata, SondeBytes bytes,
                                    SondeWireArena *arena, GError **error);

/* ---- plugins ------------------------------------------------------------- */

typedef enum
{
  SONDE_PLUGIN_NOT_SAID, /* no metadata was seen */
  SONDE_PLUGIN_OTHER,
  SONDE_PLUGIN_SCALARS,
  SONDE_PLUGIN_HISTOGRAMS,
  SONDE_PLUGIN_IMAGES,
  SONDE_PLUGIN_AUDIO,
  SONDE_PLUGIN_TEXT,
  SONDE_PLUGIN_PR_CURVES,
  SONDE_PLUGIN_HPARAMS,
  SONDE_PLUGIN_MESH,
  SONDE_PLUGIN_CUSTOM_SCALARS,
  SONDE_PLUGIN_GRAPHS,
  SONDE_PLUGIN_GRAPH_RUN_METADATA,
  SONDE_PLUGIN_GRAPH_RUN_METADATA_GRAPH,
  SONDE_PLUGIN_GRAPH_KERAS_MODEL,
  SONDE_PLUGIN_TENSOR,
  SONDE_N_PLUGINS
} SondePlugin;

/* @content: plugin_data's, of the value or else of the tag's first; @arena: for messages that are
 * decoded while a record is read */
typedef struct
{
  const SondeEventValue *value;
  SondeWireArena *arena;
  SondePlugin plugin;
  const char *plugin_name; /* (nullable) */
  SondeBytes content;
  guint part; /* which record of the value */
} SondePluginValue;

/* How many records a value is, and the kind of the first; 0: it is a point, @number. */
guint sonde_plugin_classify (SondePlugin plugin, const SondeEventValue *value,
                             SondeRecordKind *kind, double *number);

/* Run metadata have a graph beside them; all else are several of one kind. */
static inline SondeRecordKind
sonde_plugin_kind_of_part (SondeRecordKind kind, guint part)
{
  return kind == SONDE_RECORD_RUN_METADATA && part == 1 ? SONDE_RECORD_GRAPH : kind;
}

/* Fill @record, whose kind, step, time and tag are set. Errors: DAMAGED, LIMIT, UNSUPPORTED. */
gboolean sonde_plugin_read (const SondePluginValue *value, SondeRecord *record, GError **error);
gboolean sonde_plugin_read_histogram (const SondePluginValue *value, SondeRecord *record,
                                      GError **error);
gboolean sonde_plugin_read_image (const SondePluginValue *value, SondeRecord *record,
                                  GError **error);
gboolean sonde_plugin_read_audio (const SondePluginValue *value, SondeRecord *record,
                                  GError **error);
gboolean sonde_plugin_read_text (const SondePluginValue *value, SondeRecord *record,
                                 GError **error);
gboolean sonde_plugin_read_pr_curve (const SondePluginValue *value, SondeRecord *record,
                                     GError **error);
gboolean sonde_plugin_read_hparams (const SondePluginValue *value, SondeRecord *record,
                                    GError **error);
gboolean sonde_plugin_read_mesh (const SondePluginValue *value, SondeRecord *record,
                                 GError **error);
gboolean sonde_plugin_read_custom_scalars (const SondePluginValue *value, SondeRecord *record,
                                           GError **error);
gboolean sonde_plugin_read_graph (const SondePluginValue *value, SondeRecord *record,
                                  GError **error);

/* String @index of a string tensor; FALSE, or with an error DAMAGED, when there is none. */
gboolean sonde_tensor_get_string (const SondeTensorProto *tensor, guint index, SondeBytes *string);
gboolean sonde_plugin_get_string (const SondePluginValue *value, guint index, SondeBytes *string,
                                  GError **error);

/* Whether it begins as a PNG, JPEG, GIF, BMP or WebP does; its size where that is easy, else it
 * stays. */
gboolean sonde_picture_sniff (SondeBytes picture, int *width, int *height);

G_END_DECLS
