// The program's entry point. The program sends requests for its parent, the kiosk, reports their outcomes, and makes no
// decisions.

import CPlatform
import TappetCore
import TappetPlatform
import TappetRooms

/// The program's exit statuses.
enum ExitStatus {
  /// The parent closed the socket.
  static let finished: Int32 = 0
  /// libcurl cannot be used.
  static let unusable: Int32 = 1
  /// The command line was invalid.
  static let usage: Int32 = 2
  /// The session, or another file that is read at the start, was unusable.
  static let needsSuccessor = ProcessEnd.needsSuccessor
}

private let purpose = """
  tappet-webhook is the part of Tappet that sends webhooks and reads messages in rooms. It is started by 'tappet run'.

  usage: tappet-webhook --socket FD
         tappet-webhook --listen FD

    --socket FD    send webhooks; FD is the SOCK_SEQPACKET socket to its parent
    --listen FD    listen in rooms
    --version      print the protocol's version
    --help         print this help

  Exit status: 0 the parent closed the socket, 1 libcurl cannot be used, 2 usage error, 3 the session, or
  another file that is read at the start, was unusable.

  """

/// Runs the program; called by main.c.
@_cdecl("tappet_webhook_main")
package func tappet_webhook_main(
  _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  tp_open_standard_descriptors()
  guard let arguments else { return ExitStatus.usage }
  var options = LongOptions()
  options.add("socket", "s", takesValue: true)
  options.add("listen", "l", takesValue: true)
  options.add("help", "h")
  options.add("version", "V")
  switch options.next(count, arguments) {
  case .option("h", _):
    put(purpose, to: tp_stdout())
    return ExitStatus.finished
  case .option("V", _):
    put("tappet-webhook, protocol \(WebhookMessage.protocolVersion)\n", to: tp_stdout())
    return ExitStatus.finished
  case .option(let letter, let value) where letter == "s" || letter == "l":
    guard let number = Int32(value), let parent = UnixSocket.toParent(number) else {
      return refuse("descriptor '\(value)' is not a SOCK_SEQPACKET socket")
    }
    return serve(parent, listens: letter == "l")
  case .option, .operand, .unknown, .missingValue, .end: return refuse("--socket is missing")
  }
}

private func serve(_ parent: UnixSocket, listens: Bool) -> Int32 {
  Sandbox.begin()
  LibCrypto.omitErrorTexts()
  guard let client = HTTPClient() else { return ExitStatus.unusable }
  if listens { return RoomListener(parent: parent, client: client, nil).run() }
  let service = WebhookService(parent: parent, client: client)
  service.run()
  return ExitStatus.finished
}

/// Listens to rooms, including encrypted rooms; returns the exit status once the parent is gone or the session has
/// ended.
@export(interface)
package func listen(_ parent: UnixSocket, _ cipher: any RoomCipher) -> Int32 {
  Sandbox.begin()
  LibCrypto.omitErrorTexts()
  guard let client = HTTPClient() else { return ExitStatus.unusable }
  return RoomListener(parent: parent, client: client, cipher).run()
}

private func refuse(_ text: String) -> Int32 {
  put("tappet-webhook: \(text)\n\(purpose)", to: tp_stderr())
  return ExitStatus.usage
}

private func put(_ text: String, to stream: UnsafeMutablePointer<FILE>?) {
  var text = text
  text.withUTF8 { tp_put(stream, $0.baseAddress, $0.count) }
}
