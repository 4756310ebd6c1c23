/* SPDX-License-Identifier: Apache-2.0
 * The Explain page. */
#include "app/pages/sonde-explain-page.h"

#include "app/explain/sonde-explain-workspace.h"
#include "app/workspace/sonde-opened-model.h"
#include "data/base/sonde-error.h"
#include "explain/recorded/sonde-explained-reading.h"

#define TAG "saliency"
#define BOXES_TAG "counterfactual"
#define GROUP "explain" /* of the window's settings */

struct _SondeExplainPage
{
  SondePage parent_instance;

  SondeExplainWorkspace *content;
  SondeRun *run;    /* whose recorded samples these are */
  guint n_records;  /* how many of its records they were made from */
  gboolean held;    /* while the content is busy */
  gboolean offered; /* the form was filled once */
  /* the explanations that the window was opened with are read, or being read */
  gboolean took_folder;
  char *at; /* (nullable): where to go in them */
  /* (nullable): to be opened with the run as their model, once it is known; the page is held */
  SondeExplanationSettings *pending;
  GCancellable *loading;
};

G_DEFINE_FINAL_TYPE (SondeExplainPage, sonde_explain_page, SONDE_TYPE_PAGE)

/* ---- what the window remembers ------------------------------------------- */

static const struct
{
  const char *key;
  gsize offset;
} remembered[] = {
  { "model", G_STRUCT_OFFSET (SondeExplanationSettings, model) },
  { "data", G_STRUCT_OFFSET (SondeExplanationSettings, data) },
  { "training", G_STRUCT_OFFSET (SondeExplanationSettings, training) },
  { "labels", G_STRUCT_OFFSET (SondeExplanationSettings, labels) },
  { "mean", G_STRUCT_OFFSET (SondeExplanationSettings, mean) },
  { "deviation", G_STRUCT_OFFSET (SondeExplanationSettings, std) },
  { "size", G_STRUCT_OFFSET (SondeExplanationSettings, size) },
  { "channels", G_STRUCT_OFFSET (SondeExplanationSettings, channels) },
  { "given-labels", G_STRUCT_OFFSET (SondeExplanationSettings, given_labels) },
};

static void
remember (SondeExplainPage *self)
{
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (self));
  g_autoptr (SondeExplanationSettings) settings
      = sonde_explain_workspace_dup_settings (self->content);

  for (gsize i = 0; i < G_N_ELEMENTS (remembered); i++)
    sonde_workspace_set_setting (workspace, GROUP, remembered[i].key,
                                 G_STRUCT_MEMBER (char *, settings, remembered[i].offset));
}

static SondeExplanationSettings *
recall (SondeExplainPage *self)
{
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (self));
  SondeExplanationSettings *settings = g_new0 (SondeExplanationSettings, 1);

  for (gsize i = 0; i < G_N_ELEMENTS (remembered); i++)
    G_STRUCT_MEMBER (char *, settings, remembered[i].offset)
        = g_strdup (sonde_workspace_get_setting (workspace, GROUP, remembered[i].key));
  return settings;
}

/* A model that was opened with the window. (nullable) */
static const char *
model_of_window (SondeExplainPage *self)
{
  const char *const *documents
      = sonde_workspace_get_documents (sonde_page_get_workspace (SONDE_PAGE (self)));

  for (guint i = 0; documents[i] != NULL; i++)
    if (sonde_opened_model_is_path (documents[i]))
      return documents[i];
  return NULL;
}

/* What the form begins with: the model that was opened with the window, else the last session, else
 * the run. */
static SondeExplanationSettings *
suggest (SondeExplainPage *self)
{
  SondeExplanationSettings *settings = recall (self);
  SondeRun *run = sonde_workspace_get_run (sonde_page_get_workspace (SONDE_PAGE (self)));
  const char *model = model_of_window (self);

  if (model == NULL && settings->model == NULL && run != NULL)
    model = sonde_run_get_path (run);
  if (model == NULL || g_strcmp0 (model, settings->model) == 0)
    return settings;
  /* Images of another model may be those of this one; what is done to them may not. */
  {
    SondeExplanationSettings *fresh = g_new0 (SondeExplanationSettings, 1);

    fresh->model = g_strdup (model);
    fresh->data = g_strdup (settings->data);
    sonde_explanation_settings_free (settings);
    return fresh;
  }
}

