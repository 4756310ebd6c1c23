/* SPDX-License-Identifier: Apache-2.0
 * One cancellable a sample: an answer with another one came too late. */
#include "explain/browsing/sonde-sample-model.h"

#include <math.h>

#include "data/base/sonde-error.h"

#define N_NEIGHBOURS 8
#define MAX_MAP_BYTES (512 << 20) /* of all recorded maps that are shown together */

struct _SondeSampleModel
{
  GObject parent_instance;

  SondeExplainClient *client;     /* (nullable) */
  SondeSampleResult *row;         /* (nullable) */
  SondeExplainedSample *recorded; /* (nullable) */
  SondeImage *image;              /* (nullable) */
  GCancellable *cancellable;      /* of all that is asked for this sample */
  gsize n_map_bytes;              /* of recorded maps so far */
  guint n_requests;
  gboolean asked_neighbours;
};

enum
{
  IMAGE,
  IMAGE_FAILED,
  PROBABILITIES,
  MAP,
  MAP_FAILED,
  RATING,
  RATING_FAILED,
  COUNTERFACTUAL,
  COUNTERFACTUAL_FAILED,
  NEIGHBOURS,
  NEIGHBOURS_FAILED,
  EDITED,
  EDITED_MAP,
  EDITED_MAP_FAILED,
  N_SIGNALS
};

enum
{
  PROP_BUSY = 1,
  N_PROPERTIES
};

static guint signals[N_SIGNALS];
static GParamSpec *properties[N_PROPERTIES];

G_DEFINE_FINAL_TYPE (SondeSampleModel, sonde_sample_model, G_TYPE_OBJECT)

/* ---- one request ----------------------------------------------------------- */

typedef struct _Request Request;

/**
 * Question: what is asked of a session
 * @take: @answer: lent; (nullable): NULL with @error; not called for a sample that is gone
 */
typedef struct
{
  SondeExplainCall call;
  void (*take) (Request *request, gpointer answer, const GError *error);
} Question;

/* @question: (nullable): NULL: a recorded sample is asked; @spec, @target: of maps and boxes */
struct _Request
{
  const Question *question;
  SondeSampleModel *model;
  GCancellable *cancellable;
  char *spec;
  gint64 target;
};

static Request *
request_new (SondeSampleModel *self, const Question *question, const char *spec, gint64 target)
{
  Request *request = g_new0 (Request, 1);

  request->question = question;
  request->model = g_object_ref (self);
  request->cancellable = g_object_ref (self->cancellable);
  request->spec = g_strdup (spec);
  request->target = target;
  if (self->n_requests++ == 0)
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
  return request;
}

static void
request_free (Request *request)
{
  if (--request->model->n_requests == 0)
    g_object_notify_by_pspec (G_OBJECT (request->model), properties[PROP_BUSY]);
  g_object_unref (request->model);
  g_object_unref (request->cancellable);
  g_free (request->spec);
  g_free (request);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Request, request_free)

static gboolean
counts (const Request *request)
{
  return request->cancellable == request->model->cancellable
         && !g_cancellable_is_cancelled (request->cancellable);
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Request) request = data;
  g_autoptr (GError) error = NULL;
  SondeExplainCall call = request->question->call;
  gpointer answer
      = sonde_explain_client_ask_finish (SONDE_EXPLAIN_CLIENT (source), result, call, &error);

  if (counts (request))
    request->question->take (request, answer, error);
  if (answer != NULL)
    sonde_explain_call_get_codec (call)->free (answer);
}

/* @arguments: but the sample. FALSE: no session can answer. */
static gboolean
ask (SondeSampleModel *self, const Question *question, SondeExplainArguments arguments)
{
  if (self->client == NULL || self->row == NULL)
    return FALSE;
  arguments.sample = self->row->sample;
  sonde_explain_client_ask_async (self->client, question->call, &arguments, self->cancellable,
                                  on_answer,
                                  request_new (self, question, arguments.spec, arguments.target));
  return TRUE;
}

