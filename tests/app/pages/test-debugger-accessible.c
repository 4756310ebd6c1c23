/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page as a screen reader has it: the program runs, and is read and pressed over the
 * accessibility bus. */
#include <gio/gio.h>
#include <string.h>

#include "tests/app/pages/debugger-fixture.h"
#include "tests/support/sonde-test-program.h"

#define ACCESSIBLE "org.a11y.atspi.Accessible"
#define ROOT "/org/a11y/atspi/accessible/root"
#define DEADLINE (60 * G_TIME_SPAN_SECOND)
#define CALL_MS 10000
#define MAX_DEPTH 60

/* An object on the bus. */
typedef struct
{
  char *owner, *path;
} Place;

typedef struct
{
  GDBusConnection *bus;
  char *folder;
  SondeTestProgram *program;
  Place page; /* of the Debugger page */
} Reader;

static void
place_free (gpointer data)
{
  Place *place = data;

  g_free (place->owner);
  g_free (place->path);
  g_free (place);
}

/* (nullable): the object is gone, or does not know the method */
static GVariant *
ask (Reader *reader, const Place *place, const char *interface, const char *method,
     GVariant *arguments)
{
  return g_dbus_connection_call_sync (reader->bus, place->owner, place->path, interface, method,
                                      arguments, NULL, G_DBUS_CALL_FLAGS_NONE, CALL_MS, NULL, NULL);
}

static char *
role_of (Reader *reader, const Place *place)
{
  g_autoptr (GVariant) answer = ask (reader, place, ACCESSIBLE, "GetRoleName", NULL);
  char *role = NULL;

  if (answer != NULL)
    g_variant_get (answer, "(s)", &role);
  return role != NULL ? role : g_strdup ("");
}

static char *
name_of (Reader *reader, const Place *place)
{
  g_autoptr (GVariant) answer = ask (reader, place, "org.freedesktop.DBus.Properties", "Get",
                                     g_variant_new ("(ss)", ACCESSIBLE, "Name"));
  g_autoptr (GVariant) value = NULL;

  if (answer == NULL)
    return g_strdup ("");
  g_variant_get (answer, "(v)", &value);
  return g_variant_dup_string (value, NULL);
}

/* (element-type Place) */
static GPtrArray *
children_of (Reader *reader, const Place *place)
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
      Place *child = g_new0 (Place, 1);

      *child = (Place){ owner, path };
      g_ptr_array_add (children, child);
    }
  return children;
}

/* The first of that role (nullable) whose name begins so, depth first. FALSE: there is none */
static gboolean
find (Reader *reader, const Place *below, const char *role, const char *name, int depth,
      Place *found)
{
  g_autoptr (GPtrArray) children = children_of (reader, below);

  for (guint i = 0; depth < MAX_DEPTH && i < children->len; i++)
    {
      const Place *child = g_ptr_array_index (children, i);
      g_autofree char *its_name = name_of (reader, child), *its_role = role_of (reader, child);

      if (g_str_has_prefix (its_name, name) && (role == NULL || g_str_equal (its_role, role)))
        {
          *found = (Place){ g_strdup (child->owner), g_strdup (child->path) };
          return TRUE;
        }
      if (find (reader, child, role, name, depth + 1, found))
        return TRUE;
    }
  return FALSE;
}

static void
place_clear (Place *place)
{
  g_clear_pointer (&place->owner, g_free);
  g_clear_pointer (&place->path, g_free);
}

/* Asks until it is there: every question is an answer of the program, nothing sleeps. */
static Place
wait_for (Reader *reader, const Place *below, const char *role, const char *name)
{
  gint64 end = g_get_monotonic_time () + DEADLINE;
  Place found = { NULL, NULL };

  while (!find (reader, below, role, name, 0, &found))
    if (g_get_monotonic_time () > end)
      g_error ("Nothing that is called “%s”.", name);
  return found;
}

