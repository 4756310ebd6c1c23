/* SPDX-License-Identifier: Apache-2.0
 * Recording a training: the whole public interface of libsonde-record, in plain C. It needs no
 * other header.
 *
 *   SondeRecorder *recorder = sonde_recorder_open ("runs/first", NULL, &error);
 *   sonde_recorder_add_scalar (recorder, "loss", step, loss);
 *   sonde_recorder_close (recorder, &error);
 *
 * Every function may be called from any thread. None of those that add waits for the disk: what is
 * added is copied into memory of bounded size and written by a thread of the recorder within some
 * 20 ms. When the disk refuses, records wait there; when the memory is full, the oldest other than
 * scalars are dropped, and the file says how many. After a fork() the recorder is the parent's: the
 * child may only close it.
 *
 * Strings are UTF-8 and need to live only for the call; so do arrays. A tag's "/" makes groups. A
 * step is any 64-bit number and need not rise. @wall_time_ns: nanoseconds since 1970, 0 is now. */
#ifndef SONDE_RECORDER_H
#define SONDE_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

/* Rises when a function is added; no function is ever changed or taken away. */
#define SONDE_RECORDER_VERSION 2
  int sonde_recorder_version (void);

  typedef struct _SondeRecorder SondeRecorder;

  /* Types of numbers. */
  typedef enum
  {
    SONDE_RECORDER_F64 = 1,
    SONDE_RECORDER_F32 = 2,
    SONDE_RECORDER_F16 = 3,
    SONDE_RECORDER_BF16 = 4,
    SONDE_RECORDER_I8 = 5,
    SONDE_RECORDER_I16 = 6,
    SONDE_RECORDER_I32 = 7,
    SONDE_RECORDER_I64 = 8,
    SONDE_RECORDER_U8 = 9,
    SONDE_RECORDER_U16 = 10,
    SONDE_RECORDER_U32 = 11,
    SONDE_RECORDER_U64 = 12,
    SONDE_RECORDER_BOOL = 13, /* a byte each, 0 or 1 */
  } SondeRecorderType;

  /* Types of hyper-parameters. */
  typedef enum
  {
    SONDE_RECORDER_TEXT = 0,
    SONDE_RECORDER_NUMBER = 1,
    SONDE_RECORDER_TRUTH = 2, /* "true" or "false" */
  } SondeRecorderItemType;

  /**
 * SondeRecorderOptions: zero-initialise; 0 and NULL mean the default
 * @format: "sonde" (the default), "tensorboard", "mindspore": what files the run is made of
 * @program: who records, for the session's record
 * @queue_bytes: memory for waiting records; 64 MiB
 * @fsync_ns: longest time between two fsyncs; 5 s
 * @warn: called on the recorder's thread, once for each thing that the format has no place for
 */
  typedef struct
  {
    const char *format;
    const char *program;
    uint64_t queue_bytes;
    int64_t fsync_ns;
    void (*warn) (const char *message, void *data);
    void *warn_data;
  } SondeRecorderOptions;

  /* @run: a folder, made if missing; each recorder makes a file of its own in it. @error: set to a
 * sentence when NULL is returned; free it with sonde_recorder_free_text(). May be NULL, here and
 * everywhere. */
  SondeRecorder *sonde_recorder_open (const char *run, const SondeRecorderOptions *options,
                                      char **error);
  /* Writes all that waits and frees the recorder. Returns 0; 1 when something was lost, and @error
 * says what and why. */
  int sonde_recorder_close (SondeRecorder *recorder, char **error);
  void sonde_recorder_free_text (char *text);

  /* Waits until all that was added is with the system: it survives the death of this process. */
  void sonde_recorder_flush (SondeRecorder *recorder);
  /* … and on the disk: it survives a loss of power. Returns 0; 1 with @error. */
  int sonde_recorder_sync (SondeRecorder *recorder, char **error);

  /* The file of the records; lives as long as the recorder. */
  const char *sonde_recorder_get_path (SondeRecorder *recorder);
  /* Records written, lost (disk or memory full), left out (the format has no place for them). Each
 * may be NULL. */
  void sonde_recorder_get_counts (SondeRecorder *recorder, uint64_t *written, uint64_t *lost,
                                  uint64_t *left_out);
  /* What the format had no place for, a line each, or NULL; free it with
 * sonde_recorder_free_text(). */
  char *sonde_recorder_dup_warnings (SondeRecorder *recorder);

  /* ---- what is recorded ---------------------------------------------------- */

  /**
 * sonde_recorder_set_policy:
 * @pattern: glob of tags; of several that fit the one set last holds
 * @every: steps between two records; 0: nothing is recorded; 1: each
 * @per_second: at most so many a second; 0: no limit
 * @reservoir: after so many of a tag, the k-th is kept with probability @reservoir / k; 0: all are
 *
 * Without a policy everything is recorded.
 */
  void sonde_recorder_set_policy (SondeRecorder *recorder, const char *pattern, int64_t every,
                                  double per_second, uint64_t reservoir);

  /* What is said about a tag: each may be NULL. Say it before the tag's first value where other
   * tools are to read it. */
  void sonde_recorder_describe (SondeRecorder *recorder, const char *tag, const char *display_name,
                                const char *description, const char *unit, const char *group);

  /* ---- adding -------------------------------------------------------------- */

  void sonde_recorder_add_scalar (SondeRecorder *recorder, const char *tag, int64_t step,
                                  double value);
  /* @n of one step, in one record. */
  void sonde_recorder_add_scalars (SondeRecorder *recorder, int64_t step, int64_t wall_time_ns,
                                   const char *const *tags, const double *values, size_t n);

  /* The values are copied and counted later: bins of an eighth of an octave, both signs, zero, NaN,
 * ±Inf. */
  void sonde_recorder_add_histogram (SondeRecorder *recorder, const char *tag, int64_t step,
                                     int64_t wall_time_ns, SondeRecorderType type,
                                     const void *values, size_t n);
  /* A histogram that is counted already: @n bins by edges. Facts that are not known are NaN. */
  void sonde_recorder_add_bins (SondeRecorder *recorder, const char *tag, int64_t step,
                                int64_t wall_time_ns, const double *lefts, const double *rights,
                                const double *counts, size_t n, double min, double max, double sum,
                                double sum_squares);
  /* Count, min, max, mean, standard deviation, mean of magnitudes, zeros, negatives, NaN, ±Inf: one
 * pass, at once. */
  void sonde_recorder_add_statistics (SondeRecorder *recorder, const char *tag, int64_t step,
                                      int64_t wall_time_ns, SondeRecorderType type,
                                      const void *values, size_t n);
  /* @dims: @rank ≤ 16 sizes; @data: row by row. Stored with its type. */
  void sonde_recorder_add_tensor (SondeRecorder *recorder, const char *tag, int64_t step,
                                  int64_t wall_time_ns, SondeRecorderType type, const int64_t *dims,
                                  int rank, const void *data);

  /* @pixels: [C, H, W], or [H, W, C] with @channels_last; floats in [0, 1], whole numbers 0…255; 1,
   * 3 or 4 channels; sides up to 16384. Several pictures of a step have @index 0, 1, …. Copied now,
   * encoded as PNG later. Returns 0; 1 when the sizes make no picture. */
  int sonde_recorder_add_image (SondeRecorder *recorder, const char *tag, int64_t step,
                                int64_t wall_time_ns, int index, SondeRecorderType type,
                                const void *pixels, int channels, int height, int width,
                                int channels_last);
  /* PNG, JPEG or GIF bytes of one picture. */
  void sonde_recorder_add_encoded_image (SondeRecorder *recorder, const char *tag, int64_t step,
                                         int64_t wall_time_ns, int index, const void *data,
                                         size_t length, int height, int width);

  /* @samples: [@n_frames, @n_channels] in [-1, 1]; written as WAV of 16 bits. Returns 0; 1 when the
 * sizes are impossible. */
  int sonde_recorder_add_audio (SondeRecorder *recorder, const char *tag, int64_t step,
                                int64_t wall_time_ns, const float *samples, size_t n_frames,
                                int n_channels, int rate);

  /* Markdown. */
  void sonde_recorder_add_text (SondeRecorder *recorder, const char *tag, int64_t step,
                                int64_t wall_time_ns, const char *text);
  /* @cells: [@rows, @columns] */
  void sonde_recorder_add_table (SondeRecorder *recorder, const char *tag, int64_t step,
                                 int64_t wall_time_ns, const char *const *cells, size_t rows,
                                 size_t columns);

  /* @model: ONNX bytes */
  void sonde_recorder_add_graph (SondeRecorder *recorder, const char *tag, int64_t step,
                                 int64_t wall_time_ns, const void *model, size_t length);
  /* @graph: a message PlainGraph of sonde-record.proto, for a graph in no model format. Returns 0,
   * or 1 when it is none, with the reason in @error (NULL: not wanted). Since version 2 */
  int sonde_recorder_add_plain_graph (SondeRecorder *recorder, const char *tag, int64_t step,
                                      int64_t wall_time_ns, const void *graph, size_t length,
                                      char **error);

  /* @group: trials of one name belong together; may be NULL. Metrics are scalars. */
  void sonde_recorder_add_hparams (SondeRecorder *recorder, int64_t wall_time_ns,
                                   const char *const *keys, const char *const *texts,
                                   const SondeRecorderItemType *types, size_t n, const char *group);
  /* Which hyper-parameters a study has and by which tags its trials are judged. @types: of the
 * keys. */
  void sonde_recorder_add_experiment (SondeRecorder *recorder, int64_t wall_time_ns,
                                      const char *const *keys, const SondeRecorderItemType *types,
                                      size_t n, const char *const *metrics, size_t n_metrics);
  /* What a run was made of. @part: "train", "evaluation", "dataset", "custom" */
  void sonde_recorder_add_lineage (SondeRecorder *recorder, const char *part, int64_t wall_time_ns,
                                   const char *const *keys, const char *const *texts,
                                   const SondeRecorderItemType *types, size_t n);

  /* @labels: 0 or 1; @predictions: in [0, 1]; @weights: may be NULL; @n_thresholds: 2…1048575,
 * equally spaced in [0, 1]. Returns 0; 1 when there are too few or too many thresholds. */
  int sonde_recorder_add_pr_curve (SondeRecorder *recorder, const char *tag, int64_t step,
                                   int64_t wall_time_ns, const uint8_t *labels,
                                   const float *predictions, const float *weights, size_t n,
                                   uint32_t n_thresholds);
  /* The same from counts: [6, @n] true positives, false positives, true negatives, false negatives,
 * precision, recall. */
  void sonde_recorder_add_pr_rows (SondeRecorder *recorder, const char *tag, int64_t step,
                                   int64_t wall_time_ns, const double *rows, size_t n);

  /* @points: [@n, @size]; @labels: (may be NULL) [@n, @n_columns]; @columns: (may be NULL) their
 * names; @sprite: (may be NULL) PNG of n tiles of that size, row by row */
  void sonde_recorder_add_embedding (SondeRecorder *recorder, const char *tag, int64_t step,
                                     int64_t wall_time_ns, const float *points, size_t n,
                                     size_t size, const char *const *labels, size_t n_columns,
                                     const char *const *columns, const void *sprite,
                                     size_t sprite_length, int tile_width, int tile_height);

  /* A chart of several scalars. @tags: regular expressions that are anchored at the start, or with
 * @is_margin triples of value, lower and upper; the array is ended by NULL */
  typedef struct
  {
    const char *category, *title;
    int is_margin;
    const char *const *tags;
  } SondeRecorderChart;

  void sonde_recorder_add_custom_scalars (SondeRecorder *recorder, int64_t wall_time_ns,
                                          const SondeRecorderChart *charts, size_t n);

  /* @vertices: [@batch, @n_vertices, 3]; @colors: (may be NULL) the same; @faces: (may be NULL)
 * [@batch, @n_faces, 3];
 * @settings: (may be NULL) JSON */
  void sonde_recorder_add_mesh (SondeRecorder *recorder, const char *tag, int64_t step,
                                int64_t wall_time_ns, const float *vertices, size_t batch,
                                size_t n_vertices, const uint8_t *colors, const int32_t *faces,
                                size_t n_faces, const char *settings);

#ifdef __cplusplus
}
#endif

#endif