static void
emit_failed (const Request *request, guint signal, const char *text)
{
  g_signal_emit (request->model, signals[signal], 0, request->spec, request->target, text);
}

/* ---- image and probabilities ----------------------------------------------- */

/* @image: (nullable) */
static void
show_image (SondeSampleModel *self, SondeImage *image, const SondeBox *box, const GError *error)
{
  if (image == NULL)
    {
      g_signal_emit (self, signals[IMAGE_FAILED], 0, sonde_error_get_text (error));
      return;
    }
  sonde_image_unref (self->image);
  self->image = sonde_image_ref (image);
  g_signal_emit (self, signals[IMAGE], 0, image, box);
}

static void
take_image (Request *request, gpointer answer, const GError *error)
{
  const SondeBoxedImage *boxed = answer;

  show_image (request->model, boxed != NULL ? boxed->image : NULL,
              boxed != NULL ? &boxed->box : NULL, error);
}

static void
on_recorded_image (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Request) request = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeImage) image = NULL;

  if (!counts (request))
    return;
  image = sonde_explained_sample_load_image_finish (request->model->recorded, result, &error);
  show_image (request->model, image, NULL, error);
}

void
sonde_sample_model_request_image (SondeSampleModel *model)
{
  static const Question question = { SONDE_EXPLAIN_IMAGE, take_image };

  g_return_if_fail (SONDE_IS_SAMPLE_MODEL (model));
  if (model->recorded != NULL)
    sonde_explained_sample_load_image_async (model->recorded, model->cancellable, on_recorded_image,
                                             request_new (model, NULL, NULL, 0));
  else
    ask (model, &question, (SondeExplainArguments){ 0 });
}

static void
take_probabilities (Request *request, gpointer answer, const GError *error)
{
  SondeSampleModel *self = request->model;
  const SondeExplainInfo *info = sonde_sample_model_get_info (self);
  const SondeSampleResult *prediction = answer;
  gboolean first;

  if (prediction == NULL || info == NULL || prediction->n_classes != info->n_classes)
    return;
  first = self->row->probabilities == NULL;
  if (first)
    {
      self->row->n_classes = prediction->n_classes;
      self->row->probabilities = g_memdup2 (
          prediction->probabilities, prediction->n_classes * sizeof *prediction->probabilities);
    }
  g_signal_emit (self, signals[PROBABILITIES], 0, prediction, first);
}

void
sonde_sample_model_request_probabilities (SondeSampleModel *model)
{
  static const Question question = { SONDE_EXPLAIN_INFER, take_probabilities };

  g_return_if_fail (SONDE_IS_SAMPLE_MODEL (model));
  ask (model, &question, (SondeExplainArguments){ 0 });
}

/* ---- recorded maps --------------------------------------------------------- */

/* The later of two for one class. (nullable) */
static const SondeAttributionMap *
find_recorded_map (SondeSampleModel *self, const char *spec, gint64 target)
{
  GPtrArray *maps = sonde_explained_sample_get_recorded (self->recorded)->maps;
  const SondeAttributionMap *found = NULL;

  for (guint i = 0; i < maps->len; i++)
    {
      const SondeAttributionMap *map = g_ptr_array_index (maps, i);

      if (map->target == target && g_str_equal (map->spec, spec))
        found = map;
    }
  return found;
}

static void
take_recorded_map (SondeSampleModel *self, const SondeAttributionMap *record, SondeTensor *tensor)
{
  SondeAttributionMap map = *record; /* lent */

  map.map = tensor;
  self->n_map_bytes += record->map == NULL ? sonde_tensor_n_bytes (tensor) : 0;
  g_signal_emit (self, signals[MAP], 0, &map);
}

static void
on_recorded_map (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Request) request = data;
  SondeSampleModel *self = request->model;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = NULL;

  if (!counts (request))
    return;
  tensor = sonde_explained_sample_load_map_finish (self->recorded, result, &error);
  if (tensor == NULL)
    emit_failed (request, MAP_FAILED, sonde_error_get_text (error));
  else if (self->n_map_bytes + sonde_tensor_n_bytes (tensor) > MAX_MAP_BYTES)
    emit_failed (request, MAP_FAILED,
                 _ ("Not shown: the maps of this sample would take more than 512 MiB."));
  else
    take_recorded_map (self, find_recorded_map (self, request->spec, request->target), tensor);
}

