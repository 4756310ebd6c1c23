/* SPDX-License-Identifier: Apache-2.0
 * What the sample view asks the study's client, and where the answers go. */
#include "app/explain/sample/sonde-sample-view-private.h"

#include <math.h>

#define N_NEIGHBOURS 8
#define MAX_MAP_BYTES (512 << 20) /* of all recorded maps that are shown together */

/* One question. An answer counts only while its sample is shown: the cancellable is the
 * sample's. */
typedef struct
{
  SondeSampleView *self;
  GCancellable *cancellable;
  char *spec;
  gint64 target;
} Ask;

static Ask *
ask_new (SondeSampleView *self, const char *spec, gint64 target)
{
  Ask *ask = g_new0 (Ask, 1);

  ask->self = g_object_ref (self);
  ask->cancellable = g_object_ref (self->cancellable);
  ask->spec = g_strdup (spec);
  ask->target = target;
  if (self->n_asked++ == 0)
    g_signal_emit_by_name (self, "busy-changed");
  return ask;
}

static void
ask_free (Ask *ask)
{
  if (--ask->self->n_asked == 0)
    g_signal_emit_by_name (ask->self, "busy-changed");
  g_object_unref (ask->self);
  g_object_unref (ask->cancellable);
  g_free (ask->spec);
  g_free (ask);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Ask, ask_free)

static gboolean
counts (const Ask *ask)
{
  return ask->cancellable == ask->self->cancellable
         && !g_cancellable_is_cancelled (ask->cancellable);
}

/* ---- image and probabilities ------------------------------------------- */

static void
on_image (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Ask) ask = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeBoxedImage) boxed = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_IMAGE, &error);

  if (!counts (ask))
    return;
  if (boxed != NULL)
    sonde_sample_view_take_image (ask->self, g_steal_pointer (&boxed->image), &boxed->box);
  else
    {
      gtk_label_set_text (GTK_LABEL (ask->self->note), error->message);
      gtk_widget_set_visible (ask->self->note, TRUE);
    }
}

void
sonde_sample_view_request_image (SondeSampleView *self)
{
  sonde_explain_client_ask_async (self->client, SONDE_EXPLAIN_IMAGE,
                                  &(SondeExplainArguments){ .sample = self->row->sample },
                                  self->cancellable, on_image, ask_new (self, NULL, 0));
}

static void
on_probabilities (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Ask) ask = data;
  g_autoptr (SondeImagePrediction) answer = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_INFER, NULL);

  if (counts (ask) && answer != NULL)
    sonde_sample_view_take_probabilities (ask->self, answer->probabilities, answer->n_classes);
}

void
sonde_sample_view_request_probabilities (SondeSampleView *self)
{
  sonde_explain_client_ask_async (self->client, SONDE_EXPLAIN_INFER,
                                  &(SondeExplainArguments){ .sample = self->row->sample },
                                  self->cancellable, on_probabilities, ask_new (self, NULL, 0));
}

/* ---- maps ---------------------------------------------------------------- */

static void
on_map (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Ask) ask = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeAttributionMap) map = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_MAP, &error);

  if (!counts (ask))
    return;
  if (map == NULL)
    {
      sonde_sample_maps_set_failed (SONDE_SAMPLE_MAPS (ask->self->maps), ask->spec, ask->target,
                                    error->message);
      return;
    }
  /* Where it goes is what was asked. */
  map->target = ask->target;
  g_free (map->spec);
  map->spec = g_strdup (ask->spec);
  sonde_sample_maps_set_map (SONDE_SAMPLE_MAPS (ask->self->maps), map);
}

void
sonde_sample_view_request_map (SondeSampleView *self, const char *spec, gint64 target)
{
  sonde_explain_client_ask_async (
      self->client, SONDE_EXPLAIN_MAP,
      &(SondeExplainArguments){ .sample = self->row->sample, .spec = spec, .target = target },
      self->cancellable, on_map, ask_new (self, spec, target));
}

static void
on_rating (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Ask) ask = data;
  g_autoptr (GError) error = NULL;
  g_autofree SondeMapRating *rating = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_RATE, &error);

  if (!counts (ask))
    return;
  if (rating != NULL)
    sonde_sample_maps_set_rating (SONDE_SAMPLE_MAPS (ask->self->maps), ask->spec, ask->target,
                                  rating);
  else
    sonde_sample_maps_set_rating_failed (SONDE_SAMPLE_MAPS (ask->self->maps), ask->spec,
                                         ask->target, error->message);
}