static void
offer (SondeExplainPage *self)
{
  g_autoptr (SondeExplanationSettings) settings = NULL;

  if (self->offered || !sonde_explain_workspace_is_empty (self->content))
    return;
  settings = suggest (self);
  self->offered = settings->model != NULL;
  sonde_explain_workspace_offer (self->content, settings);
}

/* ---- recorded samples ---------------------------------------------------- */

static void
tell_faults (SondeExplainPage *self, GPtrArray *faults)
{
  g_autofree char *text = NULL;

  if (faults->len == 0)
    return;
  text = faults->len == 1 ? g_strdup (faults->pdata[0])
                          : g_strdup_printf (_ ("%u explanations cannot be shown. The first: %s"),
                                             faults->len, (char *) faults->pdata[0]);
  sonde_page_toast (SONDE_PAGE (self), text);
}

static void
on_joined (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeExplainPage *self = SONDE_EXPLAIN_PAGE (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeExplainedReading) joined = sonde_explained_read_finish (result, &error);

  if (joined != NULL && self->content != NULL)
    {
      sonde_explain_workspace_set_recorded (self->content, joined->samples,
                                            self->run != NULL ? sonde_run_get_path (self->run)
                                                              : NULL);
      sonde_page_set_filled (SONDE_PAGE (self));
      tell_faults (self, joined->faults);
    }
  sonde_page_release (SONDE_PAGE (self));
}

static void
on_records_read (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeExplainPage) self = data;
  g_autoptr (GError) error = NULL;
  GPtrArray *records = sonde_run_read_blobs_finish (SONDE_RUN (source), result, &error);

  if (records == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        sonde_page_toast (SONDE_PAGE (self), sonde_error_get_text (error));
      sonde_page_release (SONDE_PAGE (self));
      return;
    }
  sonde_explained_read_records_async (
      G_OBJECT (self), records, sonde_run_get_path (SONDE_RUN (source)),
      sonde_workspace_get_program (sonde_page_get_workspace (SONDE_PAGE (self))), self->loading,
      on_joined);
  g_ptr_array_unref (records);
}

/* ---- a folder of explanations -------------------------------------------- */

static void
show_folder (SondeExplainPage *self, const SondeExplainedReading *folder)
{
  const SondeExplanationFolder *read = folder->folder;

  /* First the session: what it shows is not what the files hold. */
  if (read->missing == NULL)
    sonde_explain_workspace_open (self->content, read->settings, self->at);
  sonde_explain_workspace_set_recorded (self->content, folder->samples, NULL);
  sonde_explain_workspace_set_origin (self->content, read->settings, read->missing);
  if (read->missing != NULL && folder->samples->len == 0)
    sonde_explain_workspace_offer (self->content, read->settings);
  sonde_page_set_filled (SONDE_PAGE (self));
  tell_faults (self, folder->faults);
}

static void
on_folder_read (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeExplainPage *self = SONDE_EXPLAIN_PAGE (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeExplainedReading) folder = sonde_explained_read_finish (result, &error);

  if (folder != NULL && self->content != NULL)
    show_folder (self, folder);
  else if (self->content != NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      sonde_page_toast (SONDE_PAGE (self), sonde_error_get_text (error));
      sonde_page_set_filled (SONDE_PAGE (self));
    }
  sonde_page_release (SONDE_PAGE (self));
}

static void
read_folder (SondeExplainPage *self)
{
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (self));

  self->took_folder = TRUE;
  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  self->loading = g_cancellable_new ();
  sonde_page_hold (SONDE_PAGE (self));
  sonde_explained_read_folder_async (G_OBJECT (self), sonde_workspace_get_explained (workspace),
                                     sonde_workspace_get_program (workspace), self->loading,
                                     on_folder_read);
}

