/* SPDX-License-Identifier: Apache-2.0
 * Every page as a screen reader has it: what it shows can be read over the accessibility bus, and nothing that can be
 * pressed, written into or chosen is without a name. What is under the pointer is read, too. */
#include "tests/app/pages/screen-reader.h"
#include "tests/app/whole/whole-fixture.h"

typedef struct
{
  const char *page, *type;
  struct
  {
    const char *role, *name;
  } known[6];
  /* of the view that is pointed at, and what its description says then */
  const char *view, *reading;
  const char *tab; /* (nullable): pressed before all that */
} Page;

static const Page pages[] = {
  { "overview",
    "SondeOverviewPage",
    { { "label", "loss" },
      { "image", "loss" },
      { "grid", "Contents of the run" },
      { "list item", "a: step 119" },
      { "button", "Open the page Scalars" } },
    "loss",
    "Step " },
  { "runs",
    "SondeRunsPage",
    { { "tree grid", "Runs" },
      { "label", "119" },
      { "button", "Columns" },
      { "tree grid", "Tags of the run" } } },
  { "scalars",
    "SondeScalarsPage",
    { { "search box", "Filter tags" },
      { "slider", "Smoothing" },
      { "list", "Cards" },
      { "image", "loss" },
      { "button", "Table of values" } },
    "loss",
    "Step " },
  { "distributions",
    "SondeDistributionsPage",
    { { "button", "Heat map" }, { "list", "Cards" }, { "image", "fc3.weight/auto" } },
    "fc3.weight/auto",
    "values" },
  { "media",
    "SondeMediaPage",
    { { "slider", "Step" },
      { "label", "input_data/auto" },
      { "grid", "Samples" },
      { "image", "No. 1" } },
    "No. 1",
    "row " },
  { "tensors",
    "SondeTensorsPage",
    { { "combo box", "Tag" },
      { "text box", "Slice" },
      { "label", "float32 [2]" },
      { "tree grid", "Elements" },
      { "label", "-2.25" },
      { "button", "Save as .npy" } },
    "bf16",
    "[" },
  { "pr-curves",
    "SondePrCurvesPage",
    { { "label", "digit_3" }, { "label", "AP 0.9604" }, { "image", "digit_3" } },
    "digit_3",
    "precision " },
  { "lineage",
    "SondeLineagePage",
    { { "tree grid", "Runs with hyper-parameters and metrics" },
      { "text box", "Query over columns" },
      { "image", "Parallel Coordinates" } },
    "Parallel Coordinates",
    "Batch.drop_remainder: ",
    "Parallel Coordinates" },
  { "landscape",
    "SondeLandscapePage",
    { { "combo box", "Tag" }, { "image", "landscape · landscape_[1, 5]" }, { "label", "Step 0" } },
    "landscape · landscape_[1, 5]",
    "): loss " },
  { "projector",
    "SondeProjectorPage",
    { { "combo box", "Method" }, { "image", "digits" }, { "tree grid", "Points" } },
    "digits",
    "point " },
  { "graph",
    "SondeGraphPage",
    { { "image", "Graph" }, { "button", "→ conv1 (Conv)" }, { "combo box", "Colour by" } },
    "Graph",
    "Conv" },
  { "train",
    "SondeTrainPage",
    { { "list", "Network" }, { "combo box", "Model to train" }, { "text box", "Batch size" } } },
  { "migration",
    "SondeMigrationPage",
    { { "tree grid", "Names used by the sources" },
      { "combo box", "Target of the port" },
      { "search box", "Filter names" },
      { "label", "torch.nn.Linear" } } },
};

static void
test_page (gconstpointer data)
{
  const Page *page = data;
  ScreenReader reader;
  g_auto (GStrv) paths = NULL;

  if (!screen_reader_init (&reader))
    {
      g_test_skip ("There is no accessibility bus.");
      return;
    }
  paths = whole_fixture_write (reader.folder);
  screen_reader_choose_page (&reader, page->page);
  screen_reader_start (&reader, (const char *const *) paths, page->type);
  if (page->tab != NULL)
    screen_reader_press (&reader, NULL, page->tab);
  for (gsize i = 0; i < G_N_ELEMENTS (page->known) && page->known[i].name != NULL; i++)
    screen_reader_expect (&reader, page->known[i].role, page->known[i].name);
  screen_reader_check_names (&reader);
  screen_reader_check_all_names (&reader);
  if (page->view != NULL)
    screen_reader_find_read (&reader, "image", page->view, page->reading);
  screen_reader_clear (&reader);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (g_getenv ("DISPLAY") == NULL)
    return 0;
  for (gsize i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      g_autofree char *path = g_strdup_printf ("/app/whole/names/%s", pages[i].page);

      g_test_add_data_func (path, &pages[i], test_page);
    }
  return g_test_run ();
}
