/* SPDX-License-Identifier: Apache-2.0
 * The cache is a key file a machine: what does not fit this machine or version lies in another file. Beside
 * the number of a key stand “KEY load” and “KEY tries”. */
#include "engine/profile/sonde-ceiling-file.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "data/base/sonde-io.h"

#define MOST_BYTES (1 << 20)

struct _SondeCeilingFile
{
  GKeyFile *keys;
  char *group, *machine, *path;
  gboolean changed;
};

/* ---- the file ---------------------------------------------------------------- */

/* "model name" of the first processor; what the system calls the machine where there is none. */
static char *
dup_processor (void)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents ("/proc/cpuinfo", &text, NULL, NULL))
    return g_strdup ("unknown");
  lines = g_strsplit (text, "\n", -1);
  for (gsize i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], "model name") && strchr (lines[i], ':') != NULL)
      return g_strdup (g_strstrip (strchr (lines[i], ':') + 1));
  return g_strdup ("unknown");
}

/* What the figures hold for. */
static char *
dup_machine (void)
{
  g_autofree char *processor = dup_processor ();

  return g_strdup_printf ("%s, %ld cores, %" G_GSIZE_FORMAT " bytes of cache, Sonde %s", processor,
                          sysconf (_SC_NPROCESSORS_ONLN), sonde_last_cache_bytes (), SONDE_VERSION);
}

static char *
dup_path (const char *machine)
{
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, machine, -1);
  g_autofree char *name = NULL;

  digest[16] = '\0';
  name = g_strconcat (digest, ".ini", NULL);
  return g_build_filename (g_get_user_cache_dir (), "sonde", "ceilings", name, NULL);
}

static void
read_keys (SondeCeilingFile *file)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;

  if (!g_file_test (file->path, G_FILE_TEST_EXISTS))
    return;
  bytes = sonde_io_read_file (NULL, file->path, MOST_BYTES, &error);
  if (bytes != NULL && g_bytes_get_size (bytes) > 0
      && g_key_file_load_from_bytes (file->keys, bytes, G_KEY_FILE_NONE, &error))
    return;
  g_message ("“%s” cannot be read, so the ceilings are measured again: %s", file->path,
             error != NULL ? error->message : "it is empty");
  g_key_file_unref (file->keys);
  file->keys = g_key_file_new ();
}

SondeCeilingFile *
sonde_ceiling_file_open (const char *group)
{
  SondeCeilingFile *file = g_new0 (SondeCeilingFile, 1);

  file->keys = g_key_file_new ();
  file->group = g_strdup (group);
  file->machine = dup_machine ();
  file->path = dup_path (file->machine);
  read_keys (file);
  return file;
}

static void
write_keys (SondeCeilingFile *file)
{
  g_autofree char *folder = g_path_get_dirname (file->path), *text = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  g_key_file_set_string (file->keys, "machine", "description", file->machine);
  text = g_key_file_to_data (file->keys, &length, NULL);
  if (!sonde_io_make_directories (NULL, folder, &error)
      || !sonde_io_replace_file (NULL, file->path, text, length, &error))
    g_message ("the ceilings are not kept: %s", error->message);
}

void
sonde_ceiling_file_close (SondeCeilingFile *file)
{
  if (file == NULL)
    return;
  if (file->changed)
    write_keys (file);
  g_key_file_unref (file->keys);
  g_free (file->group);
  g_free (file->machine);
  g_free (file->path);
  g_free (file);
}

void
sonde_ceiling_file_forget (SondeCeilingFile *file)
{
  if (g_key_file_remove_group (file->keys, file->group, NULL))
    file->changed = TRUE;
}

/* ---- numbers ----------------------------------------------------------------- */

/* NaN: it is not there, or no number */
static double
read_double (const SondeCeilingFile *file, const char *key, const char *what)
{
  g_autofree char *name = g_strconcat (key, what, NULL);
  g_autoptr (GError) error = NULL;
  double number = g_key_file_get_double (file->keys, file->group, name, &error);

  return error == NULL && isfinite (number) && number >= 0 ? number : NAN;
}

static void
write_double (SondeCeilingFile *file, const char *key, const char *what, double number)
{
  g_autofree char *name = g_strconcat (key, what, NULL);

  g_key_file_set_double (file->keys, file->group, name, number);
  file->changed = TRUE;
}

gboolean
sonde_ceiling_file_get (const SondeCeilingFile *file, const char *key, double *number)
{
  double kept = read_double (file, key, "");

  *number = kept > 0 ? kept : 0;
  return *number > 0;
}

static double
count_tries (const SondeCeilingFile *file, const char *key)
{
  double tries = read_double (file, key, " tries");

  return isnan (tries) ? 0 : tries;
}

gboolean
sonde_ceiling_file_is_settled (const SondeCeilingFile *file, const char *key)
{
  return !isnan (read_double (file, key, ""))
         && (read_double (file, key, " load") <= SONDE_CEILING_LOAD
             || count_tries (file, key) >= SONDE_CEILING_TRIES);
}

double
sonde_ceiling_file_better (const SondeCeilingFile *file, const char *key, SondeCeilingKind kind,
                           const SondeCeilingMeasure *measure)
{
  double kept;

  if (!sonde_ceiling_file_get (file, key, &kept))
    return measure->best;
  return kind == SONDE_CEILING_RATE ? MAX (kept, measure->best) : MIN (kept, measure->best);
}

static gboolean
is_confirmed (const SondeCeilingMeasure *measure)
{
  return fabs (measure->best - measure->second) <= SONDE_CEILING_AGREE * measure->best;
}

void
sonde_ceiling_file_add (SondeCeilingFile *file, const char *key, SondeCeilingKind kind,
                        const SondeCeilingMeasure *measure, double load)
{
  const double tries = count_tries (file, key) + 1, now = isnan (load) ? 1 : load;
  double before = read_double (file, key, " load");

  if (isnan (read_double (file, key, "")))
    before = NAN; /* that of a number that is gone */
  write_double (file, key, " tries", tries);
  if (!is_confirmed (measure) && tries < SONDE_CEILING_TRIES)
    return;
  write_double (file, key, "", sonde_ceiling_file_better (file, key, kind, measure));
  /* the quietest measurement tells; the better number of a busy one is as good */
  if (is_confirmed (measure) && !(before <= now))
    write_double (file, key, " load", now);
}
