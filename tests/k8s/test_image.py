"""The image in a cluster: a restricted pod trains the model that this machine trains, bit for bit."""

import csv
import os
import pathlib
import shutil
import subprocess
import tempfile

import harness
import place
from harness import container, pod, pod_spec
from training import BUILD, ROOT, let_pods_in, make_image, postgres

RESULT = ("SELECT 'digest ' || json_extract(data, '$.digest') AS shown FROM iris_model WHERE part = 'meta';\n"
          "SELECT 'workers ' || count(*) AS shown FROM totrain_workers;")
TRAIN = ("SELECT * FROM iris TO TRAIN DNNClassifier WITH model.hidden_units = [16, 16], train.epoch = 20, "
         "train.batch_size = 32{more} LABEL class INTO iris_model;")
IMAGE = "localhost/totrain:lab-test"


def iris():
    with open(ROOT / "examples" / "data" / "iris.csv", newline="", encoding="utf-8") as file:
        names, *rows = csv.reader(file)
    columns = ", ".join(f"{name} {'TEXT' if name == 'class' else 'REAL'}" for name in names)
    lines = ", ".join("(" + ", ".join("'" + value + "'" if name == "class" else value
                                      for name, value in zip(names, row)) + ")" for row in rows)
    return f"CREATE TABLE iris ({columns});\nINSERT INTO iris VALUES {lines};\n"


class Image(harness.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="totrain-image-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        make_image(cls.lab, IMAGE)

    def spec(self, *arguments, more=()):
        mounts = [{"name": "state", "mountPath": "/var/lib/totrain"}, {"name": "temporary", "mountPath": "/tmp"}]
        volumes = [{"name": name, "emptyDir": {}} for name in ("state", "temporary")]
        for volume, path in more:
            volumes.append(volume)
            mounts.append({"name": volume["name"], "mountPath": path})
        return pod_spec([container(IMAGE, args=list(arguments), volumeMounts=mounts)], restartPolicy="Never",
                        securityContext={"fsGroup": 65532}, volumes=volumes, automountServiceAccountToken=False)

    def output_of_pod(self, name, spec):
        self.create(pod(name, spec))
        found = self.wait_for_end(name)
        said = self.log(name)
        self.assertEqual(found["status"]["phase"], "Succeeded", said)
        return said

    def test_it_tells_its_version(self):
        here = subprocess.run([BUILD / "totrain", "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(self.output_of_pod("version", self.spec("--version")), here)

    def test_there_is_no_shell_in_it(self):
        self.create(pod("shell", pod_spec([container(IMAGE, command=["/bin/sh", "-c", "true"])],
                                          restartPolicy="Never")))
        state = self.wait_for_end("shell")["status"]["containerStatuses"][0]["state"]["terminated"]
        self.assertIn("no such file or directory", state["message"])

    def trained(self, more=""):
        """Digest and workers of the model that the pod trains, and of the one that this machine does."""
        script = iris() + TRAIN.format(more=more) + "\n" + RESULT + "\n"
        self.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "script"},
                     "data": {"train.sql": script}})
        said = self.output_of_pod("trains", self.spec(
            "/var/lib/totrain/iris.db", "-f", "/script/train.sql", "--format=csv", "--progress=none",
            more=[({"name": "script", "configMap": {"name": "script"}}, "/script")]))
        here = subprocess.run([BUILD / "totrain", self.folder / f"{self.space}.db", "--format=csv",
                               "--progress=none"], input=script, capture_output=True, text=True, check=True,
                              env={**os.environ, "TOTRAIN_STATE": str(self.folder / self.space)})
        return [[line for line in text.splitlines() if line.startswith(("digest ", "workers "))]
                for text in (said, here.stdout)]

    def test_a_pod_trains_the_same_model(self):
        there, here = self.trained()
        self.assertEqual(there, here)
        self.assertRegex(there[0], r"^digest [0-9a-f]{64}$")

    def test_a_pod_with_processes_of_its_own_trains_the_same_model(self):
        """A master and two workers, over sockets below /tmp."""
        there, here = self.trained(", job.max_workers = 2, job.min_workers = 2")
        self.assertEqual(there, here)
        self.assertEqual(there[1], "workers 2")

    def test_a_pod_reaches_a_database_of_this_machine(self):
        """A server that is started in the lab's network; it sees the pod's own address."""
        with postgres.Server({"listen_addresses": place.SERVER}, extension=False, tcp=True) as server:
            let_pods_in(server, "trainer")
            server.execute("CREATE USER trainer PASSWORD 'only for this test'")
            said = self.output_of_pod("asks", self.spec(
                f"postgres://trainer:only%20for%20this%20test@{place.SERVER}:{server.port}/postgres",
                "-c", "SELECT 'from ' || host(inet_client_addr()) AS shown;", "--format=csv"))
        self.assertIn(f"from {self.pod('asks')['status']['podIP']}", said.splitlines())


if __name__ == "__main__":
    harness.main()
