// A panel without wires: lights and buttons over a socket, as tappet-sim plays them.
// One datagram a message: `light NAME NANOSECONDS` to the panel, `press LINE` and `release LINE` from it.

import TappetCore

/// A connection to a virtual panel.
///
/// One thread.
public final class VirtualPanel {
  private let socket: LocalSocket

  /// Connects to the panel that listens at `path`.
  public init(path: String) throws(SystemError) { socket = try LocalSocket.connect(to: path) }

  /// For the reactor.
  public var fileDescriptor: Int32 { socket.fileDescriptor }

  /// Shows a light; false when the panel is gone.
  public func show(_ light: Light, at now: Instant) -> Bool {
    socket.send(Array("light \(light.name) \(now.nanoseconds)".utf8))
  }

  /// What the panel said.
  public enum Receipt: Hashable, Sendable {
    case pressed(line: String)
    case released(line: String)
    case nothing
    case closed
  }

  /// The next word from the panel, without waiting.
  ///
  /// What is no word is passed over.
  public func receive() -> Receipt {
    while true {
      switch socket.receive(sizeMax: Limits.panelMessageSizeMax) {
      case .nothing: return .nothing
      case .closed: return .closed
      case .message(let bytes):
        let words = bytes.split(separator: UInt8(ascii: " "))
        guard words.count == 2, let line = String(validating: words[1], as: UTF8.self) else { continue }
        if words[0].elementsEqual("press".utf8) { return .pressed(line: line) }
        if words[0].elementsEqual("release".utf8) { return .released(line: line) }
      }
    }
  }
}
