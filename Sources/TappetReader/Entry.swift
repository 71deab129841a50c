// The program's entry point: command line, setup and shutdown. It makes no decisions about tags.

import CPlatform
import TappetTag
import TappetPlatform

/// The program's exit statuses.
enum ExitStatus {
  /// The parent closed the socket, or termination was requested.
  static let finished: Int32 = 0
  /// The device cannot be used; `lost` was sent.
  static let deviceLost: Int32 = 1
  /// The command line was invalid.
  static let usage: Int32 = 2
}

/// Runs the program; called by main.c.
@_cdecl("tappet_reader_main")
package func tappet_reader_main(
  _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  tp_open_standard_descriptors()
  guard let arguments else { return ExitStatus.usage }
  switch CommandLineOptions(count, arguments) {
  case .help:
    put(CommandLineOptions.helpText, to: tp_stdout())
    return ExitStatus.finished
  case .version:
    put("tappet-reader, protocol \(ReaderMessage.protocolVersion)\n", to: tp_stdout())
    return ExitStatus.finished
  case .mistake(let text): return printUsageError(text)
  case .serve(let socket, let device):
    guard let parent = UnixSocket.toParent(socket) else { return printSocketError(socket) }
    return serve(parent, device: device)
  case .list(let socket):
    guard let parent = UnixSocket.toParent(socket) else { return printSocketError(socket) }
    return list(to: parent)
  }
}

/// Sends the connection string of each device in a separate packet.
private func list(to parent: UnixSocket) -> Int32 {
  ProcessSetup.giveUpPrivileges()
  ProcessSetup.silenceLibraries()
  Sandbox.detach()
  for device in NFCDevice.list(countMax: Limits.readersListedMax) { _ = parent.send(Array(device.utf8)) }
  return ExitStatus.finished
}

/// Serves the parent on `socket` until the parent closes it, a signal requests termination, or the device fails.
private func serve(_ socket: UnixSocket, device: String?) -> Int32 {
  ProcessSetup.giveUpPrivileges()
  ProcessSetup.silenceLibraries()
  Sandbox.detach()
  guard let signals = try? ProcessSetup.catchTermination() else { return ExitStatus.deviceLost }
  let parent = ParentChannel(socket: socket, signals: signals)
  do throws(DeviceError) {
    let reader = try NFCDevice(connstring: device)
    defer { reader.close() }
    Sandbox.close()
    var loop = PollLoop(device: reader, parent: parent)
    try loop.run()
    return ExitStatus.finished
  } catch {
    _ = parent.send(.lost(error.fault, code: error.code))
    return ExitStatus.deviceLost
  }
}

private func printSocketError(_ socket: Int32) -> Int32 {
  printUsageError("descriptor \(socket) is not a SOCK_SEQPACKET socket")
}

private func printUsageError(_ text: String) -> Int32 {
  put("tappet-reader: \(text)\n\(CommandLineOptions.purpose)", to: tp_stderr())
  return ExitStatus.usage
}

private func put(_ text: String, to stream: UnsafeMutablePointer<FILE>?) {
  var text = text
  text.withUTF8 { tp_put(stream, $0.baseAddress, $0.count) }
}
