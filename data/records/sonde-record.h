/* SPDX-License-Identifier: Apache-2.0
 * One record of a run as a plain struct, and its bytes. The protobuf types of sonde-record.proto
 * never leave this folder. What does not live here: framing (sonde-frame.h), files, sampling.
 * The format is described in docs/record-format.md. */
#pragma once

#include "data/base/sonde-message.h"
#include "data/graph/sonde-graph.h"
#include "data/records/sonde-explanation.h"
#include "data/values/sonde-bins.h"
#include "data/values/sonde-histogram.h"
#include "data/values/sonde-statistics.h"

G_BEGIN_DECLS

/* Of the SESSION record; a file with a higher one is refused there
 * (SONDE_DATA_ERROR_UNSUPPORTED). */
#define SONDE_RECORD_FORMAT_VERSION 1

/* Numbers are on the wire: never renumber. */
typedef enum
{
  SONDE_RECORD_UNKNOWN = 0, /* a kind of a later version; stepped over, counted */
  SONDE_RECORD_SESSION = 1, /* first record of a file */
  SONDE_RECORD_SCALARS = 2, /* all scalars of one step */
  SONDE_RECORD_HISTOGRAM = 3,
  SONDE_RECORD_IMAGE = 4,
  SONDE_RECORD_AUDIO = 5,
  SONDE_RECORD_TEXT = 6,
  SONDE_RECORD_TENSOR = 7,
  SONDE_RECORD_STATISTICS = 8,
  SONDE_RECORD_GRAPH = 9,
  SONDE_RECORD_HPARAMS = 10,
  SONDE_RECORD_LINEAGE = 11,
  SONDE_RECORD_PR_CURVE = 12,
  SONDE_RECORD_EMBEDDING = 13,
  SONDE_RECORD_LANDSCAPE = 14,
  SONDE_RECORD_SALIENCY = 15,
  SONDE_RECORD_COUNTERFACTUAL = 16,
  SONDE_RECORD_METRIC = 17,
  SONDE_RECORD_SPAN = 18,
  SONDE_RECORD_MEMORY = 19,
  SONDE_RECORD_DEBUG_HIT = 20,
  SONDE_RECORD_GAP = 21, /* records that could not be written */
  SONDE_RECORD_MESH = 22,
  SONDE_RECORD_CUSTOM_SCALARS = 23, /* which scalars go into one chart */
  SONDE_RECORD_RUN_METADATA = 24,
  SONDE_RECORD_SESSION_LOG = 25,
  SONDE_RECORD_EXPLAIN = 26, /* MindSpore's explanation of a sample */
  SONDE_RECORD_NOTE = 27,    /* what is said about a tag: unit, description, … */
  SONDE_RECORD_OTHER = 28,   /* of a foreign file: recognised, not understood */
  SONDE_RECORD_END = 29,     /* last record of a file: its writer was closed */
  SONDE_N_RECORD_KINDS
} SondeRecordKind;

/* "scalar", "histogram", "tensor_statistics", … as in `sonde inspect --json`; "other" if unknown.
 * SESSION, GAP and END, which have no tag, are "session", "gap" and "end", NOTE is "note".
 * Static. */
const char *sonde_record_kind_name (SondeRecordKind kind);

/* One scalar of a step. @tag is interned by the reader, lent by the writer's caller. */
typedef struct
{
  const char *tag;
  double value;
} SondeScalar;

typedef enum
{
  SONDE_HPARAM_TEXT,
  SONDE_HPARAM_NUMBER,
  SONDE_HPARAM_BOOL, /* "true" or "false" */
} SondeHparamType;

/* One named value of hyper-parameters or metadata; owned strings. */
typedef struct
{
  char *key;
  char *text; /* shortest text that reads back */
  SondeHparamType type;
} SondeHparam;

void sonde_hparams_free (SondeHparam *items, gsize n); /* the array, too */
SondeHparam *sonde_hparams_copy (const SondeHparam *items, gsize n);

/* Which of the records of TensorBoard's hparams plugin; a record of ours is always VALUES. */
typedef enum
{
  SONDE_HPARAMS_VALUES,     /* of a session, which begins at @time */
  SONDE_HPARAMS_EXPERIMENT, /* items: names of hyper-parameters and what they may be */
  SONDE_HPARAMS_END,        /* @status, the session ends at @time */
} SondeHparamsPart;

/**
 * SondeChartPlan: scalars that the user wants in one chart
 * @category, @title: owned
 * @is_margin: @tags are triples of value, lower, upper (exact tags); else regular expressions that
 *   are anchored at the start
 */
typedef struct
{
  char *category, *title;
  gboolean is_margin;
  char **tags; /* (array zero-terminated=1) */
} SondeChartPlan;

typedef enum
{
  SONDE_MESH_UNDEFINED,
  SONDE_MESH_VERTEX, /* [B, N, 3] float32 */
  SONDE_MESH_FACE,   /* [B, N, 3] int32, triangles of vertex indices */
  SONDE_MESH_COLOR,  /* [B, N, 3] uint8 */
} SondeMeshPart;

