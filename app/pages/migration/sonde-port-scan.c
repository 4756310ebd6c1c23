/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/migration/sonde-port-scan.h"

#include "engine/ops/sonde-op.h"

struct _SondePortScan
{
  GObject parent_instance;
  SondePortReport *report;
  guint32 *first, *order; /* places of API i: order[first[i]] up to order[first[i + 1]] */
};

G_DEFINE_FINAL_TYPE (SondePortScan, sonde_port_scan, G_TYPE_OBJECT)

typedef struct
{
  char **paths;
  SondePortTarget target;
} Question;

static void
question_free (gpointer data)
{
  Question *question = data;

  g_strfreev (question->paths);
  g_free (question);
}

static void
sonde_port_scan_finalize (GObject *object)
{
  SondePortScan *scan = SONDE_PORT_SCAN (object);

  sonde_port_report_free (scan->report);
  g_free (scan->first);
  g_free (scan->order);
  G_OBJECT_CLASS (sonde_port_scan_parent_class)->finalize (object);
}

static void
sonde_port_scan_class_init (SondePortScanClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_port_scan_finalize;
}

static void
sonde_port_scan_init (SondePortScan *scan)
{
}

/* Counting sort of the references by API. */
static void
order_places (SondePortScan *scan)
{
  const GArray *references = scan->report->references;
  guint n = scan->report->apis->len;
  guint32 *next;

  scan->first = g_new0 (guint32, n + 2);
  scan->order = g_new (guint32, references->len + 1);
  next = scan->first + 1;
  for (guint i = 0; i < references->len; i++)
    next[g_array_index (references, SondePortReference, i).api + 1]++;
  for (guint i = 0; i < n; i++)
    next[i + 1] += next[i];
  for (guint i = 0; i < references->len; i++)
    scan->order[next[g_array_index (references, SondePortReference, i).api]++] = i;
}

static gboolean
has_operator (const char *op, gpointer data)
{
  return sonde_op_table_find ("", op) != NULL;
}

static gboolean
is_cancelled (gpointer data)
{
  return g_cancellable_is_cancelled (data);
}

static void
make (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Question *question = data;
  SondePortOptions options
      = { .judge = { .target = question->target, .has_operator = has_operator },
          .cancelled = is_cancelled,
          .data = cancellable };
  g_autoptr (SondePortScan) scan = g_object_new (SONDE_TYPE_PORT_SCAN, NULL);
  GError *error = NULL;

  scan->report
      = sonde_port_report_new (NULL, (const char *const *) question->paths, &options, &error);
  if (scan->report == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  order_places (scan);
  g_task_return_pointer (task, g_steal_pointer (&scan), g_object_unref);
}

void
sonde_port_scan_make_async (const char *const *paths, SondePortTarget target,
                            GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, data);
  Question *question = g_new (Question, 1);

  question->paths = g_strdupv ((char **) paths);
  question->target = target;
  g_task_set_task_data (task, question, question_free);
  g_task_run_in_thread (task, make);
}

SondePortScan *
sonde_port_scan_make_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

const SondePortReport *
sonde_port_scan_get_report (SondePortScan *scan)
{
  return scan->report;
}

const guint32 *
sonde_port_scan_get_places (SondePortScan *scan, guint api, guint *n)
{
  *n = scan->first[api + 1] - scan->first[api];
  return scan->order + scan->first[api];
}
