/* SPDX-License-Identifier: Apache-2.0
 * The store as a GListModel: receives the worker's messages on the owner's main context. */
#include "data/runs/sonde-run-store.h"

#include <glib-unix.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/runs/sonde-run-private.h"

#define MAX_READERS 64 /* open indices on the owner's thread */
/* That of GTK's frames. Before them, where taking over a message lasts longer than making the next
 * one, no frame would be drawn until everything is read; behind them, a window that draws all the
 * time would never get one. */
#define MESSAGE_PRIORITY (G_PRIORITY_HIGH_IDLE + 20)

struct _SondeRunStore
{
  GObject parent_instance;
  SondeRunContext context;
  GMainContext *main_context;
  GSource *source;
  GPtrArray *runs;       /* element-type SondeRun, in natural order of the path, then the name */
  GHashTable *by_number; /* number -> SondeRun */
  GHashTable *colors;    /* path -> color index; outlives the runs */
  GPtrArray *problems, *old_problems;
  gboolean loading;
  double progress;
  guint64 structure, damage, serial;
  guint n_live;
  GPtrArray *changed; /* element-type SondeRun */
  guint settled;
  SondeMessage *failure;
};

static void sonde_run_store_list_model_init (GListModelInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE (SondeRunStore, sonde_run_store, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL,
                                                      sonde_run_store_list_model_init))