void
sonde_sample_view_request_rating (SondeSampleView *self, const char *spec, gint64 target)
{
  sonde_explain_client_ask_async (
      self->client, SONDE_EXPLAIN_RATE,
      &(SondeExplainArguments){ .sample = self->row->sample, .spec = spec, .target = target },
      self->cancellable, on_rating, ask_new (self, spec, target));
}

/* ---- counterfactual and neighbours --------------------------------------- */

static void
on_boxes (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Ask) ask = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeCounterfactual) boxes = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_COUNTERFACTUAL, &error);

  if (!counts (ask))
    return;
  if (boxes != NULL)
    sonde_sample_counterfactual_set_boxes (SONDE_SAMPLE_COUNTERFACTUAL (ask->self->counterfactual),
                                           boxes);
  else
    sonde_sample_counterfactual_set_failed (SONDE_SAMPLE_COUNTERFACTUAL (ask->self->counterfactual),
                                            error->message);
}

void
sonde_sample_view_request_boxes (SondeSampleView *self, const char *spec, gint64 target)
{
  sonde_explain_client_ask_async (
      self->client, SONDE_EXPLAIN_COUNTERFACTUAL,
      &(SondeExplainArguments){ .sample = self->row->sample, .spec = spec, .target = target },
      self->cancellable, on_boxes, ask_new (self, spec, target));
}

static void
show_counterexample (SondeSampleView *self, GPtrArray *neighbours)
{
  for (guint i = 0; i < neighbours->len; i++)
    {
      const SondeNeighbourSample *neighbour = g_ptr_array_index (neighbours, i);

      if (!neighbour->counterexample)
        continue;
      sonde_sample_counterfactual_set_counterexample (
          SONDE_SAMPLE_COUNTERFACTUAL (self->counterfactual), neighbour,
          sonde_sample_view_get_class (self, neighbour->label), NULL);
      return;
    }
  sonde_sample_counterfactual_set_counterexample (
      SONDE_SAMPLE_COUNTERFACTUAL (self->counterfactual), NULL, NULL, "There is none.");
}

static void
on_neighbours (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Ask) ask = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) neighbours = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_NEIGHBOURS, &error);
  const SondeExplainInfo *info = sonde_explain_client_get_info (SONDE_EXPLAIN_CLIENT (source));

  if (!counts (ask))
    return;
  if (neighbours == NULL)
    {
      ask->self->asked_neighbours = FALSE;
      sonde_sample_neighbours_set_message (SONDE_SAMPLE_NEIGHBOURS (ask->self->neighbours),
                                           error->message);
      sonde_sample_counterfactual_set_counterexample (
          SONDE_SAMPLE_COUNTERFACTUAL (ask->self->counterfactual), NULL, NULL, error->message);
      return;
    }
  sonde_sample_neighbours_set (SONDE_SAMPLE_NEIGHBOURS (ask->self->neighbours), neighbours,
                               ask->self->row, (const char *const *) info->classes,
                               info->n_classes);
  show_counterexample (ask->self, neighbours);
}

void
sonde_sample_view_request_neighbours (SondeSampleView *self)
{
  if (self->asked_neighbours)
    return;
  self->asked_neighbours = TRUE;
  sonde_sample_neighbours_set_message (SONDE_SAMPLE_NEIGHBOURS (self->neighbours), "Searching…");
  sonde_sample_counterfactual_set_counterexample (
      SONDE_SAMPLE_COUNTERFACTUAL (self->counterfactual), NULL, NULL, "Searching…");
  sonde_explain_client_ask_async (
      self->client, SONDE_EXPLAIN_NEIGHBOURS,
      &(SondeExplainArguments){ .sample = self->row->sample, .k = N_NEIGHBOURS }, self->cancellable,
      on_neighbours, ask_new (self, NULL, 0));
}

/* ---- the edited image -------------------------------------------------- */

static void
on_edited (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Ask) ask = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeImagePrediction) answer = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_INFER, &error);

  if (counts (ask))
    sonde_sample_edit_set_answer (SONDE_SAMPLE_EDIT (ask->self->edit), answer,
                                  error != NULL ? error->message : NULL);
}

void
sonde_sample_view_request_edited (SondeSampleView *self)
{
  sonde_explain_client_ask_async (self->client, SONDE_EXPLAIN_INFER,
                                  &(SondeExplainArguments){ .sample = self->row->sample,
                                                            .image = sonde_sample_edit_get_image (
                                                                SONDE_SAMPLE_EDIT (self->edit)) },
                                  self->cancellable, on_edited, ask_new (self, NULL, 0));
}

