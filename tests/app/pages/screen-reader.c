/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/app/pages/screen-reader.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include <gio/gio.h>

#include "tests/support/sonde-test-hands.h"

#define ACCESSIBLE "org.a11y.atspi.Accessible"
#define REGISTRY "org.a11y.atspi.Registry"
#define ROOT "/org/a11y/atspi/accessible/root"
#define DEADLINE (60 * G_TIME_SPAN_SECOND)
#define CALL_MS 10000
#define MAX_DEPTH 60

static void
place_free (gpointer data)
{
  ReaderPlace *place = data;

  g_free (place->owner);
  g_free (place->path);
  g_free (place);
}

/* (nullable): the object is gone, or does not know the method */
static GVariant *
ask (ScreenReader *reader, const ReaderPlace *place, const char *interface, const char *method,
     GVariant *arguments)
{
  return g_dbus_connection_call_sync (reader->bus, place->owner, place->path, interface, method,
                                      arguments, NULL, G_DBUS_CALL_FLAGS_NONE, CALL_MS, NULL, NULL);
}

static char *
role_of (ScreenReader *reader, const ReaderPlace *place)
{
  g_autoptr (GVariant) answer = ask (reader, place, ACCESSIBLE, "GetRoleName", NULL);
  char *role = NULL;

  if (answer != NULL)
    g_variant_get (answer, "(s)", &role);
  return role != NULL ? role : g_strdup ("");
}

/* @property: "Name", "Description" */
static char *
text_of (ScreenReader *reader, const ReaderPlace *place, const char *property)
{
  g_autoptr (GVariant) answer = ask (reader, place, "org.freedesktop.DBus.Properties", "Get",
                                     g_variant_new ("(ss)", ACCESSIBLE, property));
  g_autoptr (GVariant) value = NULL;

  if (answer == NULL)
    return g_strdup ("");
  g_variant_get (answer, "(v)", &value);
  return g_variant_dup_string (value, NULL);
}

static char *
name_of (ScreenReader *reader, const ReaderPlace *place)
{
  return text_of (reader, place, "Name");
}

/* (element-type ReaderPlace) */
static GPtrArray *
children_of (ScreenReader *reader, const ReaderPlace *place)
{
  GPtrArray *children = g_ptr_array_new_with_free_func (place_free);
  g_autoptr (GVariant) answer = ask (reader, place, ACCESSIBLE, "GetChildren", NULL);
  g_autoptr (GVariantIter) iter = NULL;
  char *owner, *path;

  if (answer == NULL)
    return children;
  g_variant_get (answer, "(a(so))", &iter);
  while (g_variant_iter_next (iter, "(so)", &owner, &path))
    {
      ReaderPlace *child = g_new0 (ReaderPlace, 1);

      *child = (ReaderPlace){ owner, path };
      g_ptr_array_add (children, child);
    }
  return children;
}

/* The first of that role (nullable) whose name begins so, depth first. FALSE: there is none */
static gboolean
find (ScreenReader *reader, const ReaderPlace *below, const char *role, const char *name, int depth,
      ReaderPlace *found)
{
  g_autoptr (GPtrArray) children = children_of (reader, below);

  for (guint i = 0; depth < MAX_DEPTH && i < children->len; i++)
    {
      const ReaderPlace *child = g_ptr_array_index (children, i);
      g_autofree char *its_name = name_of (reader, child), *its_role = role_of (reader, child);

      if (g_str_has_prefix (its_name, name) && (role == NULL || g_str_equal (its_role, role)))
        {
          *found = (ReaderPlace){ g_strdup (child->owner), g_strdup (child->path) };
          return TRUE;
        }
      if (find (reader, child, role, name, depth + 1, found))
        return TRUE;
    }
  return FALSE;
}

void
reader_place_clear (ReaderPlace *place)
{
  g_clear_pointer (&place->owner, g_free);
  g_clear_pointer (&place->path, g_free);
}

