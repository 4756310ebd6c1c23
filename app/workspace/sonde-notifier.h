/* SPDX-License-Identifier: Apache-2.0
 * What of a window's runs and session somebody who looks elsewhere wants to be told: a training that ended,
 * a watch that was hit, a scalar that became NaN. Says each once; how it is shown is the caller's. */
#pragma once

#include "app/workspace/sonde-workspace.h"

G_BEGIN_DECLS

typedef struct _SondeNotifier SondeNotifier;

typedef enum
{
  SONDE_NOTICE_ENDED, /* of a training */
  SONDE_NOTICE_HIT,   /* of a watch */
  SONDE_NOTICE_NAN,
  SONDE_N_NOTICES
} SondeNotice;

/* The setting, of group "notifications", that switches a notice off when it is "false". */
const char *sonde_notice_get_setting (SondeNotice notice);

/* @id: of the notification: a later one with the same takes its place */
typedef void (*SondeNotifierFunc) (SondeNotice notice, const char *id, const char *title,
                                   const char *body, gpointer data);

/* @workspace: outlives it */
SondeNotifier *sonde_notifier_new (SondeWorkspace *workspace, SondeNotifierFunc notify,
                                   gpointer data);
void sonde_notifier_free (SondeNotifier *notifier);

/* Compares with the last look. @quiet: somebody is looking: nothing is said of what
 * has happened by now. The work is in proportion to the runs, and to the tags of those that are live. */
void sonde_notifier_look (SondeNotifier *notifier, gboolean quiet);

G_END_DECLS
