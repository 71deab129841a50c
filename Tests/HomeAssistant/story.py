"""The life of a kiosk in Home Assistant, step by step; each begins where the one before it ended."""
import asyncio
import statistics

from installation import eventually
from kiosk import wait_for

BUTTON = "Bell 🔔/+#"
CHORD = BUTTON + " + other"
STOCK = {"low_stock", "low_items", "checked_out", "inventory_tap"}
DIAGNOSTICS = {"reader", "problem", "light", "outbox", "accepted", "delivered", "refused", "expired", "certificate"}
# The largest time that Home Assistant may need more than mosquitto_sub, in seconds.
SCAN_MAX = 0.015


async def state_of(assistant, key):
    entity = (await assistant.entities())[key]
    return (await assistant.states())[entity]["state"]


async def becomes(assistant, key, state, limit=30):
    async def is_there():
        return await state_of(assistant, key) == state

    await eventually(f"{key} to be {state}", is_there, limit)


async def found(world, assistant):
    """Home Assistant finds the kiosk by itself, with all that it has."""
    device = await eventually("the device", assistant.device)
    assert device["name"] == "Lobby" and device["manufacturer"] == "Tappet", device
    buttons = [key for key in assistant_keys(world) if key.startswith(("event_", "chord_"))
               and not key.startswith("chord_press_")]
    expected = DIAGNOSTICS | STOCK | {"action_bell", "action_light", "action_patient", "switch_pump", "lock_door",
                                      "input_front", "tap", "last", *buttons}

    async def complete():
        return set(await assistant.entities()) == expected

    await eventually("all entities", complete)
    await becomes(assistant, "reader", "on")
    await becomes(assistant, "problem", "off")
    await becomes(assistant, "switch_pump", "off")
    await becomes(assistant, "lock_door", "locked")
    assert (await state_of(assistant, "certificate")).startswith("20")


def assistant_keys(world):
    return world.discovery()["cmps"]


async def pressed(world, assistant):
    """A press of its button entity is the kiosk's action at the witness."""
    before = len(world.received("home/bell"))
    await assistant.call("button", "press", (await assistant.entities())["action_bell"])
    wait_for("the message", lambda: len(world.received("home/bell")) == before + 1)
    assert world.received("home/bell")[-1][2] == "ring"


async def switched(world, assistant):
    """A flip of its switch is the panel's output, and the level that it shows is the output's own."""
    entity = (await assistant.entities())["switch_pump"]
    await assistant.call("switch", "turn_on", entity)
    wait_for("the output", lambda: world.levels("pump")[-1:] == [True])
    await becomes(assistant, "switch_pump", "on")
    world.tappet("output", "off", "pump")
    await becomes(assistant, "switch_pump", "off")


async def unlocked(world, assistant):
    """Its lock opens for the time of a pulse."""
    await assistant.call("lock", "unlock", (await assistant.entities())["lock_door"])
    await becomes(assistant, "lock_door", "unlocked")
    await becomes(assistant, "lock_door", "locked")
    assert world.levels("door")[-2:] == [True, False], world.levels("door")


async def watched(world, assistant):
    """Its door is open or closed, and a forced opening fires the trigger of the device."""
    device = (await assistant.device())["id"]
    triggers = (await assistant.ask("device_automation/trigger/list", device_id=device))[0]
    ours = {trigger["type"]: trigger for trigger in triggers if trigger.get("subtype") == "front"}
    assert set(ours) == {"forced", "held_open"}, triggers
    trigger = {name: value for name, value in ours["forced"].items() if name != "metadata"}
    number = (await assistant.ask("subscribe_trigger", trigger={"platform": "device", **trigger}))[1]
    await becomes(assistant, "input_front", "off")
    await asyncio.to_thread(world.tell, "open", "front")
    await becomes(assistant, "input_front", "on")
    front = (await assistant.states())[(await assistant.entities())["input_front"]]["attributes"]
    assert front["cause"] == "forced" and front["since"] > 1_700_000_000 and front["device_class"] == "door", front

    async def fired():
        return assistant.events.get(number)

    await eventually("the trigger", fired)
    await asyncio.to_thread(world.tell, "close", "front")
    await becomes(assistant, "input_front", "off")
    assert "tappet/kiosk/input/front" in world.kept() and "tappet/kiosk/input/front/event" not in world.kept()


