"""A TCP proxy between the kiosk and its broker that delays, cuts, swallows and corrupts on demand."""
import asyncio
import random
import threading


class Proxy:
    """Listens on a port of its own. The faults may be changed at any time, from any thread."""

    def __init__(self, target, seed):
        self.target = target
        self.delay = 0.0
        self.is_swallowing = False
        self.corrupts_next = False
        self.random = random.Random(seed)
        self.writers = set()
        self.loop = asyncio.new_event_loop()
        ready = threading.Event()
        threading.Thread(target=self._run, args=(ready,), daemon=True).start()
        ready.wait()

    def cut(self):
        """Aborts every connection, in the middle of any transfer."""
        asyncio.run_coroutine_threadsafe(self._cut(), self.loop).result()

    def heal(self):
        self.delay, self.is_swallowing, self.corrupts_next = 0.0, False, False

    async def _cut(self):
        for writer in list(self.writers):
            writer.transport.abort()

    def _run(self, ready):
        asyncio.set_event_loop(self.loop)
        self.server = self.loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = self.server.sockets[0].getsockname()[1]
        ready.set()
        self.loop.run_forever()

    async def _serve(self, reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return writer.transport.abort()
        self.writers |= {writer, far_writer}
        try:
            await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))
        finally:
            self.writers -= {writer, far_writer}
            writer.transport.abort()
            far_writer.transport.abort()

    async def _pump(self, reader, writer):
        try:
            while data := await reader.read(4096):
                if self.delay:
                    await asyncio.sleep(self.delay)
                if self.is_swallowing:
                    continue
                if self.corrupts_next:
                    self.corrupts_next = False
                    data = bytearray(data)
                    data[self.random.randrange(len(data))] ^= 1 << self.random.randrange(8)
                writer.write(data)
                await writer.drain()
        except (OSError, ConnectionError):
            pass
        writer.transport.abort()
