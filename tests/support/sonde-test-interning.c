/* SPDX-License-Identifier: Apache-2.0
 * For a program that interns thousands of strings: GLib leaves behind the smaller tables it
 * outgrew. A sanitizer build asks these two functions; in other builds nobody calls them. */

const char *__asan_default_options (void);
const char *__lsan_default_suppressions (void);

/* Only the slow way through the stack passes GLib's functions. */
const char *
__asan_default_options (void)
{
  return "fast_unwind_on_malloc=0:malloc_context_size=8";
}

const char *
__lsan_default_suppressions (void)
{
  return "leak:g_intern_string\nleak:g_quark_from_string\nleak:call_init\n";
}