/* What is there instead, for who reads the log. */
static void
list (ScreenReader *reader, const ReaderPlace *place, int depth)
{
  g_autofree char *role = role_of (reader, place), *name = name_of (reader, place);
  g_autoptr (GPtrArray) children = children_of (reader, place);

  g_printerr ("%*s%s “%s”\n", 2 * depth, "", role, name);
  for (guint i = 0; depth < MAX_DEPTH && i < children->len; i++)
    list (reader, g_ptr_array_index (children, i), depth + 1);
}

ReaderPlace
screen_reader_wait_for (ScreenReader *reader, const ReaderPlace *below, const char *role,
                        const char *name)
{
  gint64 end = g_get_monotonic_time () + DEADLINE;
  ReaderPlace found = { NULL, NULL };

  while (!find (reader, below, role, name, 0, &found))
    if (g_get_monotonic_time () > end)
      {
        list (reader, below, 0);
        g_error ("Nothing that is called “%s”.", name);
      }
  return found;
}

void
screen_reader_expect (ScreenReader *reader, const char *role, const char *name)
{
  ReaderPlace place = screen_reader_wait_for (reader, &reader->page, role, name);

  reader_place_clear (&place);
}

void
screen_reader_press (ScreenReader *reader, const char *role, const char *name)
{
  ReaderPlace place = screen_reader_wait_for (reader, &reader->page, role, name);
  g_autoptr (GVariant) answer
      = ask (reader, &place, "org.a11y.atspi.Action", "DoAction", g_variant_new ("(i)", 0));

  g_assert_nonnull (answer);
  reader_place_clear (&place);
}

/* ---- hands --------------------------------------------------------------- */

#define IN_WINDOW 1 /* which is in the corner of the screen: there is no window manager */

/* The program draws a frame until then, and tells what it shows. A frame that was late is not lost: its place comes
 * near again. */
#define LOOK (60 * G_TIME_SPAN_MILLISECOND)

static gboolean
reads (ScreenReader *reader, const ReaderPlace *place, const char *text)
{
  g_autofree char *description = text_of (reader, place, "Description");
  const char *reading = strchr (description, '\n');

  return reading != NULL && strstr (reading, text) != NULL;
}

/* The @i-th place, anywhere in a line from 0 to 1, far from those before. @share: irrational */
static double
spread (guint i, double share)
{
  double whole;

  return modf (0.5 + i * share, &whole);
}

void
screen_reader_find_read (ScreenReader *reader, const char *role, const char *name, const char *text)
{
  ReaderPlace place = screen_reader_wait_for (reader, &reader->page, role, name);
  g_autoptr (SondeTestHands) hands = gtk_init_check () ? sonde_test_hands_new () : NULL;
  gint64 end = g_get_monotonic_time () + DEADLINE;
  gboolean found = FALSE;

  g_assert_nonnull (hands);
  for (guint i = 0; !found; i++)
    {
      g_autoptr (GVariant) extents = ask (reader, &place, "org.a11y.atspi.Component", "GetExtents",
                                          g_variant_new ("(u)", IN_WINDOW));
      gint64 next = g_get_monotonic_time () + LOOK;
      int x, y, width, height;

      if (extents == NULL) /* it is another one now */
        {
          reader_place_clear (&place);
          place = screen_reader_wait_for (reader, &reader->page, role, name);
          continue;
        }
      g_variant_get (extents, "((iiii))", &x, &y, &width, &height);
      sonde_test_hands_point_at (hands, x + (int) (width * spread (i, 0.7548776662)),
                                 y + (int) (height * spread (i, 0.5698402910)));
      while (!(found = reads (reader, &place, text)) && g_get_monotonic_time () < next)
        ;
      if (found)
        g_test_message ("“%s” is read at place %u of “%s”", text, i, name);
      if (!found && g_get_monotonic_time () > end)
        {
          g_autofree char *description = text_of (reader, &place, "Description");

          g_error ("“%s” is not read anywhere in “%s”: %s", text, name, description);
        }
    }
  reader_place_clear (&place);
}

/* ---- the program --------------------------------------------------------- */