async def scanned(world, assistant):
    """A tap is a scan of its tag, at most 15 ms later than at mosquitto_sub; a foreign tag is none."""
    number = (await assistant.ask("subscribe_events", event_type="tag_scanned"))[1]
    delays = []
    for _ in range(10):
        seen, arrived = len(assistant.events.get(number, [])), len(world.received("home/light"))
        uid = await asyncio.to_thread(world.tap)

        async def both():
            return len(assistant.events.get(number, [])) > seen and len(world.received("home/light")) > arrived

        await eventually("the scan", both)
        time, event = assistant.events[number][-1]
        assert event["data"]["tag_id"] == uid and event["data"]["device_id"], event
        delays.append(time - world.received("home/light")[-1][0])
        await asyncio.to_thread(world.take)
    assert statistics.median(delays) <= SCAN_MAX, f"scans came {statistics.median(delays) * 1000:.0f} ms later"
    before = len(assistant.events[number])
    refused = len(world.received("tappet/kiosk/tap"))
    await asyncio.to_thread(world.tap, world.tag_url(bytes(32)))
    wait_for("the refusal", lambda: len(world.received("tappet/kiosk/tap")) > refused)
    assert '"refused"' in world.received("tappet/kiosk/tap")[-1][2]
    await asyncio.to_thread(world.take)
    assert len(assistant.events[number]) == before
    tap = (await assistant.states())[(await assistant.entities())["tap"]]
    assert tap["attributes"]["event_type"] == "refused" and tap["attributes"]["code"], tap
    assert (await state_of(assistant, "last")).startswith("20")


async def stocked(world, assistant):
    """It shows what is low and what is lent, with the items, and a tap at the shelf; the lists survive its restart."""
    entities = await assistant.entities()
    await becomes(assistant, "low_stock", "off")
    await becomes(assistant, "checked_out", "0")
    await asyncio.to_thread(world.stock)
    await becomes(assistant, "low_stock", "on")

    async def listed():
        low = (await assistant.states())[entities["low_stock"]]["attributes"]
        return low.get("count") == 55 and len(low["items"]) + low["more"] == 55 and low["items"][0]["minimum"] == 5

    await eventually("the low items", listed)
    await asyncio.to_thread(world.tappet, "item", "lend", "Thing 60", "--to", "Ann", "--until", "2024-02-29")
    await becomes(assistant, "checked_out", "1")
    item = (await assistant.states())[entities["checked_out"]]["attributes"]["items"][0]
    assert item["name"] == "Thing 60" and item["person"] == "Ann" and item["overdue"], item
    assert {"tappet/kiosk/inventory/low", "tappet/kiosk/inventory/out"} <= world.kept()
    assert all(len(world.received(f"tappet/kiosk/inventory/{name}")[-1][2].encode()) <= 8192 for name in ("low", "out"))
    await asyncio.to_thread(world.tappet, "box", "edit", "B-1", "--tag", "04b1b2b3b4b5b6")
    await asyncio.to_thread(world.tell, "place", "ntag213", "uid=04b1b2b3b4b5b6", "empty")

    async def shown():
        return (await assistant.states())[entities["inventory_tap"]]["attributes"].get("name") == "Screws"

    await eventually("the tap at the shelf", shown)
    assert "tappet/kiosk/inventory/tap" not in world.kept()
    await asyncio.to_thread(world.take)
    await asyncio.to_thread(world.tappet, "item", "return", "Thing 60")
    await becomes(assistant, "checked_out", "0")


async def triggered(world, assistant):
    """A press at the panel fires the trigger of the device, and the event entity shows it; so does a chord's."""
    device = (await assistant.device())["id"]
    triggers = (await assistant.ask("device_automation/trigger/list", device_id=device))[0]
    mine = [trigger for trigger in triggers if trigger["domain"] == "mqtt"]
    ours = {trigger["type"]: trigger for trigger in mine if trigger["subtype"] == BUTTON}
    assert set(ours) == {"button_short_press", "button_long_press"}, triggers
    assert [trigger["type"] for trigger in mine if trigger["subtype"] == CHORD] == ["button_short_press"], triggers
    trigger = {name: value for name, value in ours["button_short_press"].items() if name != "metadata"}
    assert trigger["subtype"] == BUTTON, trigger
    number = (await assistant.ask("subscribe_trigger", trigger={"platform": "device", **trigger}))[1]
    await asyncio.to_thread(world.tell, "press", BUTTON)
    await asyncio.to_thread(world.tell, "release", BUTTON)

    async def fired():
        return assistant.events.get(number)

    await eventually("the trigger", fired)
    await has_pressed(assistant, "event_")
    await asyncio.to_thread(world.touch, "press", BUTTON, "other")
    await asyncio.to_thread(world.touch, "release", BUTTON, "other")
    await has_pressed(assistant, "chord_")


