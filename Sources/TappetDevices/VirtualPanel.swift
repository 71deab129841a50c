// A panel without wires: lights and buttons over a socket, as tappet-sim plays them. One datagram a message:
// `light NAME NANOSECONDS` and `level OUTPUT 0|1 NANOSECONDS` to the panel, `press BUTTON` and `release BUTTON` from it.

import TappetCore

/// A connection to a virtual panel.
///
/// One thread.
public final class VirtualPanel {
  private let socket: LocalSocket

  /// Connects to the panel that listens at `path`.
  public convenience init(path: String) throws(SystemError) { self.init(try LocalSocket.connect(to: path)) }

  private init(_ socket: LocalSocket) { self.socket = socket }

  /// For the reactor.
  public var fileDescriptor: Int32 { socket.fileDescriptor }

  /// Shows a light; false when the panel is gone.
  public func show(_ light: Light, at now: Instant) -> Bool {
    socket.send(Array("light \(light.name) \(now.nanoseconds)".utf8))
  }

  /// Sets an output, by its name in the configuration; false when the panel is gone.
  public func set(_ output: String, isOn: Bool, at now: Instant) -> Bool {
    socket.send(Array("level \(output) \(isOn ? "1" : "0") \(now.nanoseconds)".utf8))
  }

  /// What the panel said.
  public enum Receipt: Hashable, Sendable {
    case pressed(button: String)
    case released(button: String)
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
        guard let space = bytes.firstIndex(of: UInt8(ascii: " ")),
          let button = String(validating: bytes[(space + 1)...], as: UTF8.self)
        else { continue }
        if bytes[..<space].elementsEqual("press".utf8) { return .pressed(button: button) }
        if bytes[..<space].elementsEqual("release".utf8) { return .released(button: button) }
      }
    }
  }
}
