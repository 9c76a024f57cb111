"""A remote root with a WebSocket that echoes (RFC 6455) and a long poll, in the standard library alone."""

import base64
import hashlib
import http.server
import threading
import time


class RealTime:
    """Answers `/api/socket` by a WebSocket, `/api/poll` when `say` is called, and remembers what it saw."""

    def __init__(self):
        self.said, self.headers = threading.Event(), []
        root = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                root.headers.append(dict(self.headers))
                if self.path == "/api/socket":
                    return self.upgrade()
                root.said.wait(20)
                body = b"said"
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def upgrade(self):
                key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
                self.send_response(101)
                self.send_header("Upgrade", "websocket")
                self.send_header("Connection", "Upgrade")
                self.send_header("Sec-WebSocket-Accept",
                                 base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
                self.end_headers()
                self.close_connection = True
                while True:
                    head = self.rfile.read(2)
                    if len(head) < 2 or head[0] & 15 == 8:
                        return
                    size = head[1] & 127
                    if size == 126:
                        size = int.from_bytes(self.rfile.read(2), "big")
                    mask = self.rfile.read(4)
                    data = bytes(byte ^ mask[place % 4] for place, byte in enumerate(self.rfile.read(size)))
                    length = bytes([len(data)]) if len(data) < 126 else b"\x7e" + len(data).to_bytes(2, "big")
                    self.wfile.write(bytes([0x80 | head[0] & 15]) + length + data)
                    self.wfile.flush()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"

    def say(self, after):
        threading.Thread(target=lambda: (time.sleep(after), self.said.set()), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