static GDBusConnection *
open_bus (void)
{
  g_autoptr (GDBusConnection) session = g_bus_get_sync (G_BUS_TYPE_SESSION, NULL, NULL);
  g_autoptr (GVariant) answer = NULL;
  const char *address;

  if (session == NULL)
    return NULL;
  answer = g_dbus_connection_call_sync (session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus",
                                        "GetAddress", NULL, NULL, G_DBUS_CALL_FLAGS_NONE, CALL_MS,
                                        NULL, NULL);
  if (answer == NULL)
    return NULL;
  g_variant_get (answer, "(&s)", &address);
  return g_dbus_connection_new_for_address_sync (
      address,
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
          | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
      NULL, NULL, NULL);
}

gboolean
screen_reader_init (ScreenReader *reader)
{
  memset (reader, 0, sizeof *reader);
  reader->bus = open_bus ();
  if (reader->bus == NULL)
    return FALSE;
  reader->folder = sonde_test_folder_new ();
  return TRUE;
}

void
screen_reader_choose_page (ScreenReader *reader, const char *name)
{
  g_autofree char *folder = g_build_filename (reader->folder, "xdg_config_home", "sonde", NULL);
  g_autofree char *path = g_build_filename (folder, "window.ini", NULL);
  g_autofree char *text = g_strdup_printf ("[window]\npage=%s\n", name);

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

static guint32
process_of (ScreenReader *reader, const char *owner)
{
  g_autoptr (GVariant) answer = g_dbus_connection_call_sync (
      reader->bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
      "GetConnectionUnixProcessID", g_variant_new ("(s)", owner), NULL, G_DBUS_CALL_FLAGS_NONE,
      CALL_MS, NULL, NULL);
  guint32 id = 0;

  if (answer != NULL)
    g_variant_get (answer, "(u)", &id);
  return id;
}

/* The windows of that process; others may be on the bus, too. */
static ReaderPlace
wait_for_program (ScreenReader *reader, int process)
{
  const ReaderPlace desktop = { (char *) REGISTRY, (char *) ROOT };
  gint64 end = g_get_monotonic_time () + DEADLINE;

  while (g_get_monotonic_time () < end)
    {
      g_autoptr (GPtrArray) programs = children_of (reader, &desktop);

      for (guint i = 0; i < programs->len; i++)
        {
          const ReaderPlace *program = g_ptr_array_index (programs, i);

          if (process_of (reader, program->owner) == (guint32) process)
            return (ReaderPlace){ g_strdup (program->owner), g_strdup (program->path) };
        }
    }
  g_error ("The program is not on the accessibility bus.");
}

void
screen_reader_start (ScreenReader *reader, const char *const *arguments, const char *type)
{
  ReaderPlace root;

  g_setenv ("GTK_A11Y", "atspi", TRUE);
  g_unsetenv ("NO_AT_BRIDGE");
  reader->program = sonde_test_start (reader->folder, NULL, arguments);
  root = wait_for_program (reader, reader->program->pid);
  reader->page = screen_reader_wait_for (reader, &root, NULL, type);
  reader_place_clear (&root);
}

void
screen_reader_clear (ScreenReader *reader)
{
  reader_place_clear (&reader->page);
  g_clear_pointer (&reader->program, sonde_test_program_free);
  sonde_test_folder_free (reader->folder);
  g_object_unref (reader->bus);
}

/* ---- names --------------------------------------------------------------- */

static gboolean
is_somewhere (ScreenReader *reader, const ReaderPlace *place)
{
  g_autoptr (GVariant) answer = ask (reader, place, "org.a11y.atspi.Component", "GetExtents",
                                     g_variant_new ("(u)", IN_WINDOW));
  int x, y, width = 0, height = 0;

  if (answer != NULL)
    g_variant_get (answer, "((iiii))", &x, &y, &width, &height);
  return width > 0 && height > 0;
}

/* @only_seen: what GTK and libadwaita keep for later does not count */
typedef struct
{
  ScreenReader *reader;
  const char *const *roles;
  gboolean only_seen;
} NameSearch;

/* What is pressed, written into or chosen, */
#define HANDS                                                                                      \
  "button", "toggle button", "text box", "search box", "list", "tab", "table", "tree grid",        \
      "combo box", "spin button", "check box"

#define FOCUSABLE 11 /* bit of the states */

static gboolean
is_focusable (ScreenReader *reader, const ReaderPlace *place)
{
  g_autoptr (GVariant) answer = ask (reader, place, ACCESSIBLE, "GetState", NULL);
  g_autoptr (GVariantIter) iter = NULL;
  guint32 states = 0;

  if (answer != NULL)
    g_variant_get (answer, "(au)", &iter);
  return iter != NULL && g_variant_iter_next (iter, "u", &states) && (states >> FOCUSABLE & 1);
}

/* or gets the keys, other than to be scrolled or copied, */
static gboolean
needs_name (const NameSearch *search, const ReaderPlace *place, const char *role)
{
  if (search->only_seen && !is_somewhere (search->reader, place))
    return FALSE;
  return g_strv_contains (search->roles, role)
         || (!g_str_equal (role, "group") && !g_str_equal (role, "label")
             && is_focusable (search->reader, place));
}

/* has a name of its own: where there is none, GTK tells the type. */
static gboolean
is_named (const char *name)
{
  static const char *const prefixes[] = { "Gtk", "Adw", "Sonde" };

  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (name, prefixes[i]) && g_ascii_isupper (name[strlen (prefixes[i])]))
      return FALSE;
  return *name != '\0';
}