static void
press (Reader *reader, const char *name)
{
  Place button = wait_for (reader, &reader->page, "button", name);
  g_autoptr (GVariant) answer
      = ask (reader, &button, "org.a11y.atspi.Action", "DoAction", g_variant_new ("(i)", 0));

  g_assert_nonnull (answer);
  place_clear (&button);
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

/* FALSE: there is no accessibility bus here. */
static gboolean
reader_init (Reader *reader)
{
  Place desktop = { (char *) "org.a11y.atspi.Registry", (char *) ROOT }, listing;
  g_autofree char *model = NULL;

  memset (reader, 0, sizeof *reader);
  reader->bus = open_bus ();
  if (reader->bus == NULL)
    return FALSE;
  reader->folder = sonde_test_folder_new ();
  model = debugger_write_model (reader->folder);
  g_setenv ("GTK_A11Y", "atspi", TRUE);
  g_unsetenv ("NO_AT_BRIDGE");
  reader->program
      = sonde_test_start (reader->folder, NULL, (const char *const[]){ "debug", model, NULL });
  reader->page = wait_for (reader, &desktop, NULL, "SondeDebuggerPage");
  listing = wait_for (reader, &reader->page, "text box", "Listing of the executed graph");
  place_clear (&listing);
  return TRUE;
}

static void
reader_clear (Reader *reader)
{
  place_clear (&reader->page);
  sonde_test_program_free (reader->program);
  sonde_test_folder_free (reader->folder);
  g_object_unref (reader->bus);
}

/* ---- tests --------------------------------------------------------------- */

/* What is pressed, written into or chosen has a name of its own. */
static void
check_names (Reader *reader, const Place *place, const char *where, int depth)
{
  static const char *const roles[] = { "button", "toggle button", "text box", "search box", "list",
                                       "tab",    "image",         "table",    NULL };
  g_autofree char *role = role_of (reader, place), *name = name_of (reader, place);
  g_autoptr (GPtrArray) children = children_of (reader, place);
  g_autofree char *here
      = *name != '\0' ? g_strdup_printf ("%s / %s", where, name) : g_strdup (where);

  /* The inside of a table is GTK's. */
  if (g_strv_contains (roles, role) && !g_str_equal (name, "GtkColumnListView")
      && (*name == '\0' || g_str_has_prefix (name, "Gtk") || g_str_has_prefix (name, "Sonde")))
    g_error ("A %s has no name: %s", role, here);
  for (guint i = 0; depth < MAX_DEPTH && i < children->len; i++)
    check_names (reader, g_ptr_array_index (children, i), here, depth + 1);
}

/* The page is read, steps by its buttons, and tells where it stands. */
static void
test_read_and_press (void)
{
  static const struct
  {
    const char *role, *name;
  } known[] = {
    { "button", "Continue" },
    { "button", "Pause" },
    { "button", "Step Back" },
    { "button", "Step Over (Scope)" },
    { "button", "Step Out" },
    { "button", "Run to Selected Node" },
    { "button", "Restart" },
    { "button", "Toggle Breakpoint at Selected Node" },
    { "button", "Add Watchpoint…" },
    { "button", "Find the Cause" },
    { "button", "More" },
    { "button", "End Session" },
    { "image", "Graph" },
    { "tab", "Breakpoints" },
    { "tab", "Console" },
    { "list", "Stack" },
    { "list", "Values" },
    { "list item", "x" },
    { "list item", "conv1.weight" },
    { "text box", "Slice of the value" },
    { "button", "Copy the value" },
    { "label", "Ready before the first of 4 nodes of small.onnx" },
  };
  Reader reader;

  if (!reader_init (&reader))
    {
      g_test_skip ("There is no accessibility bus.");
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (known); i++)
    {
      Place place = wait_for (&reader, &reader.page, known[i].role, known[i].name);

      place_clear (&place);
    }
  press (&reader, "Step Into");
  {
    Place paused = wait_for (&reader, &reader.page, "label", "Paused before relu1");
    Place value = wait_for (&reader, &reader.page, "list item", "conv1_output_0");

    place_clear (&paused);
    place_clear (&value);
  }
  check_names (&reader, &reader.page, "", 0);
  reader_clear (&reader);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (g_getenv ("DISPLAY") == NULL)
    return 0;
  g_test_add_func ("/app/pages/debugger-accessible/read-and-press", test_read_and_press);
  return g_test_run ();
}
