// The control socket and the requests over it that are not answered yet.

import TappetCore

/// The control socket and the requests that still have to be answered.
struct ControlHost {
  /// `nil` before the kiosk was started.
  var server: ControlServer?
  /// Clients that wait for entries to be dropped; the store answers in the order of the requests.
  var drops: [OutboxRequester] = []
  /// The first reply to a command that came from the control socket.
  var commandReply: CommandReply?
  /// Jobs for tags, and who waits for one.
  var tags = TagJobHost()
}