enum
{
  SIGNAL_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* ---- list model ---------------------------------------------------------- */

static GType
get_item_type (GListModel *model)
{
  return SONDE_TYPE_RUN;
}

static guint
get_n_items (GListModel *model)
{
  return SONDE_RUN_STORE (model)->runs->len;
}

static gpointer
get_item (GListModel *model, guint position)
{
  SondeRunStore *store = SONDE_RUN_STORE (model);

  return position < store->runs->len ? g_object_ref (g_ptr_array_index (store->runs, position))
                                     : NULL;
}

static void
sonde_run_store_list_model_init (GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

/* ---- messages ---------------------------------------------------------- */

static guint
ensure_color (SondeRunStore *store, const char *path)
{
  gpointer value;

  if (!g_hash_table_lookup_extended (store->colors, path, NULL, &value))
    {
      value = GUINT_TO_POINTER (g_hash_table_size (store->colors));
      g_hash_table_insert (store->colors, g_strdup (path), value);
    }
  return GPOINTER_TO_UINT (value);
}

/* run-2 before run-10 */
static int
compare_runs (SondeRun *one, SondeRun *other)
{
  int order = strverscmp (sonde_run_get_path (one), sonde_run_get_path (other));

  return order ? order : strverscmp (sonde_run_get_name (one), sonde_run_get_name (other));
}

static void
add_run (SondeRunStore *store, SondeRunUpdate *update)
{
  SondeRun *run;
  guint low = 0, high = store->runs->len;

  /* the index row of a run that came back begins anew, so it needs its whole info */
  g_return_if_fail (update->info);
  run = sonde_run_new (&store->context, update->run, ensure_color (store, update->info->path),
                       update->info);
  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (compare_runs (g_ptr_array_index (store->runs, middle), run) <= 0)
        low = middle + 1;
      else
        high = middle;
    }
  g_ptr_array_insert (store->runs, low, run);
  g_hash_table_insert (store->by_number, GUINT_TO_POINTER (update->run), run);
  sonde_run_apply (run, update);
  g_list_model_items_changed (G_LIST_MODEL (store), low, 0, 1);
}

static void
remove_run (SondeRunStore *store, guint number, SondeRun *run)
{
  g_autoptr (SondeRun) kept = g_object_ref (run);
  guint position;

  g_hash_table_remove (store->by_number, GUINT_TO_POINTER (number));
  if (!g_ptr_array_find (store->runs, run, &position))
    return;
  g_ptr_array_remove_index (store->runs, position);
  sonde_run_detach (run);
  g_list_model_items_changed (G_LIST_MODEL (store), position, 1, 0);
}

static gboolean
have_same_tags (GPtrArray *some, GPtrArray *others)
{
  gboolean same = some->len == others->len;

  for (guint i = 0; same && i < some->len; i++)
    {
      const SondeRunTag *one = some->pdata[i], *other = others->pdata[i];

      same = one->tag == other->tag && one->kind == other->kind;
    }
  return same;
}

/* What a run adds to the sums of the store; @run: (nullable): none adds nothing. */
typedef struct
{
  guint64 damage;
  guint live;
} Share;

static Share
get_share (SondeRun *run)
{
  return run ? (Share){ sonde_run_get_damage_count (run), sonde_run_is_live (run) ? 1 : 0 }
             : (Share){ 0 };
}

/* What @number has now counts instead of @before. */
static void
note_change (SondeRunStore *store, guint number, Share before)
{
  SondeRun *run = g_hash_table_lookup (store->by_number, GUINT_TO_POINTER (number));
  Share now = get_share (run);

  store->damage += now.damage - before.damage;
  store->n_live += now.live - before.live;
  if (run)
    g_ptr_array_add (store->changed, g_object_ref (run));
}

static void
apply_update (SondeRunStore *store, SondeRunUpdate *update)
{
  SondeRun *run = g_hash_table_lookup (store->by_number, GUINT_TO_POINTER (update->run));
  Share before = get_share (run);

  if (!run || update->removed
      || (update->info && !have_same_tags (sonde_run_get_tags (run), update->info->tags)))
    store->structure++;
  if (update->removed && run)
    remove_run (store, update->run, run);
  else if (run)
    sonde_run_apply (run, update);
  else if (!update->removed)
    add_run (store, update);
  note_change (store, update->run, before);
}

static void
apply_message (SondeRunStore *store, SondeRunMessage *message)
{
  sonde_run_readers_end (&store->context.readers);
  store->loading = message->loading;
  store->progress = message->progress;
  if (message->problems)
    {
      g_clear_pointer (&store->old_problems, g_ptr_array_unref);
      store->old_problems = g_steal_pointer (&store->problems);
      store->problems = g_ptr_array_ref (message->problems);
    }
  sonde_message_free (store->failure);
  store->failure = g_steal_pointer (&message->failure);
  store->serial++;
  g_ptr_array_set_size (store->changed, 0);
  for (guint i = 0; i < message->updates->len; i++)
    apply_update (store, g_ptr_array_index (message->updates, i));
  store->settled = message->settled;
  g_signal_emit (store, signals[SIGNAL_CHANGED], 0);
}

static gboolean
receive (int fd, GIOCondition condition, gpointer data)
{
  g_autoptr (SondeRunStore) store = g_object_ref (data);
  g_autoptr (SondeRunMessage) message = sonde_run_worker_take (store->context.worker);

  if (message)
    apply_message (store, message);
  return G_SOURCE_CONTINUE;
}

/* ---- the object ---------------------------------------------------------- */

static void
sonde_run_store_dispose (GObject *object)
{
  SondeRunStore *store = SONDE_RUN_STORE (object);

  if (store->source)
    g_source_destroy (store->source);
  g_clear_pointer (&store->source, g_source_unref);
  for (guint i = 0; i < store->runs->len; i++)
    sonde_run_detach (g_ptr_array_index (store->runs, i));
  g_hash_table_remove_all (store->by_number);
  g_ptr_array_set_size (store->runs, 0);
  g_ptr_array_set_size (store->changed, 0);
  /* the worker may want to write what is being read */
  sonde_run_readers_end (&store->context.readers);
  g_clear_pointer (&store->context.worker, sonde_run_worker_free);
  G_OBJECT_CLASS (sonde_run_store_parent_class)->dispose (object);
}

static void
sonde_run_store_finalize (GObject *object)
{
  SondeRunStore *store = SONDE_RUN_STORE (object);

  sonde_run_readers_clear (&store->context.readers);
  g_ptr_array_unref (store->runs);
  g_hash_table_unref (store->by_number);
  g_hash_table_unref (store->colors);
  g_ptr_array_unref (store->problems);
  g_ptr_array_unref (store->changed);
  g_clear_pointer (&store->old_problems, g_ptr_array_unref);
  g_main_context_unref (store->main_context);
  sonde_message_free (store->failure);
  G_OBJECT_CLASS (sonde_run_store_parent_class)->finalize (object);
}

static void
sonde_run_store_class_init (SondeRunStoreClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = sonde_run_store_dispose;
  object_class->finalize = sonde_run_store_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_run_store_init (SondeRunStore *store)
{
  store->main_context = g_main_context_ref_thread_default ();
  store->runs = g_ptr_array_new_with_free_func (g_object_unref);
  store->by_number = g_hash_table_new (NULL, NULL);
  store->colors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  store->problems = g_ptr_array_new_with_free_func (g_free);
  store->changed = g_ptr_array_new_with_free_func (g_object_unref);
  store->loading = TRUE;
  sonde_run_cache_init (&store->context.cache, SONDE_RUN_CACHE_BYTES);
  sonde_run_readers_init (&store->context.readers, store->main_context,
                          sonde_run_limit_open (MAX_READERS, 3));
}

/* Absolute, and free of links where it exists, so that a run has one name and one index. */
static char *
make_absolute (const char *path)
{
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  char *real = realpath (absolute, NULL);
  char *result = g_strdup (real ? real : absolute);

  free (real);
  return result;
}

SondeRunStore *
sonde_run_store_new (const SondeIo *io, const char *const *paths, const char *index_folder)
{
  SondeRunStore *store = g_object_new (SONDE_TYPE_RUN_STORE, NULL);
  g_autofree char *folder = g_strdup (index_folder);
  g_autoptr (GPtrArray) absolute = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; paths[i]; i++)
    g_ptr_array_add (absolute, make_absolute (paths[i]));
  g_ptr_array_add (absolute, NULL);
  if (!folder)
    folder = g_build_filename (g_get_user_cache_dir (), "sonde", "index", NULL);
  store->context.io = io ? io : sonde_io_system ();
  store->context.worker = sonde_run_worker_new (io, (const char *const *) absolute->pdata, folder);
  store->source = g_unix_fd_source_new (sonde_run_worker_get_fd (store->context.worker), G_IO_IN);
  g_source_set_callback (store->source, G_SOURCE_FUNC (receive), store, NULL);
  g_source_set_static_name (store->source, "SondeRunStore");
  g_source_set_priority (store->source, MESSAGE_PRIORITY);
  g_source_attach (store->source, store->main_context);
  return store;
}

void
sonde_run_store_set_watching (SondeRunStore *store, gboolean watching)
{
  g_return_if_fail (SONDE_IS_RUN_STORE (store));

  sonde_run_worker_set_watching (store->context.worker, watching);
}

void
sonde_run_store_add_path (SondeRunStore *store, const char *path)
{
  g_autofree char *absolute = NULL;

  g_return_if_fail (SONDE_IS_RUN_STORE (store) && path != NULL);

  absolute = make_absolute (path);
  sonde_run_worker_add_path (store->context.worker, absolute);
}

void
sonde_run_store_start (SondeRunStore *store)
{
  g_return_if_fail (SONDE_IS_RUN_STORE (store));

  sonde_run_worker_start (store->context.worker);
}

static gboolean
on_cancelled (GCancellable *cancellable, gpointer data)
{
  return G_SOURCE_REMOVE;
}

gboolean
sonde_run_store_settle (SondeRunStore *store, GCancellable *cancellable, GError **error)
{
  g_autoptr (SondeRunStore) kept = NULL;
  g_autoptr (GSource) source = NULL;
  guint number;

  g_return_val_if_fail (SONDE_IS_RUN_STORE (store), FALSE);

  kept = g_object_ref (store);
  if (cancellable)
    {
      /* only wakes the loop below */
      source = g_cancellable_source_new (cancellable);
      g_source_set_callback (source, G_SOURCE_FUNC (on_cancelled), NULL, NULL);
      g_source_attach (source, store->main_context);
    }
  /* a worker that starts with the request scans once */
  number = sonde_run_worker_settle (store->context.worker);
  sonde_run_store_start (store);
  while (store->settled < number && !g_cancellable_is_cancelled (cancellable))
    g_main_context_iteration (store->main_context, TRUE);
  if (source)
    g_source_destroy (source);
  if (store->settled < number)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED, "Cancelled.");
      return FALSE;
    }
  if (!store->failure)
    return TRUE;
  sonde_set_error_message (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                           sonde_message_copy (store->failure));
  return FALSE;
}

