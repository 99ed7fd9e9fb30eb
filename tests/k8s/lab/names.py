"""names.py PLACE HOSTS DNSMASQ - the lab's name server: what CoreDNS does for headless services.

It lists and watches the endpoint slices of services without an address of their own, keeps
NAME.NAMESPACE.svc.cluster.local in a hosts file, and has Debian's dnsmasq answer from it.
Whatever goes wrong with the API server, the last known names are served, and all is listed again.
"""

import http.client
import pathlib
import signal
import subprocess
import sys
import time

import api
import place as places

DOMAIN = "cluster.local"
SLICES = "/apis/discovery.k8s.io/v1/endpointslices"
HEADLESS = "service.kubernetes.io/headless"
PAUSE = 0.2  # seconds before the API server is asked again


def dnsmasq(program, hosts):
    return [program, "--keep-in-foreground", "--conf-file=/dev/null", "--log-facility=-", "--user=root", "--pid-file=",
            f"--listen-address={places.SERVER}", "--bind-interfaces", "--no-resolv", "--no-hosts", "--no-poll",
            f"--addn-hosts={hosts}", f"--local=/{DOMAIN}/", "--local-ttl=0", "--cache-size=0"]


class Names:
    def __init__(self, hosts, program):
        self.hosts = hosts
        self.slices = {}  # by namespace and name: lines
        self.write()
        self.server = subprocess.Popen(dnsmasq(program, hosts))

    def write(self):
        half = self.hosts.with_suffix(".half")
        half.write_text("".join(sorted(set(line for lines in self.slices.values() for line in lines))))
        half.rename(self.hosts)

    def take(self, kind, found):
        meta = found["metadata"]
        key = meta["namespace"], meta["name"]
        self.slices.pop(key, None)
        if kind != "DELETED":
            self.slices[key] = list(lines_of(found))

    def publish(self):
        self.write()
        if self.server.poll() is not None:
            sys.exit("dnsmasq has ended")  # init.py starts both again
        self.server.send_signal(signal.SIGHUP)

    def follow(self, client):
        listed = client.get(SLICES, labelSelector=HEADLESS)
        self.slices = {}
        for found in listed["items"]:
            self.take("ADDED", found)
        self.publish()
        for kind, found in client.watch(SLICES, listed["metadata"]["resourceVersion"], labelSelector=HEADLESS,
                                        timeoutSeconds=60):
            if kind == "ERROR":
                return
            if kind != "BOOKMARK":
                self.take(kind, found)
                self.publish()


def lines_of(found):
    meta = found["metadata"]
    name = f"{meta['labels']['kubernetes.io/service-name']}.{meta['namespace']}.svc.{DOMAIN}"
    for endpoint in found.get("endpoints") or []:
        if endpoint.get("conditions", {}).get("ready", True):
            for address in endpoint["addresses"]:
                yield f"{address} {name}\n"


def main():
    place, hosts, program = places.Place(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    names = Names(hosts, program)
    client = api.Api(place.keys)
    while True:
        try:
            names.follow(client)
        except (OSError, http.client.HTTPException, api.ApiError, ValueError) as error:
            print(f"names: {error}", file=sys.stderr, flush=True)
            time.sleep(PAUSE)


main()
