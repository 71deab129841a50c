// A panel without wires: lights and buttons emulated by tappet-sim over a socket. Each datagram is one message (see
// docs/formats.md, "Virtual panel"): `button BUTTON`, `input INPUT`, `light NAME NANOSECONDS` and
// `level OUTPUT 0|1 NANOSECONDS` to the panel, `pressed NANOSECONDS BUTTON`, `released NANOSECONDS BUTTON`,
// `opened NANOSECONDS INPUT` and `closed NANOSECONDS INPUT` from the panel, or `press BUTTON` and `release BUTTON` from
// one that has no clock.

import TappetCore
import TappetPlatform

/// A connection to a virtual panel; confined to one thread.
package final class VirtualPanel {
  private let socket: UnixSocket
  /// The inputs whose level the panel has stated on this connection.
  package var statedInputs: Set<Int> = []

  /// Connects to the panel that listens at `path`.
  package convenience init(path: String) throws(SystemError) { self.init(try UnixSocket.connect(to: path)) }

  private init(_ socket: UnixSocket) { self.socket = socket }

  /// The connection's descriptor, for the reactor.
  package var fileDescriptor: Int32 { socket.fileDescriptor }

  /// Announces a button by its name in the configuration, so that the panel can refuse presses of others.
  package func announce(button: String) { _ = socket.send(Array("button \(button)".utf8)) }

  /// Announces an input by its name in the configuration; the panel answers with its level.
  package func announce(input: String) { _ = socket.send(Array("input \(input)".utf8)) }

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
    /// The button's contact changed, at this time if the panel has a clock.
    case edge(button: String, isPressed: Bool, at: Instant?)
    /// The input has this level, which lasts.
    case level(input: String, isOpen: Bool, at: Instant)
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
        if let edge = VirtualPanel.edge(bytes) { return edge }
      }
    }
  }

  private static func edge(_ bytes: [UInt8]) -> Receipt? {
    guard let (verb, rest) = parts(bytes[...]) else { return nil }
    switch verb {
    case "press", "release":
      return String(validating: rest, as: UTF8.self).map { .edge(button: $0, isPressed: verb == "press", at: nil) }
    case "pressed", "released", "opened", "closed":
      guard let (time, name) = parts(rest), let nanoseconds = Int64(time),
        let name = String(validating: name, as: UTF8.self)
      else { return nil }
      let instant = Instant(nanoseconds: nanoseconds)
      if verb == "opened" || verb == "closed" { return .level(input: name, isOpen: verb == "opened", at: instant) }
      return .edge(button: name, isPressed: verb == "pressed", at: instant)
    case _: return nil
    }
  }

  /// Returns the word before the first blank, and the rest.
  private static func parts(_ bytes: ArraySlice<UInt8>) -> (word: String, rest: ArraySlice<UInt8>)? {
    guard let space = bytes.firstIndex(of: UInt8(ascii: " ")),
      let word = String(validating: bytes[bytes.startIndex..<space], as: UTF8.self)
    else { return nil }
    return (word, bytes[(space + 1)...])
  }
}
