"""Services of higher priority: pods with a slot each, in a namespace of their own, that training gives way to.

    services = Services(lab, "services")
    some = services.start(6)       returns at once; the scheduler makes room
    services.wait_for(some)        they are ready
    services.end(some)
    with services.holding(16):     so many slots, spread over the nodes, are not there for anybody else
"""

import contextlib
import time

import harness
import watched
from api import ApiError

PRIORITY = 100000


class Service:
    def __init__(self, services, name):
        self.services, self.name, self.asked_at = services, name, time.monotonic()

    def pod(self):
        return next((pod for pod in self.services.pods() if pod.name == self.name), None)

    def is_ready(self):
        pod = self.pod()
        return pod is not None and pod.ready_at is not None

    def waited(self):
        """Seconds from its creation until it was ready."""
        return self.pod().ready_at - self.asked_at

    def is_gone(self):
        pod = self.pod()
        return pod is not None and pod.is_over()


class Services:
    def __init__(self, lab, name):
        self.lab, self.name, self.api = lab, name, lab.api()
        self.path = f"/api/v1/namespaces/{name}"
        self.classes = f"/apis/scheduling.k8s.io/v1/priorityclasses/{name}"
        self.count = 0
        self.api.post("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {
            "name": name, "labels": {"pod-security.kubernetes.io/enforce": "restricted"}}})
        self.api.post(self.classes.rpartition("/")[0], {
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name},
            "value": PRIORITY})
        harness.wait_for(self.has_account, "the services' account")
        self.watched = watched.Watched(lab, name)

    def has_account(self):
        try:
            return self.api.get(self.path + "/serviceaccounts/default")
        except ApiError as error:
            if error.status != 404:
                raise
            return None

    def pods(self):
        return self.watched.pods()

    def start(self, count, slots=1, **more):
        started = []
        for _ in range(count):
            self.count += 1
            service = Service(self, f"service-{self.count}")
            spec = harness.pod_spec([harness.container(slots=slots)] if slots else [harness.container()],
                                    grace=0, priorityClassName=self.name, **more)
            self.api.post(self.path + "/pods", harness.pod(service.name, spec))
            started.append(service)
        return started

    @staticmethod
    def wait_for(services):
        harness.wait_for(lambda: all(service.is_ready() for service in services), f"{len(services)} services")

    def end(self, services, is_waited_for=True, grace=0):
        for service in services:
            self.api.delete(f"{self.path}/pods/{service.name}", grace=grace)
        if is_waited_for:
            self.wait_until_gone(services)

    @staticmethod
    def wait_until_gone(services):
        harness.wait_for(lambda: all(service.is_gone() for service in services), "services to go")

    @contextlib.contextmanager
    def holding(self, slots):
        nodes = self.lab.nodes()
        held = [self.start(1, slots // len(nodes), nodeSelector={"kubernetes.io/hostname": node.name})[0] for node in nodes]
        self.wait_for(held)
        try:
            yield
        finally:
            self.end(held)

    def one_each(self):
        """Those that are or were services, and not holdings."""
        return [pod for pod in self.pods() if pod.slots == 1]

    def close(self):
        self.api.delete(self.path)
        self.api.delete(self.classes)
        self.watched.close()
