// Probes a server that is not a broker: the first bytes that it sends identify its protocol.

import CPlatform
import TappetBase

/// Identifies the protocol that a server speaks by the first bytes that it sends.
package enum ProtocolProbe {
  /// Connects to a numeric address, sends `greeting`, and returns the first bytes received; `nil` if no server is
  /// listening.
  ///
  /// Waits at most `Limits.probeStepMax` for each step; an empty result means that nothing was received.
  @export(interface)
  package static func firstWords(address: String, port: UInt16, greeting: [UInt8]) -> [UInt8]? {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, String(port), &hints, &found) == 0, let found else { return nil }
    defer { freeaddrinfo(found) }
    guard let socket = connected(found.pointee) else { return nil }
    try? socket.write(greeting)
    guard Poll.wait(socket.number, limit: Limits.probeStepMax) != [] else { return [] }
    return (try? socket.read(sizeMax: 128)) ?? []
  }

  private static func connected(_ entry: addrinfo) -> FileDescriptor? {
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard let socket = try? FileDescriptor.make("socket", { CPlatform.socket(entry.ai_family, kind, 0) }) else {
      return nil
    }
    do throws(SystemError) {
      try checked("connect") { connect(socket.number, entry.ai_addr, entry.ai_addrlen) }
    } catch {
      guard error.code == EINPROGRESS,
        Poll.wait(socket.number, for: .writable, limit: Limits.probeStepMax).contains(.writable)
      else { return nil }
    }
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(socket.number, SOL_SOCKET, SO_ERROR, &code, &size)
    return code == 0 ? socket : nil
  }
}
