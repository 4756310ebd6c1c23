#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the translations are complete: every text of the sources has a translation that is not fuzzy and has
the conversions of its original (scripts/translate --check), and every text of a .ui file is marked as translatable, or
with translatable="no" as one that is not (an example of an expression).

Usage: test-translations.py SOURCE-ROOT
"""
import glob
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

# Properties and elements whose content people read.
TEXTS = {
    "label", "title", "subtitle", "description", "text", "tooltip-text", "tooltip-markup", "placeholder-text", "heading",
    "body", "menu-model-label", "accelerator-label", "shortcut-title",
}
# Elements of <accessibility> and of <columns> that are texts.
ACCESSIBLE = {"label", "description", "value-text", "placeholder", "help-text", "role-description"}
# Abbreviations that are the same in every language.
ABBREVIATIONS = {"PR", "ROC"}


def is_read(text):
    """A text without letters (a sign, a number) is the same in every language."""
    return (text or "").strip() not in ABBREVIATIONS and any(character.isalpha() for character in text or "")


def find_unmarked(path):
    for element in ElementTree.parse(path).iter():
        name = element.get("name", "").replace("_", "-")
        shown = (
            (element.tag in ("property", "attribute") and name in TEXTS)
            or (element.tag == "property" and element.get("name") in ACCESSIBLE and name in ACCESSIBLE)
            or element.tag == "item"
        )
        if not shown or element.get("translatable") is not None or element.get("bind-source"):
            continue
        if element.tag == "item" and (len(element) > 0 or element.get("id")):
            continue
        if len(element) == 0 and is_read(element.text):
            yield element.text.strip()


def check_catalogues(root):
    result = subprocess.run(
        ["sh", os.path.join(root, "scripts", "translate"), "--check"], capture_output=True, text=True, check=False
    )
    for line in (result.stdout + result.stderr).splitlines():
        print("#", line)
    return result.returncode == 0


def main():
    root = sys.argv[1]
    interfaces = sorted(
        path for folder in ("app", "viewers") for path in glob.glob(os.path.join(root, folder, "**", "*.ui"), recursive=True)
    )
    print(f"1..{len(interfaces) + 1}")
    failed = not check_catalogues(root)
    print(("not ok" if failed else "ok"), 1, "every text is translated")
    for number, path in enumerate(interfaces, start=2):
        unmarked = list(find_unmarked(path))
        for text in unmarked:
            print(f"# {os.path.relpath(path, root)}: “{text}” is not translatable")
        print(("not ok" if unmarked else "ok"), number, os.path.relpath(path, root))
        failed = failed or bool(unmarked)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
