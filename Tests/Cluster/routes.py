"""A TCP proxy between two nodes of a cluster that can be cut: what a lost network between two sites is to them."""
import asyncio

from proxy import Proxy


class Route(Proxy):
    """Passes on what one node sends to another, until it is cut: then it closes what is open and accepts nothing."""

    def __init__(self, target):
        self.is_cut = False
        super().__init__(target, 0)

    def cut_off(self):
        self.is_cut = True
        self.cut()

    def mend(self):
        self.is_cut = False

    def close(self):
        asyncio.run_coroutine_threadsafe(self._close(), self.loop).result(5)

    async def _close(self):
        self.server.close()
        await self._cut()

    async def _serve(self, reader, writer):
        if self.is_cut:
            return writer.transport.abort()
        await super()._serve(reader, writer)