/**
 * SondeSampleNote: what is said about an image
 * @sample: (nullable): name of the sample in its dataset
 * @label: true class, -1 unknown; @predicted: predicted class, -1 unknown
 * @label_probability, @predicted_probability: in [0, 1], NaN unknown
 * @label_name, @predicted_name: (nullable)
 */
typedef struct
{
  char *sample;
  int label, predicted;
  double label_probability, predicted_probability;
  char *label_name, *predicted_name;
} SondeSampleNote;

/**
 * SondeRecord:
 * @kind: which member of @u is valid
 * @step: global step, any int64
 * @wall_time_ns: since 1970 UTC
 * @session: number of the writer's session in the run, from 1; a resumed run is the next one
 * @tag: (nullable): interned string for all kinds but SESSION, SCALARS, GAP; owned by nobody
 *
 * Owned members are freed by sonde_record_clear().
 */
typedef struct
{
  SondeRecordKind kind;
  gint64 step;
  gint64 wall_time_ns;
  guint32 session;
  const char *tag;
  union
  {
    struct
    {
      char *program, *host;
      guint32 format_version;
      gint64 pid;
    } session_start;
    struct
    {
      SondeScalar *items;
      gsize n;
    } scalars; /* array owned; tags interned */
    /* one of the two, the other is NULL */
    struct
    {
      SondeHistogram *histogram;
      SondeBins *bins;
    };
    /* @encoded: PNG, JPEG or GIF bytes of ONE picture; several of a step have indices 0… */
    struct
    {
      GBytes *encoded;
      int width, height;
      int index;
      SondeSampleNote note;
    } image;
    /* @encoded: WAV or another file's bytes; @label: (nullable) Markdown; @index: among those of
     * the step */
    struct
    {
      GBytes *encoded;
      int index;
      double sample_rate;
      gint64 n_frames;
      int n_channels;
      char *content_type, *label;
    } audio;
    /* @cells: (nullable) [rows, columns] STRING, a table; @text is then the cells with tabs and
     * newlines between; @message: (nullable) what @text says, for the user's language */
    struct
    {
      char *text;
      SondeTensor *cells;
      SondeMessage *message;
    };
    SondeTensor *tensor;
    SondeStatistics statistics;
    /* @model: (nullable) ONNX bytes of the graph; @executed: it is the executed form, not the
     * original; @graph: (nullable) instead of @model, of a foreign file */
    struct
    {
      GBytes *model;
      gboolean executed;
      SondeGraph *graph;
    } graph;
    /* @time: seconds since 1970, NaN unknown; @group: (nullable) sessions of one name are one
     * trial;
     * @status: (nullable) "success", "failure", "running"; @metrics: (nullable) of an EXPERIMENT:
     * key is the tag ("group/tag"), text its name for the user */
    struct
    {
      SondeHparam *items;
      gsize n;
      SondeHparamsPart part;
      double time;
      char *group, *status;
      SondeHparam *metrics;
      gsize n_metrics;
    } hparams;
    /* @part: "train", "evaluation", "dataset", "custom", …; @pipeline: (nullable) graph of the data
     * pipeline */
    struct
    {
      char *part;
      SondeHparam *items;
      gsize n;
      SondeGraph *pipeline;
    } lineage;
    /* [6, n] float64: true positives, false positives, true negatives, false negatives, precision,
     * recall over thresholds that are equally spaced in [0, 1] */
    struct
    {
      SondeTensor *rows;
    } pr_curve;
    /* @points: [N, D] float32; @labels: (nullable) [N, M] STRING with @columns: (nullable) (array
     * zero-terminated=1) M names; @sprite: (nullable) one picture of N tiles, row by row */
    struct
    {
      SondeTensor *points, *labels;
      char **columns;
      GBytes *sprite;
      int tile_width, tile_height;
    } embedding;
    /* @x: [W], @y: [H], @z: [H, W]; the path of the training and its intervals, all of one length
     * or NULL; @found: x, y, z of the end, NaN unknown; @decomposition, @unit: (nullable).
     * Of one that was computed from a run's checkpoints: @loss: its name; @part: "train" or "test";
     * @digest: of all that it was computed from; @shares: of the path's squared distances from its
     * end that lie on each axis; @samples: 0 in others; @seed: of the directions and of which samples */
    struct
    {
      SondeTensor *x, *y, *z, *path_x, *path_y, *path_z, *intervals;
      double found[3];
      char *decomposition, *unit;
      int steps_per_epoch;
      char *loss, *part, *digest;
      double shares[2];
      guint64 samples, seed;
    } landscape;
    /* @name: of the whole mesh; @values: of this part; @settings: (nullable) JSON */
    struct
    {
      char *name;
      SondeMeshPart part;
      SondeTensor *values;
      char *settings;
    } mesh;
    struct
    {
      SondeChartPlan *items;
      gsize n;
    } custom_scalars;
    struct
    {
      GBytes *message;
    } run_metadata; /* TensorFlow's RunMetadata, serialised */
    /* SPAN and MEMORY: @message: a part of a recorded profile, serialised, as data/profiles reads it */
    struct
    {
      GBytes *message;
    } profile;
    /* @status: 1 start, 2 stop, 3 checkpoint; @checkpoint, @message: (nullable) */
    struct
    {
      int status;
      char *checkpoint, *message;
    } session_log;
    SondeExplanation *explanation;
    /* all (nullable); the first note of a tag in a run holds */
    struct
    {
      char *display_name, *description, *unit, *group;
    } tag_note;
    /* @plugin: who it is for; @tensor, @content: (nullable); @bytes: of it in the file */
    struct
    {
      char *plugin;
      SondeTensor *tensor;
      GBytes *content;
      guint64 bytes;
    } other;
    /* @map: [H, W] float32, signed, unscaled; @image: (nullable) PNG of the input; @target: class
     * explained; @target_is: "predicted" or "true"; @method: "saliency"; @parameters: text of them;
     * @score: the target's logit; @mask: (nullable) [H, W] u8 ground truth of the object */
    struct
    {
      SondeTensor *map;
      GBytes *image;
      char *method, *target_is, *parameters;
      int target;
      double score;
      SondeTensor *mask;
      SondeSampleNote note;
    } saliency;
    /* Boxes by hierarchical occlusion. @goal: "unmasking" (what has to be seen), "masking" (hidden
     * to lose the class) or "flip" (hidden so that the target wins); @result: "ok",
     * "no-valid-result" or "below-threshold"; @parameters: the settings as text; @mask: what
     * covers, "gaussian:2"; @remark,
     * @image: (nullable); @original, @masked: the target's score with nothing and all covered;
     * @boxes: [N, 5] float64: layer from 0, x, y, width, height; @outputs: [layers] float64: scores
     * with them;
     * @pruned: (nullable) [M, 4] float64: what is needed of the last layer, with @pruned_output;
     * @steps: [S, 7] float64: layer, the step that it lies in (-1: none), x, y, width, height,
     * score after it;
     * @area: share of the picture; numbers that are not known are NaN */
    struct
    {
      GBytes *image;
      char *goal, *result, *parameters, *mask, *remark;
      int target;
      double threshold, original, masked, pruned_output, area;
      guint64 candidates;
      SondeTensor *boxes, *outputs, *pruned, *steps;
      SondeSampleNote note;
    } counterfactual;
    struct
    {
      guint64 records, bytes;
      char *reason;
      gint64 first_step, last_step;
    } gap;
    struct
    {
      guint32 wire_kind;
      gsize bytes;
    } unknown;
  } u;
} SondeRecord;

