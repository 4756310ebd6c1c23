/* SPDX-License-Identifier: Apache-2.0
 * The training samples of a session, opened and classified when first needed. */
#include "data/base/sonde-error.h"
#include "explain/session/sonde-explain-session-data.h"
#include "explain/session/sonde-explain-session-digest.h"
#include "explain/session/sonde-explain-session-predictions.h"
#include "explain/session/sonde-explain-session-private.h"
#include "explain/session/sonde-explain-session-work.h"

/* Keys of the cache: the folder is that of the data, so that the training data's own digest is part
 * of them. */
static char *
make_prefix (SondeExplainSession *session, GError **error)
{
  if (session->cache == NULL)
    return g_strdup ("");
  g_free (session->training_digest);
  session->training_digest
      = sonde_explain_session_make_digest (session->settings, session->model, session->dataset,
                                           &session->training_split, session->training_data, error);
  return session->training_digest != NULL
             ? g_strdup_printf ("train-%.16s-", session->training_digest)
             : NULL;
}

GPtrArray *
sonde_explain_session_get_training (SondeExplainSession *session, GError **error)
{
  const SondeExplanationSettings *settings = session->settings;
  g_autofree char *prefix = NULL;

  if (session->training != NULL)
    return session->training;
  if (settings->training == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "No training images were given.");
      return NULL;
    }
  if (session->training_data == NULL)
    session->training_data = sonde_explain_session_open_data (
        settings, settings->training, TRUE, session->model, session->program,
        &session->training_split, session->notes, error);
  prefix = session->training_data != NULL ? make_prefix (session, error) : NULL;
  if (prefix == NULL)
    return NULL;
  sonde_explain_session_begin (session, N_ ("Predicting the training data"), 0);
  session->training = sonde_explain_session_classify_part (
      session, session->explainer, session->training_data, session->training_split.test,
      session->training_split.n_test, prefix, FALSE, error);
  if (session->training != NULL && settings->given_labels != NULL
      && !sonde_explain_session_apply_given_labels (settings->given_labels, session->training_data,
                                                    session->training, error))
    g_clear_pointer (&session->training, g_ptr_array_unref);
  return session->training;
}

SondeDataset *
sonde_explain_session_get_training_data (SondeExplainSession *session, GError **error)
{
  return sonde_explain_session_get_training (session, error) != NULL ? session->training_data
                                                                     : NULL;
}

char *
sonde_explain_session_hash_labels (SondeExplainSession *session)
{
  g_autofree char *text = NULL;
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize length = 0;

  if (session->settings->given_labels != NULL)
    g_file_get_contents (session->settings->given_labels, &text, &length, NULL);
  g_checksum_update (checksum, (const guchar *) (text != NULL ? text : ""), (gssize) length);
  return sonde_explain_hash_texts (session->settings->given_labels,
                                   g_checksum_get_string (checksum), session->training_digest,
                                   NULL);
}
