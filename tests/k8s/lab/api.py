"""The Kubernetes API by Python's standard library: what the lab and its tests ask of it.

The caller is in the lab's network namespace (Lab.enter_network); nothing is
read from the environment, no proxy is used, and the only address is the lab's.
"""

import http.client
import json
import pathlib
import ssl
import sys
import urllib.parse

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2]))
import place as places  # noqa: E402  pylint: disable=wrong-import-position
from waiting import DEADLINE, wait_for  # noqa: E402,F401  pylint: disable=wrong-import-position

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


class ApiError(Exception):
    def __init__(self, status, body):
        super().__init__(f"{status}: {body.get('message', body)}")
        self.status = status
        self.reason = body.get("reason")
        self.body = body


class Api:
    """A client with the administrator's rights, or those of `token`."""

    def __init__(self, keys, token=None):
        self.context = ssl.create_default_context(cafile=keys / "ca.crt")
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        if not token:
            self.context.load_cert_chain(keys / "admin.crt", keys / "admin.key")

    def open(self, method, path, body=None, kind="application/json", query=None, seconds=DEADLINE):
        """The response of a request, unread, and its connection."""
        connection = http.client.HTTPSConnection(places.SERVER, context=self.context, timeout=seconds)
        if query:
            path += "?" + urllib.parse.urlencode(query)
        data = None if body is None else json.dumps(body)
        try:
            connection.request(method, path, data, {**self.headers, "Content-Type": kind})
            return connection, connection.getresponse()
        except BaseException:
            connection.close()
            raise

    def request(self, method, path, body=None, **options):
        connection, response = self.open(method, path, body, **options)
        try:
            text = response.read().decode()
        finally:
            connection.close()
        if response.getheader("Content-Type", "").startswith("application/json"):
            text = json.loads(text)
        if response.status >= 400:
            raise ApiError(response.status, text if isinstance(text, dict) else {"message": text})
        return text

    def get(self, path, **query):
        return self.request("GET", path, query=query)

    def post(self, path, body):
        return self.request("POST", path, body)

    def patch(self, path, body, kind=MERGE):
        return self.request("PATCH", path, body, kind=kind)

    def delete(self, path, grace=None, **query):
        body = {} if grace is None else {"gracePeriodSeconds": grace}
        return self.request("DELETE", path, body, query=query)

    def watch(self, path, version, seconds=DEADLINE, **query):
        """Events (type, object) from the version on, until nothing came for `seconds`."""
        connection, response = self.open("GET", path, seconds=seconds, query={
            "watch": "true", "resourceVersion": version, "allowWatchBookmarks": "true", **query})
        try:
            if response.status >= 400:
                raise ApiError(response.status, json.loads(response.read()))
            for line in response:
                event = json.loads(line)
                yield event["type"], event["object"]
        finally:
            connection.close()

    def answers(self):
        """Whether the server is ready, which it is not while it starts."""
        try:
            return self.get("/readyz") == "ok"
        except (OSError, http.client.HTTPException, ApiError):
            return False
