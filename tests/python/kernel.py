"""A kernel of this environment, over the protocol that front ends speak."""

import subprocess
import textwrap

import nbformat
from jupyter_client.manager import KernelManager

import harness


class Kernel:
    """A kernel of this environment. run() gives the outputs of a cell, as a notebook would keep them."""

    def __init__(self):
        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=harness.DEADLINE)

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()

    def messages(self, code):
        """Runs the cell, and returns its output when it is over."""
        asked = self.client.execute(textwrap.dedent(code).strip())
        while True:
            message = self.client.get_iopub_msg(timeout=4 * harness.DEADLINE)
            if message["parent_header"].get("msg_id") != asked:
                continue
            if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                return
            yield message

    def run(self, code):
        outputs = []
        for message in self.messages(code):
            if message["msg_type"] == "update_display_data":
                for output in outputs:
                    if output.get("id") == message["content"]["transient"]["display_id"]:
                        output.data = nbformat.from_dict(message["content"]["data"])
            elif message["msg_type"] in ("stream", "display_data", "execute_result", "error"):
                output = nbformat.v4.output_from_msg(message)
                output["id"] = message["content"].get("transient", {}).get("display_id")
                outputs.append(output)
        return outputs

    def complete(self, code, cursor=None):
        asked = self.client.complete(code, len(code) if cursor is None else cursor)
        while True:
            message = self.client.get_shell_msg(timeout=harness.DEADLINE)
            if message["parent_header"].get("msg_id") == asked:
                return message["content"]


def text_of(outputs, kind="text/plain"):
    return "\n".join(output["text"] if output["output_type"] == "stream" else output.get("data", {}).get(kind, "")
                     for output in outputs)


def errors(outputs):
    return [output for output in outputs if output["output_type"] == "error"]
