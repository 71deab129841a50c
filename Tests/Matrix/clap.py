"""A Synapse module that plays the endpoints which remove somebody from a space, or let somebody in, in one request.
While the file that `switch` names exists, they are not there."""
import os

from synapse.api.errors import LimitExceededError, UnrecognizedRequestError
from synapse.http.servlet import parse_json_object_from_request
from synapse.module_api import DirectServeJsonResource


class Clap:
    def __init__(self, config, api):
        api.register_web_resource("/_clap/client/v1/spaces", Spaces(api, config["switch"]))


class Spaces(DirectServeJsonResource):
    isLeaf = True

    def __init__(self, api, switch):
        super().__init__()
        self.api, self.switch = api, switch

    async def _async_render_POST(self, request):
        if os.path.exists(self.switch):
            raise UnrecognizedRequestError(code=404)
        sender = (await self.api.get_user_by_req(request)).user.to_string()
        body = parse_json_object_from_request(request, allow_empty_body=True)
        space, word = (part.decode() for part in request.postpath)
        joins = word == "join-all"
        target = sender if joins else body["user_id"]
        done, failed = [], []
        for _, room in await self.api.get_room_state(space, [("m.space.child", None)]):
            try:
                await self.change(sender, target, room, "join" if joins else "leave")
                done.append(room)
            except Exception as error:  # noqa: BLE001
                failed.append({"room_id": room, "error": str(error)})
        return 200, {"joined" if joins else "removed": done, "failed": failed}

    async def change(self, sender, target, room, membership):
        """An endpoint for all rooms does not fail because its own requests are limited."""
        while True:
            try:
                return await self.api.update_room_membership(sender, target, room, membership)
            except LimitExceededError as error:
                await self.api.sleep((error.retry_after_ms or 100) / 1000)
