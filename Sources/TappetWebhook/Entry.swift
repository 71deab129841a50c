// The program's entry point. The program sends requests for its parent, the kiosk, reports their outcomes, and makes no
// decisions.

import CPlatform
import TappetCore
import TappetPlatform

/// The exit statuses of tappet-webhook and tappet-matrix.
package enum ExitStatus {
  /// The parent closed the socket.
  package static let finished: Int32 = 0
  /// libcurl cannot be used.
  package static let unusable: Int32 = 1
  /// The command line was invalid.
  package static let usage: Int32 = 2
}

private let purpose = """
  tappet-webhook is the part of Tappet that sends webhooks. It is started by 'tappet run'.

  usage: tappet-webhook --socket FD

    --socket FD    FD is the SOCK_SEQPACKET socket to its parent
    --version      print the protocol's version
    --help         print this help

  Exit status: 0 the parent closed the socket, 1 libcurl cannot be used, 2 usage error.

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
  options.add("help", "h")
  options.add("version", "V")
  switch options.next(count, arguments) {
  case .option("h", _):
    put(purpose, to: tp_stdout())
    return ExitStatus.finished
  case .option("V", _):
    put("tappet-webhook, protocol \(WebhookMessage.protocolVersion)\n", to: tp_stdout())
    return ExitStatus.finished
  case .option("s", let value):
    guard let number = Int32(value), let parent = UnixSocket.toParent(number) else {
      return refuse("descriptor '\(value)' is not a SOCK_SEQPACKET socket")
    }
    return serve(parent)
  case .option, .operand, .unknown, .missingValue, .end: return refuse("--socket is missing")
  }
}

private func serve(_ parent: UnixSocket) -> Int32 {
  guard let client = HTTPClient.inSandbox() else { return ExitStatus.unusable }
  WebhookService(parent: parent, client: client).run()
  return ExitStatus.finished
}

extension HTTPClient {
  /// Gives up the process's privileges, and creates its client; `nil` if libcurl cannot be used.
  @export(interface)
  package static func inSandbox() -> HTTPClient? {
    Sandbox.begin()
    LibCrypto.omitErrorTexts()
    return HTTPClient()
  }
}

private func refuse(_ text: String) -> Int32 {
  put("tappet-webhook: \(text)\n\(purpose)", to: tp_stderr())
  return ExitStatus.usage
}

private func put(_ text: String, to stream: UnsafeMutablePointer<FILE>?) {
  var text = text
  text.withUTF8 { tp_put(stream, $0.baseAddress, $0.count) }
}
