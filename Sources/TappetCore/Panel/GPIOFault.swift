// Faults and events of the panel's GPIO lines, as data; TappetMessages contains the text for each of them.

/// A failure of one line, which does not affect the panel's other lines.
package indirect enum GPIOFault: Error, Hashable, Sendable {
  /// The machine has no GPIO chip.
  case noChips
  /// No chip has this label or path; for example, a USB expander is not plugged in.
  case noChip(String)
  /// Several chips have this label.
  case ambiguousChip(String, count: Int)
  /// No chip has a line with this name.
  case noSuchLine
  /// The chip has no line at this offset; it has `count` lines, numbered from 0.
  case noSuchOffset(chip: String, offset: UInt32, count: UInt32)
  /// An offset requires a chip, but neither the line nor the panel specifies a chip.
  case chipNotNamed
  /// Several lines have this name, and no chip is specified.
  case ambiguous(count: Int)
  /// The profile's pin cannot be used.
  case wrongPin(PinFault)
  /// Two entries of the panel use the same line; the fault belongs to the later entry.
  case listedTwice
  /// The line is in use; `consumer` is the consumer's name in the kernel, or empty.
  case busy(consumer: String)
  /// The kiosk's user is not permitted to open the chip's device node.
  case noPermission(path: String)
  /// The chip cannot report input changes, because it has no interrupt.
  case noEdges
  /// The chip's driver does not support the requested bias or drive.
  case notSupported
  /// The chip was removed while the line was in use.
  case chipGone
  /// Any other system error, as an errno.
  case system(code: Int32)

  /// The reason why a pin of the header cannot be used as a line.
  package enum PinFault: Hashable, Sendable {
    /// The configuration specifies pins without a board profile.
    case noProfile
    /// The pin's number exceeds that of the header's last pin.
    case beyondHeader(last: Int)
    /// The pin is not connected to a line: `3V3`, `GND`.
    case notALine(String)
    /// The board itself uses the pin's line for this purpose.
    case reserved(String)
  }

  /// Whether the failure may be temporary; it may end when a chip is plugged in, a program exits or access is granted.
  ///
  /// All other failures require a change of the configuration.
  package var mayPass: Bool {
    switch self {
    case .noChips, .noChip, .noSuchLine, .busy, .noPermission, .chipGone, .system: true
    case .ambiguousChip, .noSuchOffset, .chipNotNamed, .ambiguous, .wrongPin, .listedTwice, .noEdges, .notSupported:
      false
    }
  }
}

extension GPIOFault {
  /// Whether the failure only means that a chip or line does not exist.
  package var meansAbsence: Bool {
    @export(interface) get {
      switch self {
      case .noChips, .noChip, .noSuchLine: true
      case .ambiguousChip, .noSuchOffset, .chipNotNamed, .ambiguous, .wrongPin, .listedTwice, .busy, .noPermission,
        .noEdges, .notSupported, .chipGone, .system:
        false
      }
    }
  }
}

/// A line of the panel, identified by its index in the panel's list of buttons or lights.
package enum GPIOLineID: Hashable, Sendable {
  /// The button with this index.
  case input(Int)
  /// The light with this index.
  case output(Int)
}

/// An event on one of the panel's lines.
package enum GPIOEvent: Hashable, Sendable {
  /// The line was requested.
  ///
  /// `isActive` is its current level; with `debouncesItself`, the kernel performs the requested debouncing.
  case opened(line: GPIOLineID, isActive: Bool, debouncesItself: Bool)
  /// An input has changed; the timestamp is the kernel's.
  case edge(input: Int, isActive: Bool, at: Instant)
  /// Edges occurred faster than they were read, and the latest may be lost; `isActive` is the input's current level.
  case edgesLost(input: Int, isActive: Bool, at: Instant)
  /// The line is unavailable, or was lost.
  case failed(line: GPIOLineID, GPIOFault)
}

extension LineAddress {
  /// The line's name for use in messages: `GPIO17`, `pin 11`, `line 17 of pinctrl-rp1`.
  package var text: String {
    switch self {
    case .name(let name): return name
    case .pin(let number): return "pin " + String(number)
    case .offset(let chip, let offset): return "line " + String(offset) + (chip.map { " of " + $0 } ?? "")
    }
  }
}
