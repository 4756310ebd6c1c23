/* SPDX-License-Identifier: Apache-2.0
 * What a session server asks the program for: everything that needs a file format, a dataset or a
 * training loop. The program (app/worker) fills this table; the server drives it. A further ability
 * is a further optional entry. */
#pragma once

#include "data/captures/sonde-capture-stop.h"
#include "data/graph/sonde-graph.h"
#include "engine/session/sonde-open-request.h"
#include "engine/session/sonde-session-status.h"
#include "engine/session/sonde-step-comparison-request.h"
#include "engine/types/sonde-search-results.h"

G_BEGIN_DECLS

typedef struct _SondeSessionHost SondeSessionHost;
typedef struct _SondeActivity SondeActivity; /* activity/sonde-activity.h */

/**
 * SondeSessionCapture: what is to go into a capture file; all lent for the call
 * @path: absolute
 * @values: (array zero-terminated=1) (nullable): globs of values that are kept whole; of all others
 * statistics are
 * @stops: (element-type SondeCaptureStop)
 * @stop: where it stands
 */
typedef struct
{
  const char *path;
  const char *const *values;
  const GPtrArray *stops;
  const SondeStop *stop;
} SondeSessionCapture;

/* How far something long has come. @what: message id without arguments; @fraction in [0, 1], or < 0 when it is not known. */
typedef void (*SondeSessionProgress) (const char *what, double fraction, gpointer data);

/**
 * SondeSessionCall: something of the program's own that a client asks for; everything is lent for
 * the call
 * @name: what is to be done
 * @arguments: a{sv}: whatever keys and types the client liked
 * @tensors: (element-type SondeTensor): that came along
 * @is_cancelled: the client does not want it any more, or is gone: stop with an error, the text
 * does not matter. Any thread
 * @progress: tells the client how far it is; @what: message id without arguments; @seconds_left < 0: not known. May be called as often
 * as one likes
 * @part: hands out a part of the result early, a{sv} (floating is taken). A client that does not
 *   keep up may be spared some: the result holds everything. @tensors: (nullable)
 */
typedef struct _SondeSessionCall SondeSessionCall;
struct _SondeSessionCall
{
  const char *name;
  GVariant *arguments;
  GPtrArray *tensors;
  gboolean (*is_cancelled) (SondeSessionCall *call);
  void (*progress) (SondeSessionCall *call, const char *what, double fraction, double seconds_left);
  void (*part) (SondeSessionCall *call, GVariant *part, GPtrArray *tensors);
};

/**
 * SondeSessionHost: embedded as first member of its owner's struct; engine thread
 * @open: required. Memory mode of the plans is KEEP, so that every value can be asked for.
 *   @progress may be called any number of times. Errors: as of what it loads; the message reaches
 *   the user as it is.
 *   Returns: (transfer full)
 * @serialise_graph: required: the graph as ONNX bytes, with names, shapes, documentation, origins
 *   (as metadata); constants larger than @max_constant_bytes are left out (their values are asked
 *   for by name). Returns: (transfer full)
 * @load_value: (optional): reads the tensor in @path (absolute), a .npy file
 * @save_model: (optional): writes @graph as an ONNX model to @path (absolute)
 * @save_value: required: writes @tensor to @path (absolute), format by its suffix (.npy)
 * @read_tensors: (optional): arrays of a file of weights or values, or of a folder of .npy files,
 * name -> SondeTensor.
 *   Returns: (transfer full)
 * @read_recorded: (optional): what another run in the folder @run (absolute) wrote of @name in its
 *   step @step, 0: the last that it wrote: a tensor record of that tag, or the parameter of a
 *   checkpoint. Returns: (transfer full)
 * @load_graph: (optional): a model file as an inference of it is executed, nothing bound. Returns:
 * (transfer full)
 * @write_text: (optional): replaces the file @path (absolute) whole
 * @write_capture: (optional): writes a capture file, which @open opens
 * @compare_step: (optional): the model runs on the step, see SondeStepComparisonRequest. @tick: TRUE
 *   gives up. Returns: (transfer full)
 * @call: (optional): does @call->name. @result: (out): a{sv}, floating or not; @tensors: (out)
 *   (nullable) (transfer full) (element-type SondeTensor). Errors: NOT_FOUND for a name, naming
 *   those there are; INVALID for arguments, naming the key
 */
struct _SondeSessionHost
{
  SondeActivity *(*open) (SondeSessionHost *host, const SondeOpenRequest *request,
                          SondeSessionProgress progress, gpointer progress_data, GError **error);
  GBytes *(*serialise_graph) (SondeSessionHost *host, SondeGraph *graph, gsize max_constant_bytes,
                              GError **error);
  gboolean (*save_value) (SondeSessionHost *host, SondeTensor *tensor, const char *path,
                          GError **error);
  SondeTensor *(*load_value) (SondeSessionHost *host, const char *path, GError **error);
  GHashTable *(*read_tensors) (SondeSessionHost *host, const char *path, GError **error);
  SondeTensor *(*read_recorded) (SondeSessionHost *host, const char *run, const char *name,
                                 guint64 step, GError **error);
  SondeGraph *(*load_graph) (SondeSessionHost *host, const char *path, GError **error);
  gboolean (*write_text) (SondeSessionHost *host, const char *path, const char *text,
                          GError **error);
  gboolean (*write_capture) (SondeSessionHost *host, SondeActivity *activity,
                             const SondeSessionCapture *request, GError **error);
  gboolean (*save_model) (SondeSessionHost *host, SondeGraph *graph, const char *path,
                          GError **error);
  SondeDivergence *(*compare_step) (SondeSessionHost *host, const SondeStepComparisonRequest *asked,
                                    gboolean (*tick) (guint step, guint n_steps, gpointer data),
                                    gpointer data, GError **error);
  gboolean (*call) (SondeSessionHost *host, SondeSessionCall *call, GVariant **result,
                    GPtrArray **tensors, GError **error);
};

G_END_DECLS
