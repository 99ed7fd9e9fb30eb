"""A console that runs, and requests as its page makes them."""

import http.client
import json
import re
import signal
import subprocess
import urllib.parse

DEADLINE = 60


class Console:
    """The program, and requests as its page makes them."""

    def __init__(self, case, program, *words, **options):
        self.program = subprocess.Popen([program, "console", *words], text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, **options)
        case.addCleanup(self.end)
        self.address = self.program.stdout.readline().strip()
        case.assertRegex(self.address, r"^http://127\.0\.0\.1:\d+/[0-9a-f]{32}/$")
        found = urllib.parse.urlsplit(self.address)
        self.port, self.path = found.port, found.path

    def end(self):
        if self.program.poll() is None:
            self.program.send_signal(signal.SIGINT)
        try:
            self.program.wait(DEADLINE)
        finally:
            self.program.stdout.close()
            self.program.stderr.close()
        return self.program.returncode

    def send(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer, data

    def get(self, call, **arguments):
        """The JSON of a call that is allowed."""
        answer, data = self.send("GET", self.path + call + ("?" + urllib.parse.urlencode(arguments) if arguments else ""))
        assert answer.status == 200, (answer.status, data)
        return json.loads(data)

    def csrf(self):
        return re.search(rb'totrain-csrf" content="([0-9a-f]+)"', self.send("GET", self.path)[1]).group(1).decode()

    def post(self, call, token, origin=None, **arguments):
        answer, data = self.send("POST", self.path + call, urllib.parse.urlencode(arguments),
                                 **{"X-Totrain-Csrf": token, "Origin": origin or f"http://127.0.0.1:{self.port}"})
        return answer.status, data