static void
request_recorded_map (SondeSampleModel *self, const char *spec, gint64 target)
{
  const SondeAttributionMap *map = find_recorded_map (self, spec, target);

  if (map == NULL)
    g_signal_emit (self, signals[MAP_FAILED], 0, spec, target,
                   _ ("No map was recorded for this class."));
  else if (map->map != NULL)
    take_recorded_map (self, map, map->map);
  else
    sonde_explained_sample_load_map_async (self->recorded, map, self->cancellable, on_recorded_map,
                                           request_new (self, NULL, spec, target));
}

/* ---- maps ------------------------------------------------------------------ */

/* The map goes where it was asked for. */
static void
emit_map (const Request *request, guint signal, guint failed, SondeAttributionMap *map,
          const GError *error)
{
  if (map == NULL)
    {
      emit_failed (request, failed, sonde_error_get_text (error));
      return;
    }
  map->target = request->target;
  g_free (map->spec);
  map->spec = g_strdup (request->spec);
  g_signal_emit (request->model, signals[signal], 0, map);
}

static void
take_map (Request *request, gpointer answer, const GError *error)
{
  emit_map (request, MAP, MAP_FAILED, answer, error);
}

void
sonde_sample_model_request_map (SondeSampleModel *model, const char *spec, gint64 target)
{
  static const Question question = { SONDE_EXPLAIN_MAP, take_map };

  g_return_if_fail (SONDE_IS_SAMPLE_MODEL (model));
  if (model->recorded != NULL)
    request_recorded_map (model, spec, target);
  else
    ask (model, &question, (SondeExplainArguments){ .spec = spec, .target = target });
}

static void
take_rating (Request *request, gpointer answer, const GError *error)
{
  if (answer != NULL)
    g_signal_emit (request->model, signals[RATING], 0, request->spec, request->target, answer);
  else
    emit_failed (request, RATING_FAILED, sonde_error_get_text (error));
}

void
sonde_sample_model_request_rating (SondeSampleModel *model, const char *spec, gint64 target)
{
  static const Question question = { SONDE_EXPLAIN_RATE, take_rating };

  g_return_if_fail (SONDE_IS_SAMPLE_MODEL (model));
  ask (model, &question, (SondeExplainArguments){ .spec = spec, .target = target });
}

/* ---- counterfactual and neighbours ----------------------------------------- */

static void
take_counterfactual (Request *request, gpointer answer, const GError *error)
{
  if (answer != NULL)
    g_signal_emit (request->model, signals[COUNTERFACTUAL], 0, answer);
  else
    g_signal_emit (request->model, signals[COUNTERFACTUAL_FAILED], 0, sonde_error_get_text (error));
}

void
sonde_sample_model_request_counterfactual (SondeSampleModel *model, const char *spec, gint64 target)
{
  static const Question question = { SONDE_EXPLAIN_COUNTERFACTUAL, take_counterfactual };

  g_return_if_fail (SONDE_IS_SAMPLE_MODEL (model));
  ask (model, &question, (SondeExplainArguments){ .spec = spec, .target = target });
}

static void
take_neighbours (Request *request, gpointer answer, const GError *error)
{
  if (answer != NULL)
    {
      g_signal_emit (request->model, signals[NEIGHBOURS], 0, answer);
      return;
    }
  request->model->asked_neighbours = FALSE;
  g_signal_emit (request->model, signals[NEIGHBOURS_FAILED], 0, sonde_error_get_text (error));
}

gboolean
sonde_sample_model_request_neighbours (SondeSampleModel *model)
{
  static const Question question = { SONDE_EXPLAIN_NEIGHBOURS, take_neighbours };

  g_return_val_if_fail (SONDE_IS_SAMPLE_MODEL (model), FALSE);
  if (model->asked_neighbours)
    return FALSE;
  model->asked_neighbours = ask (model, &question, (SondeExplainArguments){ .k = N_NEIGHBOURS });
  return model->asked_neighbours;
}