/* No record of the chosen run: another run's, while nobody chose; else the form. */
static void
show_without_records (SondeExplainPage *self)
{
  static const SondeRecordKind kinds[]
      = { SONDE_RECORD_SALIENCY, SONDE_RECORD_COUNTERFACTUAL, SONDE_RECORD_EXPLAIN };
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (self));
  g_autoptr (SondeRun) other
      = sonde_workspace_dup_run_with (workspace, kinds, G_N_ELEMENTS (kinds));
  g_autoptr (GPtrArray) none = g_ptr_array_new ();

  if (other != NULL && model_of_window (self) == NULL
      && sonde_workspace_prefer_run (workspace, other))
    return;
  sonde_explain_workspace_set_recorded (self->content, none, NULL);
  offer (self);
  /* "Loading…" stands there until it is known that there is nothing to load. */
  if (sonde_explain_workspace_is_empty (self->content)
      && sonde_run_store_is_loading (sonde_page_get_store (SONDE_PAGE (self))))
    sonde_page_set_empty (SONDE_PAGE (self), "sonde-explain-symbolic", _ ("No Explanations"), "",
                          NULL, NULL);
  else
    sonde_page_set_filled (SONDE_PAGE (self));
}

/* Its records of maps and boxes, else its log of MindSpore's. (transfer full) (nullable) */
static GArray *
list_recorded (SondeRun *run)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  g_autoptr (GArray) blobs = sonde_run_list_blobs (run, TAG, SONDE_RECORD_SALIENCY);
  g_autoptr (GArray) boxes = sonde_run_list_blobs (run, BOXES_TAG, SONDE_RECORD_COUNTERFACTUAL);

  g_array_append_vals (blobs, boxes->data, boxes->len);
  if (blobs->len > 0)
    return g_steal_pointer (&blobs);
  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];

      if (tag->kind == SONDE_RECORD_EXPLAIN)
        return sonde_run_list_blobs (run, tag->tag, SONDE_RECORD_EXPLAIN);
    }
  return NULL;
}

/* Opens what waits for its run. */
static void
open_pending (SondeExplainPage *self)
{
  SondeRun *run = sonde_workspace_get_run (sonde_page_get_workspace (SONDE_PAGE (self)));
  g_autoptr (SondeExplanationSettings) settings = NULL;

  if (self->pending == NULL
      || (run == NULL && sonde_run_store_is_loading (sonde_page_get_store (SONDE_PAGE (self)))))
    return;
  settings = g_steal_pointer (&self->pending);
  if (run != NULL)
    settings->model = g_strdup (sonde_run_get_path (run));
  sonde_page_set_filled (SONDE_PAGE (self));
  if (run != NULL)
    sonde_explain_workspace_open (self->content, settings, self->at);
  else
    sonde_explain_workspace_offer (self->content, settings);
  sonde_page_release (SONDE_PAGE (self));
}

/* Reads what the run recorded again when there is more of it. */
static void
update (SondeExplainPage *self)
{
  SondeRun *run = sonde_workspace_get_run (sonde_page_get_workspace (SONDE_PAGE (self)));
  g_autoptr (GArray) blobs = NULL;

  if (self->content == NULL)
    return;
  open_pending (self);
  if (run != self->run)
    {
      g_set_object (&self->run, run);
      self->n_records = 0;
    }
  blobs = run != NULL ? list_recorded (run) : NULL;
  if (blobs == NULL || blobs->len == 0)
    {
      if (self->took_folder)
        return;
      if (sonde_workspace_get_explained (sonde_page_get_workspace (SONDE_PAGE (self))) != NULL)
        read_folder (self);
      else
        show_without_records (self);
    }
  else if (blobs->len != self->n_records)
    {
      self->n_records = blobs->len;
      g_cancellable_cancel (self->loading);
      g_clear_object (&self->loading);
      self->loading = g_cancellable_new ();
      sonde_page_hold (SONDE_PAGE (self));
      sonde_run_read_blobs_async (run, blobs, self->loading, on_records_read, g_object_ref (self));
    }
}

/* ---- page ---------------------------------------------------------------- */

static void
on_content_busy (SondeExplainPage *self)
{
  gboolean busy = sonde_explain_workspace_is_busy (self->content);

  if (busy == self->held)
    return;
  self->held = busy;
  if (busy)
    sonde_page_hold (SONDE_PAGE (self));
  else
    sonde_page_release (SONDE_PAGE (self));
}

static void
on_content_status (SondeExplainPage *self)
{
  g_autofree char *status = sonde_explain_workspace_dup_status (self->content);

  sonde_page_set_status (SONDE_PAGE (self), status);
}

