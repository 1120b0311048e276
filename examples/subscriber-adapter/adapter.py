"""A subscriber in Python, and the adapter through which `appreg conformance subscriber --adapter <url>` tests it.

    python3 adapter.py          prints its URL, and serves until it is ended

The class Subscriber is the implementation; replace it by calls of your own. The class Adapter is all that the kit needs:
POST /subscribe, POST /refresh, GET /apps and DELETE /case, with the query parameter `case`, which names the state.
"""

import hashlib
import json
import re
import ssl
import urllib.request
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

KEY = re.compile(r"[A-Za-z0-9_-]+")
CHECKSUM = re.compile(r"sha256:[0-9a-f]{64}")
NUMBER = r"(?:0|[1-9][0-9]*)"
VERSION = re.compile(rf"{NUMBER}\.{NUMBER}\.{NUMBER}")
LARGEST = 50_000_000


class NoHttps(Exception):
    """A URL that is not https."""


class Subscriber:
    """One organization with one registry: its apps are what the last good refresh found."""

    def __init__(self, ca):
        self.context = ssl.create_default_context(cadata=ca)
        self.url = None
        self.apps = {}
        self.pinned = {}

    def fetch(self, url):
        """The bytes at an https URL. Raises an exception unless all of them were received with status 200."""
        if not url.startswith("https://"):
            raise NoHttps(url)
        with urllib.request.urlopen(url, timeout=10, context=self.context) as response:
            if response.status != 200 or not response.url.startswith("https://"):
                raise NoHttps(response.url)
            content = response.read(LARGEST + 1)
            length = response.headers["Content-Length"]
        if len(content) > LARGEST or (length is not None and len(content) != int(length)):
            raise HTTPException("The response is too large, or incomplete.")
        return content

    def refresh(self):
        apps = json.loads(self.fetch(self.url))["apps"]
        if not isinstance(apps, dict):
            raise ValueError("apps is not an object")
        self.apps = {key: self.versions(key, entry) for key, entry in apps.items() if KEY.fullmatch(key)}

    def versions(self, key, entry):
        """The versions of an app that can be installed, with their checksums."""
        try:
            listed = json.loads(self.fetch(entry["appMetadataUrl"]))["versions"]
            entries = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        except FAILURES:
            return {}
        offered = {}
        for one in entries:
            version, checksum = one.get("version"), one.get("artifactChecksum")
            if isinstance(version, str) and VERSION.fullmatch(version) and self.is_offered(key, version, one):
                offered[version] = checksum
        return offered

    def is_offered(self, key, version, entry):
        """True if the artifact has the listed checksum, and the version never had another one."""
        checksum = entry["artifactChecksum"] if isinstance(entry.get("artifactChecksum"), str) else ""
        if not CHECKSUM.fullmatch(checksum) or self.pinned.get((key, version), checksum) != checksum:
            return False
        try:
            content = self.fetch(entry["artifactUrl"])
        except FAILURES:
            return False
        if f"sha256:{hashlib.sha256(content).hexdigest()}" != checksum:
            return False
        self.pinned[key, version] = checksum
        return True


FAILURES = (OSError, HTTPException, NoHttps, ValueError, KeyError, TypeError, AttributeError)


def shown(key, versions):
    """An app as the kit expects it."""
    ordered = sorted(versions, key=lambda version: [int(part) for part in version.split(".")])
    states = [{"version": one, "checksum": versions[one], "state": "offered"} for one in ordered]
    return {"key": key, "versions": states, "latest": ordered[-1] if ordered else None}


class Adapter(BaseHTTPRequestHandler):
    subscribers = {}

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        subscriber = self.subscribers.setdefault(body["case"], Subscriber(body["ca"]))
        if self.path.startswith("/subscribe"):
            subscriber.url = body["url"]
        try:
            subscriber.refresh()
            self.respond(200, {})
        except FAILURES as failure:
            self.respond(422, {"reason": str(failure)})

    def do_GET(self):
        subscriber = self.subscribers.get(self.case())
        apps = subscriber.apps if subscriber else {}
        self.respond(200, {"apps": [shown(key, versions) for key, versions in apps.items()]})

    def do_DELETE(self):
        self.subscribers.pop(self.case(), None)
        self.respond(200, {})

    def case(self):
        return parse_qs(urlsplit(self.path).query)["case"][0]

    def respond(self, status, value):
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format, *args):
        """Nothing is logged."""


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), Adapter)
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