/* ---- the edited image ------------------------------------------------------ */

static void
take_edited (Request *request, gpointer answer, const GError *error)
{
  g_signal_emit (request->model, signals[EDITED], 0, answer,
                 error != NULL ? sonde_error_get_text (error) : NULL);
}

void
sonde_sample_model_request_edited (SondeSampleModel *model, const SondeImage *image)
{
  static const Question question = { SONDE_EXPLAIN_INFER, take_edited };

  g_return_if_fail (SONDE_IS_SAMPLE_MODEL (model));
  ask (model, &question, (SondeExplainArguments){ .image = image });
}

static void
take_edited_map (Request *request, gpointer answer, const GError *error)
{
  emit_map (request, EDITED_MAP, EDITED_MAP_FAILED, answer, error);
}

void
sonde_sample_model_request_edited_map (SondeSampleModel *model, const SondeImage *image,
                                       const char *spec, gint64 target)
{
  static const Question question = { SONDE_EXPLAIN_MAP, take_edited_map };

  g_return_if_fail (SONDE_IS_SAMPLE_MODEL (model));
  ask (model, &question, (SondeExplainArguments){ .image = image, .spec = spec, .target = target });
}

/* ---- the sample ------------------------------------------------------------ */

static void
begin (SondeSampleModel *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  self->cancellable = g_cancellable_new ();
  self->asked_neighbours = FALSE;
  self->n_map_bytes = 0;
  g_clear_pointer (&self->row, sonde_sample_result_free);
  g_clear_object (&self->recorded);
  g_clear_pointer (&self->image, sonde_image_unref);
}

/* More is known; probabilities that came stay. */
static void
update_row (SondeSampleModel *self, const SondeSampleResult *row)
{
  g_autoptr (SondeSampleResult) before = self->row;

  self->row = sonde_sample_result_copy (row);
  if (self->row->probabilities == NULL)
    {
      self->row->probabilities = g_steal_pointer (&before->probabilities);
      self->row->n_classes = before->n_classes;
    }
}

gboolean
sonde_sample_model_set_row (SondeSampleModel *model, const SondeSampleResult *row)
{
  g_return_val_if_fail (SONDE_IS_SAMPLE_MODEL (model), FALSE);
  if (row != NULL && model->row != NULL && model->row->sample == row->sample
      && g_strcmp0 (model->row->name, row->name) == 0 && model->row->predicted == row->predicted)
    {
      update_row (model, row);
      return FALSE;
    }
  begin (model);
  model->row = row != NULL ? sonde_sample_result_copy (row) : NULL;
  return TRUE;
}

void
sonde_sample_model_set_recorded (SondeSampleModel *model, SondeExplainedSample *sample)
{
  g_return_if_fail (SONDE_IS_SAMPLE_MODEL (model));
  begin (model);
  g_set_object (&model->recorded, sample);
}

const SondeSampleResult *
sonde_sample_model_get_row (SondeSampleModel *model)
{
  return model->row;
}

SondeExplainedSample *
sonde_sample_model_get_recorded (SondeSampleModel *model)
{
  return model->recorded;
}

SondeImage *
sonde_sample_model_get_image (SondeSampleModel *model)
{
  return model->image;
}

const SondeExplainInfo *
sonde_sample_model_get_info (SondeSampleModel *model)
{
  return model->client != NULL ? sonde_explain_client_get_info (model->client) : NULL;
}

const SondeExplanationSettings *
sonde_sample_model_get_settings (SondeSampleModel *model)
{
  return model->client != NULL ? sonde_explain_client_get_settings (model->client) : NULL;
}

const char *
sonde_sample_model_get_class (SondeSampleModel *model, gint64 class)
{
  const SondeExplainInfo *info = sonde_sample_model_get_info (model);

  return info != NULL && class >= 0 && class < info->n_classes ? info->classes[class]
                                                               : _ ("unknown");
}

