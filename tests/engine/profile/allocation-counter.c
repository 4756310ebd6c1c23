/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/engine/profile/allocation-counter.h"

#include <pthread.h>
#include <stdlib.h>

/* @blocks: memory -> bytes; @inside: on this thread the device takes memory, which is counted there */
static struct
{
  pthread_mutex_t lock;
  GHashTable *blocks;
  guint64 now, most;
  SondeDeviceClass klass;
  const SondeDeviceClass *base;
} counter = { .lock = PTHREAD_MUTEX_INITIALIZER };
static _Thread_local gboolean inside;

static void
add (void *memory, gsize bytes)
{
  if (memory == NULL || inside || bytes < ALLOCATION_COUNTER_LEAST)
    return;
  pthread_mutex_lock (&counter.lock);
  if (counter.blocks == NULL)
    counter.blocks = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (counter.blocks, memory, GSIZE_TO_POINTER (bytes));
  counter.now += bytes;
  counter.most = MAX (counter.most, counter.now);
  pthread_mutex_unlock (&counter.lock);
}

static void
take_away (void *memory)
{
  if (memory == NULL || inside)
    return;
  pthread_mutex_lock (&counter.lock);
  if (counter.blocks != NULL)
    {
      counter.now -= GPOINTER_TO_SIZE (g_hash_table_lookup (counter.blocks, memory));
      g_hash_table_remove (counter.blocks, memory);
    }
  pthread_mutex_unlock (&counter.lock);
}

/* ---- functions of the system ---------------------------------------------------- */

gpointer __real_g_malloc0 (gsize bytes);
gpointer __wrap_g_malloc0 (gsize bytes);
gpointer __real_g_try_malloc0 (gsize bytes);
gpointer __wrap_g_try_malloc0 (gsize bytes);
void __real_g_free (gpointer memory);
void __wrap_g_free (gpointer memory);
int __real_posix_memalign (void **memory, size_t alignment, size_t bytes);
int __wrap_posix_memalign (void **memory, size_t alignment, size_t bytes);
void *__real_realloc (void *memory, size_t bytes);
void *__wrap_realloc (void *memory, size_t bytes);
void __real_free (void *memory);
void __wrap_free (void *memory);

gpointer
__wrap_g_malloc0 (gsize bytes)
{
  gpointer memory = __real_g_malloc0 (bytes);

  add (memory, bytes);
  return memory;
}

gpointer
__wrap_g_try_malloc0 (gsize bytes)
{
  gpointer memory = __real_g_try_malloc0 (bytes);

  add (memory, bytes);
  return memory;
}

void
__wrap_g_free (gpointer memory)
{
  take_away (memory);
  __real_g_free (memory);
}

int
__wrap_posix_memalign (void **memory, size_t alignment, size_t bytes)
{
  int result = __real_posix_memalign (memory, alignment, bytes);

  add (result == 0 ? *memory : NULL, bytes);
  return result;
}

void *
__wrap_realloc (void *memory, size_t bytes)
{
  take_away (memory);
  memory = __real_realloc (memory, bytes);
  add (memory, bytes);
  return memory;
}

void
__wrap_free (void *memory)
{
  take_away (memory);
  __real_free (memory);
}

/* ---- the device ------------------------------------------------------------------ */

static void *
count_allocate (SondeDevice *device, gsize bytes, GError **error)
{
  void *memory;

  inside = TRUE;
  memory = counter.base->allocate (device, bytes, error);
  inside = FALSE;
  add (memory, MAX (bytes, ALLOCATION_COUNTER_LEAST));
  return memory;
}

static void
count_release (SondeDevice *device, void *memory)
{
  take_away (memory);
  inside = TRUE;
  counter.base->release (device, memory);
  inside = FALSE;
}

SondeDevice *
allocation_counter_open (void)
{
  g_autoptr (GError) error = NULL;
  SondeDevice *device = sonde_device_open ("cpu", 1, &error);

  g_assert_no_error (error);
  counter.klass = *device->klass;
  counter.base = device->klass;
  counter.klass.allocate = count_allocate;
  counter.klass.release = count_release;
  device->klass = &counter.klass;
  return device;
}

void
allocation_counter_begin (void)
{
  pthread_mutex_lock (&counter.lock);
  counter.most = counter.now;
  pthread_mutex_unlock (&counter.lock);
}

guint64
allocation_counter_get_most (void)
{
  return counter.most;
}