void sonde_record_clear (SondeRecord *record); /* frees members, zeroes */

/**
 * sonde_record_copy:
 * @copy: (out): filled with own members; tensors are copied, too (their owner may go on writing
 *   into them), GBytes are referenced; tags are lent as in @record
 */
void sonde_record_copy (const SondeRecord *record, SondeRecord *copy);

/* About how much memory @record holds besides the struct. */
gsize sonde_record_n_bytes (const SondeRecord *record);

/**
 * SondeTagTable: small ids from 0 for tags, one a file; a tag is declared inside the first record
 * that uses it. One thread at a time.
 */
typedef struct _SondeTagTable SondeTagTable;
SondeTagTable *sonde_tag_table_new (void);
void sonde_tag_table_free (SondeTagTable *table); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTagTable, sonde_tag_table_free)

/* Largest id, plus one. */
gsize sonde_tag_table_get_length (const SondeTagTable *table);
/* Forgets the ids from @length on: when the record that declared them could not be written. */
void sonde_tag_table_truncate (SondeTagTable *table, gsize length);

/**
 * sonde_record_encode:
 * @table: of the file being written; new tags are declared in this record and remembered
 * @out: payload bytes are appended (no framing)
 *
 * Tensors keep their dtype; above 4 KiB they are zstd-compressed (level 1) when that is smaller.
 * A kind for which sonde_record_can_encode() is FALSE is a caller's bug.
 */
void sonde_record_encode (const SondeRecord *record, SondeTagTable *table, GByteArray *out);

/* Whether records of @kind can be written: all that have a structure here. */
gboolean sonde_record_can_encode (SondeRecordKind kind);

/**
 * sonde_record_decode:
 * @table: of the file being read; declarations in the payload are added
 * @payload: checked by its CRC already, but hostile all the same: it is pre-scanned
 * @record: (out): filled; clear it with sonde_record_clear()
 *
 * Errors: SONDE_DATA_ERROR_DAMAGED, LIMIT with the field; @record is zeroed then. A kind of a later
 * version is no error. An undeclared tag id (its declaration was lost to damage) is named "tag#N".
 * A NUL inside a name or a text becomes the two characters "\0".
 */
gboolean sonde_record_decode (const guint8 *payload, gsize length, SondeTagTable *table,
                              SondeRecord *record, GError **error);

/**
 * sonde_record_parse_graph:
 * @message: a PlainGraph of sonde-record.proto, from anywhere: it is pre-scanned
 *
 * Returns: (transfer full): the graph. Errors: SONDE_DATA_ERROR_DAMAGED, LIMIT with the field
 */
SondeGraph *sonde_record_parse_graph (const guint8 *message, gsize length, GError **error);

G_END_DECLS
