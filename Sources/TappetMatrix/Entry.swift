// The program's entry point. The program writes and listens in rooms for its parent, the kiosk, and makes no decisions.

import CPlatform
import TappetCore
import TappetPlatform
import TappetWebhook

private let purpose = """
  tappet-matrix is the part of Tappet that writes and reads in Matrix rooms. It is started by 'tappet run'.

  usage: tappet-matrix --socket FD

    --socket FD    FD is the SOCK_SEQPACKET socket to its parent
    --version      print the protocol's version
    --help         print this help

  Exit status: 0 the parent closed the socket, 1 libcurl cannot be used, 2 usage error, 3 the session, or
  another file that is read at the start, was unusable.

  """

/// Runs the program; called by main.c.
@_cdecl("tappet_matrix_main")
package func tappet_matrix_main(
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
    put("tappet-matrix, protocol \(RoomMessage.protocolVersion)\n", to: tp_stdout())
    return ExitStatus.finished
  case .option("s", let value):
    guard let number = Int32(value), let parent = UnixSocket.toParent(number) else {
      return refuse("descriptor '\(value)' is not a SOCK_SEQPACKET socket")
    }
    guard let client = HTTPClient.inSandbox() else { return ExitStatus.unusable }
    return RoomService(parent: parent, client: client).run()
  case .option, .operand, .unknown, .missingValue, .end: return refuse("--socket is missing")
  }
}

private func refuse(_ text: String) -> Int32 {
  put("tappet-matrix: \(text)\n\(purpose)", to: tp_stderr())
  return ExitStatus.usage
}

private func put(_ text: String, to stream: UnsafeMutablePointer<FILE>?) {
  var text = text
  text.withUTF8 { tp_put(stream, $0.baseAddress, $0.count) }
}
