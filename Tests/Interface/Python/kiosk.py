"""A kiosk in an asyncio loop.   Usage: kiosk.py CONFIG KEY (64 digits).  Ends after a refused tap."""
import asyncio
import sys

import tappet


async def main(path: str, key: bytes) -> None:
    ended = asyncio.get_running_loop().create_future()

    def on_event(event: tappet.KioskEvent) -> None:
        if event.type == tappet.DELIVERED:
            print("delivered", event.action, flush=True)
        elif event.type == tappet.LIGHT:
            print("light", event.name, flush=True)
        elif event.type == tappet.REFUSED:
            print("refused:", event.sentence, event.code, event.person, flush=True)
            kiosk.stop()

    def on_readable() -> None:
        if not kiosk.dispatch():
            ended.set_result(None)

    with tappet.Kiosk(path, on_event) as kiosk:
        kiosk.add_secret("garage", key)
        kiosk.start()
        descriptor = kiosk.fileno()
        asyncio.get_running_loop().add_reader(descriptor, on_readable)
        await ended
        asyncio.get_running_loop().remove_reader(descriptor)
        counters = kiosk.counters()
        print(f"counters accepted={counters.accepted} delivered={counters.delivered} refused={counters.refused}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], bytes.fromhex(sys.argv[2])))
