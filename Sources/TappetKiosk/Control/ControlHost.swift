// The control socket and its pending requests.

import TappetCore

/// The control socket and its pending requests.
struct ControlHost {
  /// Server of the control socket; `nil` before the kiosk is started.
  var server: ControlServer?
  /// Clients waiting for entries to be dropped; the store replies in the order of the requests.
  var drops: [OutboxRequester] = []
  /// Clients waiting for entries to be sent again; the store replies in the order of the requests.
  var retries: [ControlServer.Client] = []
  /// The first reply to a command that was received on the control socket.
  var commandReply: CommandReply?
  /// The tag job in progress.
  var tagJob: HostedTagJob?
}
