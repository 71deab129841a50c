// Why a line of the panel is unavailable, or was lost: facts, for which TappetMessages has the sentences.

/// A failure of one line, which leaves the panel's other lines as they are.
package indirect enum GPIOFault: Error, Hashable, Sendable {
  /// The machine has no GPIO chip at all.
  case noChips
  /// No chip has this label or path; it may be a USB expander that is not plugged in.
  case noChip(String)
  /// Several chips have this label.
  case ambiguousChip(String, count: Int)
  /// No chip has a line with this name.
  case noSuchLine
  /// The chip has no line at this offset, only `count` lines from 0.
  case noSuchOffset(chip: String, offset: UInt32, count: UInt32)
  /// An offset needs a chip, and neither the line nor the panel names one.
  case chipNotNamed
  /// Several lines have this name, and no chip is given.
  case ambiguous(count: Int)
  /// The profile's pin cannot be used.
  case wrongPin(PinFault)
  /// Two entries of the panel mean the same line; this is the later one.
  case listedTwice
  /// Another user has the line; `consumer` is that user's name in the kernel, empty when there is none.
  case busy(consumer: String)
  /// This user may not open the chip's node.
  case noPermission(path: String)
  /// The chip cannot report changes of an input: it has no interrupt.
  case noEdges
  /// The chip's driver does not support the requested bias or drive.
  case notSupported
  /// The chip went away while the line was in use.
  case chipGone
  /// Another failure of the system, by its errno.
  case system(code: Int32)

  /// Why a pin of the header cannot be used as a line.
  package enum PinFault: Hashable, Sendable {
    /// There is no profile, which pins require.
    case noProfile
    /// The header has no such pin; the number of its last one.
    case beyondHeader(last: Int)
    /// It carries no line, but power, ground or nothing: `3V3`, `GND`.
    case notALine(String)
    /// It has a line, but the board itself uses it for this purpose.
    case reserved(String)
  }

  /// Whether the failure can pass by itself: a chip is plugged in, a program ends, a permission is given.
  ///
  /// The others need another configuration.
  package var mayPass: Bool {
    switch self {
    case .noChips, .noChip, .noSuchLine, .busy, .noPermission, .chipGone, .system: true
    case .ambiguousChip, .noSuchOffset, .chipNotNamed, .ambiguous, .wrongPin, .listedTwice, .noEdges, .notSupported:
      false
    }
  }
}

extension GPIOFault {
  /// Whether it only means that something is missing.
  package var meansAbsence: Bool {
    switch self {
    case .noChips, .noChip, .noSuchLine: true
    case .ambiguousChip, .noSuchOffset, .chipNotNamed, .ambiguous, .wrongPin, .listedTwice, .busy, .noPermission,
      .noEdges, .notSupported, .chipGone, .system:
      false
    }
  }
}

/// A line of the panel, by its place in the lists from which the panel was made.
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
  /// `isActive` is its level now; with `debouncesItself` the kernel does the requested debouncing.
  case opened(line: GPIOLineID, isActive: Bool, debouncesItself: Bool)
  /// An input has changed, at the kernel's own time.
  case edge(input: Int, isActive: Bool, at: Instant)
  /// Edges came faster than they were read, and the newest may be lost; the input's level since.
  case edgesLost(input: Int, isActive: Bool, at: Instant)
  /// The line is unavailable, or was lost.
  case failed(line: GPIOLineID, GPIOFault)
}

extension LineAddress {
  /// The line as sentences name it: `GPIO17`, `pin 11`, `line 17 of pinctrl-rp1`.
  package var text: String {
    switch self {
    case .name(let name): return name
    case .pin(let number): return "pin " + String(number)
    case .offset(let chip, let offset): return "line " + String(offset) + (chip.map { " of " + $0 } ?? "")
    }
  }
}
