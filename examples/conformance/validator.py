#!/usr/bin/env python3
"""A validator of registry manifests and app metadata files, for `appreg conformance documents`.

It validates the files in its arguments, or those whose paths it reads from its standard input (--batch), and prints a
line of JSON for each. It exits with 1 if it rejects one of them.
"""
import json
import re
import sys
from urllib.parse import urlsplit

SEMVER = re.compile(
    r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}"
    r"(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?"
    r"(\+[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?"
)


def is_https(url):
    try:
        parts = urlsplit(url)
        return parts.scheme == "https" and bool(parts.hostname) and " " not in url and parts.port != -1
    except ValueError:
        return False


# The type and the form of each member.
APP = {"name": (str, None), "description": (str, None), "blockStyle": (dict, None), "appMetadataUrl": (str, is_https)}
STYLE = {"iconUrl": (str, is_https), "color": (str, re.compile("#[0-9A-Fa-f]{6}").fullmatch)}
VERSION = {
    "version": (str, SEMVER.fullmatch),
    "artifactUrl": (str, is_https),
    "artifactChecksum": (str, re.compile("sha256:[0-9a-f]{64}").fullmatch),
}


def refuse(text):
    raise ValueError(text + " is not JSON")


def without_duplicates(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        refuse("an object with duplicate names")
    return dict(pairs)


def members(value, fields, at):
    """The pointers of the members that are missing or wrong."""
    if not isinstance(value, dict):
        return [at]
    faults = []
    for name, (kind, form) in fields.items():
        member = value.get(name)
        if not isinstance(member, kind) or (form and not form(member)):
            faults.append(f"{at}/{name}")
    return faults


def faults_in(document, kind):
    if not isinstance(document, dict):
        return [""]
    if kind == "metadata.json":
        versions = document.get("versions")
        if not isinstance(versions, list):
            return ["/versions"]
        return [fault for at, version in enumerate(versions) for fault in members(version, VERSION, f"/versions/{at}")]
    apps = document.get("apps")
    if not isinstance(apps, dict):
        return ["/apps"]
    faults = []
    for key, app in apps.items():
        at = "/apps/" + key.replace("~", "~0").replace("/", "~1")
        if not re.fullmatch("[A-Za-z0-9_-]+", key):
            faults.append(at)
        faults += members(app, APP, at)
        if isinstance(app, dict) and isinstance(app.get("blockStyle"), dict):
            faults += members(app["blockStyle"], STYLE, at + "/blockStyle")
    return faults


def validate(path):
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            document = json.load(file, object_pairs_hook=without_duplicates, parse_constant=refuse)
        faults = faults_in(document, path.replace("\\", "/").split("/")[-1])
    except (ValueError, RecursionError):
        faults = [""]
    found = [{"pointer": pointer, "severity": "error"} for pointer in faults]
    print(json.dumps({"file": path, "accepted": not faults, "faults": found}))
    return not faults


paths = sys.argv[1:] or sys.stdin.read().splitlines()
sys.exit(0 if all([validate(path) for path in paths]) else 1)