static void
on_edited_map (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Ask) ask = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeAttributionMap) map = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_MAP, &error);
  SondeSampleMaps *maps = sonde_sample_edit_get_maps (SONDE_SAMPLE_EDIT (ask->self->edit));

  if (!counts (ask))
    return;
  if (map == NULL)
    {
      sonde_sample_maps_set_failed (maps, ask->spec, ask->target, error->message);
      return;
    }
  map->target = ask->target;
  g_free (map->spec);
  map->spec = g_strdup (ask->spec);
  sonde_sample_maps_set_map (maps, map);
}

void
sonde_sample_view_request_edited_map (SondeSampleView *self, const char *spec, gint64 target)
{
  sonde_explain_client_ask_async (self->client, SONDE_EXPLAIN_MAP,
                                  &(SondeExplainArguments){ .sample = self->row->sample,
                                                            .image = sonde_sample_edit_get_image (
                                                                SONDE_SAMPLE_EDIT (self->edit)),
                                                            .spec = spec,
                                                            .target = target },
                                  self->cancellable, on_edited_map, ask_new (self, spec, target));
}

/* ---- a recorded sample --------------------------------------------------- */

static void
on_recorded_image (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Ask) ask = data;
  SondeSampleView *self = ask->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeImage) image = NULL;
  g_autofree char *note = NULL;

  if (!counts (ask))
    return;
  image = sonde_explained_sample_load_image_finish (self->recorded, result, &error);
  if (image != NULL)
    {
      sonde_sample_view_take_recorded_image (self, image);
      return;
    }
  note = g_strdup_printf ("The image cannot be shown: %s %s", error->message,
                          gtk_label_get_text (GTK_LABEL (self->note)));
  gtk_label_set_text (GTK_LABEL (self->note), note);
}

void
sonde_sample_view_request_recorded_image (SondeSampleView *self)
{
  sonde_explained_sample_load_image_async (self->recorded, self->cancellable, on_recorded_image,
                                           ask_new (self, NULL, 0));
}

/* The later of two in one place. (nullable) */
static const SondeRecordedMap *
find_recorded_map (SondeSampleView *self, const char *spec, gint64 target)
{
  GPtrArray *maps = sonde_explained_sample_get_maps (self->recorded);
  const SondeRecordedMap *found = NULL;

  for (guint i = 0; i < maps->len; i++)
    {
      const SondeRecordedMap *map = g_ptr_array_index (maps, i);

      if (map->target == target && g_str_equal (map->method, spec))
        found = map;
    }
  return found;
}

static void
take_recorded_map (SondeSampleView *self, const SondeRecordedMap *record, SondeTensor *tensor)
{
  SondeAttributionMap map = { .spec = record->method,
                              .target = record->target,
                              .other = -1,
                              .map = tensor,
                              .score = record->score,
                              .rating = { NAN, NAN, NAN, NAN, NAN } };

  self->n_map_bytes += record->map == NULL ? sonde_tensor_n_bytes (tensor) : 0;
  sonde_sample_maps_set_map (SONDE_SAMPLE_MAPS (self->maps), &map);
}

static void
on_recorded_map (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Ask) ask = data;
  SondeSampleView *self = ask->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = NULL;
  const char *why = NULL;

  if (!counts (ask))
    return;
  tensor = sonde_explained_sample_load_map_finish (self->recorded, result, &error);
  if (tensor == NULL)
    why = error->message;
  else if (self->n_map_bytes + sonde_tensor_n_bytes (tensor) > MAX_MAP_BYTES)
    why = "There is no room for it: the maps beside it take 512 MiB.";
  if (why != NULL)
    sonde_sample_maps_set_failed (SONDE_SAMPLE_MAPS (self->maps), ask->spec, ask->target, why);
  else
    take_recorded_map (self, find_recorded_map (self, ask->spec, ask->target), tensor);
}

void
sonde_sample_view_request_recorded_map (SondeSampleView *self, const char *spec, gint64 target)
{
  const SondeRecordedMap *map = find_recorded_map (self, spec, target);

  if (map == NULL)
    sonde_sample_maps_set_failed (SONDE_SAMPLE_MAPS (self->maps), spec, target,
                                  "None was recorded for this class.");
  else if (map->map != NULL)
    take_recorded_map (self, map, map->map);
  else
    sonde_explained_sample_load_map_async (self->recorded, map, self->cancellable, on_recorded_map,
                                           ask_new (self, spec, target));
}