GPtrArray *
sonde_run_store_get_problems (SondeRunStore *store)
{
  g_return_val_if_fail (SONDE_IS_RUN_STORE (store), NULL);

  return store->problems;
}

gboolean
sonde_run_store_is_loading (SondeRunStore *store)
{
  g_return_val_if_fail (SONDE_IS_RUN_STORE (store), FALSE);

  return store->loading;
}

double
sonde_run_store_get_progress (SondeRunStore *store)
{
  g_return_val_if_fail (SONDE_IS_RUN_STORE (store), 1);

  return store->progress;
}

guint64
sonde_run_store_get_structure (SondeRunStore *store)
{
  g_return_val_if_fail (SONDE_IS_RUN_STORE (store), 0);

  return store->structure;
}

GPtrArray *
sonde_run_store_get_changed (SondeRunStore *store)
{
  g_return_val_if_fail (SONDE_IS_RUN_STORE (store), NULL);

  return store->changed;
}

guint64
sonde_run_store_get_serial (SondeRunStore *store)
{
  g_return_val_if_fail (SONDE_IS_RUN_STORE (store), 0);

  return store->serial;
}

guint64
sonde_run_store_get_damage_count (SondeRunStore *store)
{
  g_return_val_if_fail (SONDE_IS_RUN_STORE (store), 0);

  return store->damage;
}

guint
sonde_run_store_get_n_live (SondeRunStore *store)
{
  g_return_val_if_fail (SONDE_IS_RUN_STORE (store), 0);

  return store->n_live;
}

SondeRun *
sonde_run_store_find (SondeRunStore *store, const char *name)
{
  g_return_val_if_fail (SONDE_IS_RUN_STORE (store), NULL);

  for (guint i = 0; i < store->runs->len; i++)
    if (g_strcmp0 (sonde_run_get_name (g_ptr_array_index (store->runs, i)), name) == 0)
      return g_ptr_array_index (store->runs, i);
  return NULL;
}

gboolean
sonde_run_recognises_file (const char *path)
{
  return sonde_record_format_find (NULL, path) != NULL;
}
