// The program's entry: what it was asked for, and the order of its life. It decides nothing about tags.

import CPlatform
import TappetCore

/// Why the program ended, as its exit status.
enum ExitStatus {
  /// Its parent let go of it, or it was told to end.
  static let finished: Int32 = 0
  /// The device cannot be used; `lost` was sent.
  static let deviceLost: Int32 = 1
  /// It was called in a way that it does not understand.
  static let usage: Int32 = 2
}

/// The program's entry, called by main.c.
@_cdecl("tappet_reader_main")
public func tappet_reader_main(
  _ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  tp_open_standard_descriptors()
  switch Invocation(words(count, arguments)) {
  case .help:
    write(Invocation.helpText, to: STDOUT_FILENO)
    return ExitStatus.finished
  case .version:
    write("tappet-reader, protocol \(ReaderMessage.protocolVersion)\n", to: STDOUT_FILENO)
    return ExitStatus.finished
  case .mistake(let what):
    write("tappet-reader: \(what)\n\(Invocation.purpose)", to: STDERR_FILENO)
    return ExitStatus.usage
  case .serve(let socket, let device):
    return serve(socket: socket, device: device)
  }
}

/// Serves the parent at the other end of `socket` until the parent, a signal or the device ends it.
private func serve(socket: Int32, device: String?) -> Int32 {
  guard ProcessSetup.isPacketSocket(socket) else {
    write("tappet-reader: descriptor \(socket) is no SOCK_SEQPACKET socket\n\(Invocation.purpose)", to: STDERR_FILENO)
    return ExitStatus.usage
  }
  ProcessSetup.giveUpPrivileges()
  ProcessSetup.silenceLibraries()
  let parent = ParentLink(socket: socket, signals: ProcessSetup.catchTermination())
  do throws(DeviceTrouble) {
    let reader = try NFCDevice(connstring: device)
    defer { reader.close() }
    // Drivers of USB devices look into /sys later too; those behind a device file have all they need.
    if reader.isDeviceFile { Sandbox.close() }
    var polling = Polling(device: reader, parent: parent)
    try polling.run()
    return ExitStatus.finished
  } catch {
    _ = parent.send(.lost(error.fault, code: error.code))
    return ExitStatus.deviceLost
  }
}

/// The command line behind the program's name.
private func words(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> [String] {
  guard let arguments, count > 1 else { return [] }
  return (1..<Int(count)).compactMap { index in arguments[index].map { String(cString: $0) } }
}

/// Writes all of `text`, as far as anybody takes it.
private func write(_ text: String, to descriptor: Int32) {
  let bytes = Array(text.utf8)
  _ = bytes.withUnsafeBytes { CPlatform.write(descriptor, $0.baseAddress, $0.count) }
}