/* Returns how many have none, and tells which. */
static guint
count_nameless (const NameSearch *search, const ReaderPlace *place, const char *where, int depth)
{
  /* Their insides are GTK's. */
  static const char *const closed[] = { "combo box", "spin button", "search box", NULL };
  g_autofree char *role = role_of (search->reader, place), *name = name_of (search->reader, place);
  g_autoptr (GPtrArray) children = children_of (search->reader, place);
  g_autofree char *here
      = *name != '\0' ? g_strdup_printf ("%s / %s", where, name) : g_strdup (where);
  guint n = 0;

  /* The inside of a table is GTK's. */
  if (!is_named (name) && !g_str_equal (name, "GtkColumnListView")
      && needs_name (search, place, role))
    {
      g_printerr ("A %s has no name: %s\n", role, here);
      n++;
    }
  if (g_strv_contains (closed, role))
    return n;
  for (guint i = 0; depth < MAX_DEPTH && i < children->len; i++)
    n += count_nameless (search, g_ptr_array_index (children, i), here, depth + 1);
  return n;
}

void
screen_reader_check_names (ScreenReader *reader)
{
  static const char *const roles[] = { HANDS, "image", NULL };

  const NameSearch search = { reader, roles, FALSE };

  g_assert_cmpuint (count_nameless (&search, &reader->page, "", 0), ==, 0);
}

void
screen_reader_check_all_names (ScreenReader *reader)
{
  static const char *const roles[] = { HANDS, NULL };
  const ReaderPlace root = { reader->page.owner, (char *) ROOT };

  const NameSearch search = { reader, roles, FALSE };

  g_assert_cmpuint (count_nameless (&search, &root, "", 0), ==, 0);
}

/* ---- the test's own windows ---------------------------------------------- */

typedef struct
{
  ScreenReader *reader;
  guint n_nameless;
  gboolean done; /* only used in the main loop */
} OwnNames;

static gboolean
on_counted (gpointer data)
{
  ((OwnNames *) data)->done = TRUE;
  return G_SOURCE_REMOVE;
}

static gpointer
count_own (gpointer data)
{
  static const char *const roles[] = { HANDS, NULL };
  OwnNames *names = data;
  const NameSearch search = { names->reader, roles, TRUE };
  ReaderPlace root = wait_for_program (names->reader, getpid ());

  names->n_nameless = count_nameless (&search, &root, "", 0);
  reader_place_clear (&root);
  g_idle_add (on_counted, names);
  return NULL;
}

void
screen_reader_check_own_names (ScreenReader *reader)
{
  OwnNames names = { reader, 0, FALSE };
  GThread *thread = g_thread_new ("reader", count_own, &names);

  while (!names.done)
    g_main_context_iteration (NULL, TRUE);
  g_thread_join (thread);
  g_assert_cmpuint (names.n_nameless, ==, 0);
}
