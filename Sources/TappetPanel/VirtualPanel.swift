// A panel without wires: lights and buttons emulated by tappet-sim over a socket. Each datagram is one message (see
// docs/formats.md, "Virtual panel"): `light NAME NANOSECONDS` and `level OUTPUT 0|1 NANOSECONDS` to the panel, `press
// BUTTON` and `release BUTTON` from the panel.

import TappetCore
import TappetPlatform

/// A connection to a virtual panel; confined to one thread.
package final class VirtualPanel {
  private let socket: UnixSocket

  /// Connects to the panel that listens at `path`.
  package convenience init(path: String) throws(SystemError) { self.init(try UnixSocket.connect(to: path)) }

  private init(_ socket: UnixSocket) { self.socket = socket }

  /// The connection's descriptor, for the reactor.
  package var fileDescriptor: Int32 { socket.fileDescriptor }

  /// Shows a light; returns false if the panel is gone.
  package func show(_ light: Light, at now: Instant) -> Bool {
    socket.send(Array("light \(light.name) \(now.nanoseconds)".utf8))
  }

  /// Sets an output by its name in the configuration; returns false if the panel is gone.
  package func set(_ output: String, isOn: Bool, at now: Instant) -> Bool {
    socket.send(Array("level \(output) \(isOn ? "1" : "0") \(now.nanoseconds)".utf8))
  }

  /// The result of receiving a message.
  package enum Receipt: Hashable, Sendable {
    case pressed(button: String)
    case released(button: String)
    case nothing
    case closed
  }

  /// Returns the panel's next message without blocking; malformed messages are skipped.
  @export(interface)
  package func receive() -> Receipt {
    while true {
      switch socket.receive(sizeMax: Limits.panelMessageSizeMax) {
      case .nothing: return .nothing
      case .closed: return .closed
      case .message(let bytes):
        guard let space = bytes.firstIndex(of: UInt8(ascii: " ")),
          let button = String(validating: bytes[(space + 1)...], as: UTF8.self)
        else { continue }
        if bytes[..<space].elementsEqual("press".utf8) { return .pressed(button: button) }
        if bytes[..<space].elementsEqual("release".utf8) { return .released(button: button) }
      }
    }
  }
}