static void
on_content_message (SondeExplainPage *self, const char *sentence)
{
  sonde_page_toast (SONDE_PAGE (self), sentence);
}

static void
sonde_explain_page_opened (SondePage *page)
{
  update (SONDE_EXPLAIN_PAGE (page));
}

static void
sonde_explain_page_show (SondePage *page, const SondePageRequest *request)
{
  SondeExplainPage *self = SONDE_EXPLAIN_PAGE (page);
  g_autoptr (SondeExplanationSettings) settings = NULL;

  g_free (self->at);
  self->at = g_strdup (request->at);
  if (request->data == NULL && request->at != NULL)
    sonde_explain_workspace_go_to (self->content, request->at);
  if (request->data == NULL)
    return;
  self->took_folder = TRUE; /* other images are wanted */
  g_cancellable_cancel (self->loading);
  settings = suggest (self);
  g_free (settings->data);
  settings->data = g_strdup (request->data);
  if (request->mean != NULL)
    {
      g_free (settings->mean);
      settings->mean = g_strdup (request->mean);
    }
  if (request->std != NULL)
    {
      g_free (settings->std);
      settings->std = g_strdup (request->std);
    }
  if (settings->model == NULL)
    {
      if (self->pending == NULL)
        sonde_page_hold (page);
      g_clear_pointer (&self->pending, sonde_explanation_settings_free);
      self->pending = g_steal_pointer (&settings);
      open_pending (self);
      return;
    }
  sonde_page_set_filled (page);
  sonde_explain_workspace_open (self->content, settings, request->at);
}

static void
on_workspace_changed (SondeExplainPage *self)
{
  if (sonde_page_is_opened (SONDE_PAGE (self)))
    update (self);
}

static void
sonde_explain_page_set_up (SondePage *page)
{
  SondeExplainPage *self = SONDE_EXPLAIN_PAGE (page);
  SondeWorkspace *workspace = sonde_page_get_workspace (page);

  self->content = SONDE_EXPLAIN_WORKSPACE (
      sonde_explain_workspace_new (sonde_workspace_get_program (workspace)));
  sonde_page_set_content (page, GTK_WIDGET (self->content));
  g_signal_connect_object (self->content, "notify::busy", G_CALLBACK (on_content_busy), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->content, "status-changed", G_CALLBACK (on_content_status), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->content, "opened", G_CALLBACK (remember), page, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->content, "message", G_CALLBACK (on_content_message), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (on_workspace_changed), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::run", G_CALLBACK (on_workspace_changed), page,
                           G_CONNECT_SWAPPED);
}

static gboolean
sonde_explain_page_is_settled (SondePage *page)
{
  SondeExplainPage *self = SONDE_EXPLAIN_PAGE (page);

  open_pending (self);
  /* Loading may have ended without anything new. */
  if (self->content != NULL && sonde_explain_workspace_is_empty (self->content)
      && !sonde_run_store_is_loading (sonde_page_get_store (page)))
    sonde_page_set_filled (page);
  return TRUE;
}

static void
sonde_explain_page_dispose (GObject *object)
{
  SondeExplainPage *self = SONDE_EXPLAIN_PAGE (object);

  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  g_clear_object (&self->run);
  g_clear_pointer (&self->pending, sonde_explanation_settings_free);
  self->content = NULL;
  G_OBJECT_CLASS (sonde_explain_page_parent_class)->dispose (object);
}

static void
sonde_explain_page_finalize (GObject *object)
{
  g_free (SONDE_EXPLAIN_PAGE (object)->at);
  G_OBJECT_CLASS (sonde_explain_page_parent_class)->finalize (object);
}

static void
sonde_explain_page_class_init (SondeExplainPageClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_explain_page_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_explain_page_finalize;
  SONDE_PAGE_CLASS (klass)->set_up = sonde_explain_page_set_up;
  SONDE_PAGE_CLASS (klass)->opened = sonde_explain_page_opened;
  SONDE_PAGE_CLASS (klass)->show = sonde_explain_page_show;
  SONDE_PAGE_CLASS (klass)->is_settled = sonde_explain_page_is_settled;
}

static void
sonde_explain_page_init (SondeExplainPage *self)
{
}
