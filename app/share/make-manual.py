#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The man page or the bash completion of sonde, from what `sonde --help` and `sonde COMMAND --help` say:
the command table is the only source. Run by meson. Usage: make-manual.py man|bash PROGRAM VERSION OUTPUT
"""
import os
import re
import subprocess
import sys

OPTION = re.compile(r"^  (?:(-\w), )?(--[\w-]+)(?:=(\S+))?(?:\s+(.*))?$")


def ask(program, *arguments):
    return subprocess.run([program, *arguments, "--help"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          check=True, encoding="utf-8", env=dict(os.environ, LC_ALL="C.UTF-8", LANGUAGE="")).stdout


def read_command(program, name):
    """Returns (synopsis, summary, [(short, long, argument, text)], details)."""
    options, texts, synopsis = [], [], ""
    for line in ask(program, name).splitlines():
        option = OPTION.match(line)
        if line.startswith("  sonde "):
            synopsis = line.strip()
        elif option:
            options.append(option.groups())
        elif options and line.startswith("   "):
            last = options.pop()
            options.append(last[:3] + (((last[3] or "") + " " + line.strip()).strip(),))
        elif line and not line.endswith(":"):
            texts.append(line)
    return synopsis, texts[0] if texts else "", options, texts[1:]


def read_all(program):
    names = [line.split()[0] for line in ask(program).splitlines() if re.match(r"^  [a-z]+  +\S", line)]
    return {name: read_command(program, name) for name in names if name != "sonde"}


def escape(text):
    """Text for roff: no line may begin a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def make_man(commands, version):
    lines = ['.TH SONDE 1 "" "sonde %s" "User Commands"' % version,
             ".SH NAME", "sonde \\- see what a neural network does while it learns and where it goes wrong",
             ".SH SYNOPSIS", ".B sonde", "[PATH…]", ".br", ".B sonde", "--broadway[=PORT] [PATH…]", ".br",
             ".B sonde", "COMMAND [OPTION…] …",
             ".SH DESCRIPTION",
             "Without a command, Sonde opens its window and shows the given run folders, record files, models and "
             "recipes. A command does its work without a window.", ".TP", "\\fB\\-\\-broadway\\fR[=\\fIPORT\\fR]",
             "Opens the window in a browser: starts gtk4\\-broadwayd and prints an address of the loopback interface, by PORT or a "
             "free one, with a token that the browser needs, and the ssh command that makes it reachable from another machine. The "
             "server ends with the window.", ".SH COMMANDS"]
    for synopsis, summary, options, details in commands.values():
        lines += [".SS " + escape(synopsis), escape(summary)]
        for short, long, argument, text in options:
            form = "\\fB%s\\fR" % escape(long) + ("=\\fI%s\\fR" % escape(argument) if argument else "")
            lines += [".TP", ("\\fB%s\\fR, " % escape(short) if short else "") + form, escape(text or "")]
        for paragraph in details:
            lines += [".PP", escape(paragraph)]
    lines += [".SH EXIT STATUS", ".TP", "0", "done", ".TP", "1",
              "the work failed; a message on stderr says what, where, and what to do", ".TP", "2", "wrong use",
              ".TP", "128 + N", "ended by signal N: a training, after it had written a checkpoint, or an inference, between two steps"]
    return "\n".join(lines) + "\n"


def make_bash(commands):
    cases = "\n".join("    %s) words='%s' ;;" % (name, " ".join(
        ["--help"] + [option for short, long, _, _ in options for option in (short, long) if option]))
        for name, (_, _, options, _) in commands.items())
    return """# bash completion of sonde; made from its command table
_sonde ()
{
  local current=${COMP_WORDS[COMP_CWORD]} words=

  case "${COMP_WORDS[1]}" in
%s
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='%s --help --version'
  elif [[ "$current" != -* ]]; then
    words=
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; compgen -f -- "$current")
}
complete -o filenames -o default -F _sonde sonde
""" % (cases, " ".join(commands))


def main(kind, program, version, output):
    commands = read_all(program)
    if not commands:
        sys.exit("make-manual.py: “%s --help” lists no commands" % program)
    with open(output, "w", encoding="utf-8") as file:
        file.write(make_man(commands, version) if kind == "man" else make_bash(commands))


if __name__ == "__main__":
    main(*sys.argv[1:])