gboolean
sonde_sample_model_is_busy (SondeSampleModel *model)
{
  return model->n_requests > 0;
}

/* ---- object ---------------------------------------------------------------- */

static void
sonde_sample_model_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  g_value_set_boolean (value, sonde_sample_model_is_busy (SONDE_SAMPLE_MODEL (object)));
}

static void
sonde_sample_model_dispose (GObject *object)
{
  SondeSampleModel *self = SONDE_SAMPLE_MODEL (object);

  begin (self);
  g_clear_object (&self->client);
  G_OBJECT_CLASS (sonde_sample_model_parent_class)->dispose (object);
}

static void
sonde_sample_model_finalize (GObject *object)
{
  g_clear_object (&SONDE_SAMPLE_MODEL (object)->cancellable);
  G_OBJECT_CLASS (sonde_sample_model_parent_class)->finalize (object);
}

static guint
new_signal (const char *name, guint n, ...)
{
  guint id;
  va_list types;

  va_start (types, n);
  id = g_signal_new_valist (name, SONDE_TYPE_SAMPLE_MODEL, G_SIGNAL_RUN_LAST, NULL, NULL, NULL,
                            NULL, G_TYPE_NONE, n, types);
  va_end (types);
  return id;
}

static void
sonde_sample_model_class_init (SondeSampleModelClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = sonde_sample_model_dispose;
  object_class->finalize = sonde_sample_model_finalize;
  object_class->get_property = sonde_sample_model_get_property;
  properties[PROP_BUSY]
      = g_param_spec_boolean ("busy", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPERTIES, properties);
  signals[IMAGE] = new_signal ("image", 2, G_TYPE_POINTER, G_TYPE_POINTER);
  signals[IMAGE_FAILED] = new_signal ("image-failed", 1, G_TYPE_STRING);
  signals[PROBABILITIES] = new_signal ("probabilities", 2, G_TYPE_POINTER, G_TYPE_BOOLEAN);
  signals[MAP] = new_signal ("map", 1, G_TYPE_POINTER);
  signals[MAP_FAILED] = new_signal ("map-failed", 3, G_TYPE_STRING, G_TYPE_INT64, G_TYPE_STRING);
  signals[RATING] = new_signal ("rating", 3, G_TYPE_STRING, G_TYPE_INT64, G_TYPE_POINTER);
  signals[RATING_FAILED]
      = new_signal ("rating-failed", 3, G_TYPE_STRING, G_TYPE_INT64, G_TYPE_STRING);
  signals[COUNTERFACTUAL] = new_signal ("counterfactual", 1, G_TYPE_POINTER);
  signals[COUNTERFACTUAL_FAILED] = new_signal ("counterfactual-failed", 1, G_TYPE_STRING);
  signals[NEIGHBOURS] = new_signal ("neighbours", 1, G_TYPE_POINTER);
  signals[NEIGHBOURS_FAILED] = new_signal ("neighbours-failed", 1, G_TYPE_STRING);
  signals[EDITED] = new_signal ("edited", 2, G_TYPE_POINTER, G_TYPE_STRING);
  signals[EDITED_MAP] = new_signal ("edited-map", 1, G_TYPE_POINTER);
  signals[EDITED_MAP_FAILED]
      = new_signal ("edited-map-failed", 3, G_TYPE_STRING, G_TYPE_INT64, G_TYPE_STRING);
}

static void
sonde_sample_model_init (SondeSampleModel *self)
{
  self->cancellable = g_cancellable_new ();
}

void
sonde_sample_model_set_client (SondeSampleModel *model, SondeExplainClient *client)
{
  g_return_if_fail (SONDE_IS_SAMPLE_MODEL (model));
  g_set_object (&model->client, client);
}

SondeSampleModel *
sonde_sample_model_new (SondeExplainClient *client)
{
  SondeSampleModel *self = g_object_new (SONDE_TYPE_SAMPLE_MODEL, NULL);

  sonde_sample_model_set_client (self, client);
  return self;
}
