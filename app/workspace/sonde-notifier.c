/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-notifier.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define GROUP "notifications"

struct _SondeNotifier
{
  SondeWorkspace *workspace;
  SondeNotifierFunc notify;
  gpointer data;
  GHashTable *looks;  /* SondeRun, referenced -> Look, owned */
  GHashTable *broken; /* SondeSeries, referenced: whose NaN has been said */
  SondeSessionState state;
};

/* A run at the last look. @step: the last one when it was live no more; -1 before */
typedef struct
{
  gboolean live;
  gint64 step;
} Look;

static const char *const settings[SONDE_N_NOTICES] = { "ended", "hit", "nan" };

const char *
sonde_notice_get_setting (SondeNotice notice)
{
  g_return_val_if_fail (notice < SONDE_N_NOTICES, NULL);
  return settings[notice];
}

/* @id: (transfer full); @body: (transfer full) */
static void
say (SondeNotifier *notifier, gboolean quiet, SondeNotice notice, char *id, const char *title,
     char *body)
{
  const char *setting = sonde_workspace_get_setting (notifier->workspace, GROUP, settings[notice]);

  if (!quiet && g_strcmp0 (setting, "false") != 0)
    notifier->notify (notice, id, title, body, notifier->data);
  g_free (id);
  g_free (body);
}

/* ---- runs ---------------------------------------------------------------- */

static void
look_at_end (SondeNotifier *notifier, SondeRun *run, gboolean quiet)
{
  Look *look = g_hash_table_lookup (notifier->looks, run);
  Look now = { sonde_run_is_live (run), sonde_run_get_last_step (run) };
  g_autofree char *step = NULL;

  if (look == NULL)
    {
      look = g_memdup2 (&(Look){ now.live, now.live ? -1 : now.step }, sizeof *look);
      g_hash_table_insert (notifier->looks, g_object_ref (run), look);
    }
  /* What is recorded into a finished run, a landscape of it, is no training. */
  if (look->live && !now.live && look->step != now.step)
    {
      step = sonde_format_count (now.step);
      say (notifier, quiet, SONDE_NOTICE_ENDED,
           g_strdup_printf ("ended %s", sonde_run_get_path (run)), _ ("Training Ended"),
           g_strdup_printf (_ ("“%s” ended at step %s"),
                            sonde_workspace_get_run_title (notifier->workspace, run), step));
    }
  if (!now.live)
    look->step = now.step;
  look->live = now.live;
}

static void
look_at_series (SondeNotifier *notifier, SondeRun *run, const char *tag, gboolean quiet)
{
  SondeSeries *series = sonde_run_get_series (run, tag);
  g_autofree char *step = NULL;
  SondePoint last;

  if (series == NULL || !sonde_series_get_last (series, &last) || !isnan (last.value)
      || g_hash_table_contains (notifier->broken, series))
    return;
  g_hash_table_add (notifier->broken, g_object_ref (series));
  step = sonde_format_count (last.step);
  say (notifier, quiet, SONDE_NOTICE_NAN, g_strdup_printf ("nan %s", sonde_run_get_path (run)),
       _ ("NaN in a Training"),
       g_strdup_printf (_ ("“%s” of “%s” is NaN at step %s"), tag,
                        sonde_workspace_get_run_title (notifier->workspace, run), step));
}

static void
look_at_run (SondeNotifier *notifier, SondeRun *run, gboolean quiet)
{
  GPtrArray *tags = sonde_run_get_tags (run);

  look_at_end (notifier, run, quiet);
  for (guint i = 0; sonde_run_is_live (run) && i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];

      if (tag->kind == SONDE_RECORD_SCALARS)
        look_at_series (notifier, run, tag->tag, quiet);
    }
}

/* ---- session ------------------------------------------------------------- */

static void
look_at_session (SondeNotifier *notifier, gboolean quiet)
{
  SondeSessionRun *session = sonde_workspace_get_session_run (notifier->workspace);
  const SondeSessionStatus *status
      = session != NULL ? sonde_session_run_get_status (session) : NULL;
  SondeSessionState before = notifier->state;
  const char *title;

  notifier->state = status != NULL ? status->state : SONDE_SESSION_EMPTY;
  if (status == NULL || before != SONDE_SESSION_RUNNING)
    return;
  title = status->facts.title != NULL ? status->facts.title : _ ("The session");
  if (status->state == SONDE_SESSION_PAUSED && status->stop.reason == SONDE_STOP_WATCHPOINT)
    say (notifier, quiet, SONDE_NOTICE_HIT, g_strdup ("session"), _ ("Watch Hit"),
         g_strdup_printf (_ ("“%s” stopped at a watch"), title));
  else if (status->state == SONDE_SESSION_ENDED)
    say (notifier, quiet, SONDE_NOTICE_ENDED, g_strdup ("session"), _ ("Session Ended"),
         g_strdup_printf (_ ("“%s” finished; all values are available"), title));
}

void
sonde_notifier_look (SondeNotifier *notifier, gboolean quiet)
{
  GListModel *runs = G_LIST_MODEL (sonde_workspace_get_store (notifier->workspace));

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      look_at_run (notifier, run, quiet);
    }
  look_at_session (notifier, quiet);
}

SondeNotifier *
sonde_notifier_new (SondeWorkspace *workspace, SondeNotifierFunc notify, gpointer data)
{
  SondeNotifier *notifier = g_new0 (SondeNotifier, 1);

  notifier->workspace = workspace;
  notifier->notify = notify;
  notifier->data = data;
  notifier->looks = g_hash_table_new_full (NULL, NULL, g_object_unref, g_free);
  notifier->broken = g_hash_table_new_full (NULL, NULL, g_object_unref, NULL);
  return notifier;
}

void
sonde_notifier_free (SondeNotifier *notifier)
{
  if (notifier == NULL)
    return;
  g_hash_table_unref (notifier->looks);
  g_hash_table_unref (notifier->broken);
  g_free (notifier);
}
