/* SPDX-License-Identifier: Apache-2.0
 * Affinity masks. */
#include "data/base/sonde-affinity.h"

#include <errno.h>
#include <sched.h>

char *
sonde_affinity_describe (int *n)
{
  GString *text = g_string_new (NULL);
  cpu_set_t set;

  *n = 1;
  if (sched_getaffinity (0, sizeof set, &set) != 0)
    return g_string_free (text, TRUE);
  *n = MAX (CPU_COUNT (&set), 1);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET (cpu, &set))
      g_string_append_printf (text, "%s%d", text->len > 0 ? "," : "", cpu);
  return g_string_free (text, FALSE);
}

void
sonde_affinity_restore (void)
{
  const char *text = g_getenv (SONDE_AFFINITY_VARIABLE);
  g_auto (GStrv) numbers = text != NULL ? g_strsplit (text, ",", CPU_SETSIZE) : NULL;
  cpu_set_t set;

  CPU_ZERO (&set);
  for (guint i = 0; numbers != NULL && numbers[i] != NULL; i++)
    {
      guint64 cpu;

      if (g_ascii_string_to_unsigned (numbers[i], 10, 0, CPU_SETSIZE - 1, &cpu, NULL))
        CPU_SET (cpu, &set);
    }
  if (CPU_COUNT (&set) > 0 && sched_setaffinity (0, sizeof set, &set) != 0)
    g_debug ("the affinity of a thread stays as it is: %s", g_strerror (errno));
}