async def has_pressed(assistant, kind):
    """The event entity of this kind shows a press."""
    key = next(key for key in await assistant.entities() if key.startswith(kind))

    async def shown():
        event = (await assistant.states())[(await assistant.entities())[key]]
        return event["attributes"].get("event_type") == "press"

    await eventually("the event", shown)


async def restarted(world, assistant):
    """After a restart of Home Assistant all is back, no tag is scanned again, and a message that waited comes."""
    before = len(world.received("homeassistant/device/tappet-kiosk/config"))
    entities = await assistant.entities()
    await assistant.stop()
    await asyncio.to_thread(world.tell, "press", BUTTON)
    wait_for("the message to wait", lambda: "code=home-assistant-away" in world.text("kiosk.log"))
    await asyncio.to_thread(world.tell, "release", BUTTON)
    assert not world.received("home/patient")
    await assistant.start()
    number = (await assistant.ask("subscribe_events", event_type="tag_scanned"))[1]
    await becomes(assistant, "reader", "on")
    assert await assistant.entities() == entities
    wait_for("the discovery after the birth",
             lambda: len(world.received("homeassistant/device/tappet-kiosk/config")) > before)
    wait_for("the message that waited", lambda: world.received("home/patient"))
    await pressed(world, assistant)
    assert not assistant.events.get(number)
    assert "tappet/kiosk/tag" not in world.kept() and "tappet/kiosk/tap" not in world.kept()


async def renamed(world, assistant):
    """Renamed by the person, and at the kiosk, an entity stays the same one."""
    entities = await assistant.entities()
    await assistant.ask("config/entity_registry/update", entity_id=entities["switch_pump"],
                        new_entity_id="switch.my_pump", name="My pump")
    world.reload(title="Call somebody", name="Entrance")

    async def known():
        state = (await assistant.states())[entities["action_bell"]]
        device = await assistant.device()
        return "Call somebody" in state["attributes"]["friendly_name"] and device["name"] == "Entrance"

    await eventually("the new names", known)
    assert await assistant.entities() == {**entities, "switch_pump": "switch.my_pump"}
    await assistant.call("switch", "turn_on", "switch.my_pump")
    wait_for("the output", lambda: world.levels("pump")[-1:] == [True])


async def removed(world, assistant):
    """An output that is configured away is gone from Home Assistant, and so is its level from the broker."""
    world.reload(title="Call somebody", name="Entrance", outputs=("door",))

    async def gone():
        return "switch_pump" not in await assistant.entities()

    await eventually("the end of the switch", gone)
    assert "lock_door" in await assistant.entities()
    wait_for("the end of its level", lambda: "tappet/kiosk/output/pump" not in world.kept())


async def cleared(world, assistant):
    """Without an inventory, its entities are gone, and so are its lists at the broker."""
    world.reload(title="Call somebody", name="Entrance", outputs=("door",), inventory=False)

    async def gone():
        return not STOCK & set(await assistant.entities())

    await eventually("the end of the inventory", gone)
    wait_for("the end of its lists", lambda: not {topic for topic in world.kept() if "/inventory/" in topic})
    assert "lock_door" in await assistant.entities()


async def configured_away(world, assistant):
    """Without its part of the configuration, the kiosk leaves nothing behind."""
    world.reload(outputs=("door",), assistant=False, inventory=False)

    async def gone():
        return not await assistant.device() and not await assistant.entities()

    await eventually("the end of the device", gone)
    wait_for("the end of all topics", lambda: world.kept() == {"tappet/kiosk/status"})


async def without_warning(world, assistant):
    """Home Assistant's MQTT integration has not warned of anything."""
    await assistant.stop()
    assert assistant.logs and not assistant.warnings(), "\n".join(assistant.warnings())


STEPS = [found, pressed, switched, watched, unlocked, scanned, stocked, triggered, restarted, renamed, removed, cleared,
         configured_away, without_warning]
