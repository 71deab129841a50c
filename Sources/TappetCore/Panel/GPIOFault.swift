// Why a line of the panel cannot be had, or was lost: facts, which the runtime puts into a sentence.

/// What is wrong with one line.
///
/// Each leaves the panel's other lines as they are.
public indirect enum GPIOFault: Error, Hashable, Sendable {
  /// The machine has no GPIO chip at all.
  case noChips
  /// No chip has this label or path; it may be a USB expander that is not plugged in.
  case noChip(String)
  /// Several chips have this label.
  case ambiguousChip(String, count: Int)
  /// No chip has a line of this name.
  case noSuchLine
  /// The chip has no line at this offset, only `count` lines from 0.
  case noSuchOffset(chip: String, offset: UInt32, count: UInt32)
  /// An offset needs a chip, and neither the line nor the panel names one.
  case chipNotNamed
  /// Several lines have this name, and nothing says on which chip.
  case ambiguous(count: Int)
  /// The profile's pin cannot serve.
  case wrongPin(PinFault)
  /// Two entries of the panel mean the same line; this is the later one.
  case listedTwice
  /// Somebody has it; `consumer` is what the kernel calls it, empty when it says nothing.
  case busy(consumer: String)
  /// The chip's node may not be opened by this user.
  case noPermission(path: String)
  /// The chip cannot tell when an input changes: it has no interrupt.
  case noEdges
  /// The chip's driver cannot do what was asked: bias, drive.
  case notSupported
  /// The chip went away while the line was in use.
  case chipGone
  /// Another failure of the system's, by its errno.
  case system(code: Int32)

  /// Why a pin of the header cannot be a line.
  public enum PinFault: Hashable, Sendable {
    /// Pins mean something only with a profile.
    case noProfile
    /// The header has no such pin; its last one.
    case beyondHeader(last: Int)
    /// It carries power, ground or nothing: `3V3`, `GND`.
    case notALine(String)
    /// It has a line, but the board itself needs it for this.
    case reserved(String)
  }

  /// Whether the line can come by itself: a chip plugged in, a program that ends, a permission given.
  ///
  /// The others need another configuration.
  public var mayPass: Bool {
    switch self {
    case .noChips, .noChip, .noSuchLine, .busy, .noPermission, .chipGone, .system: true
    case .ambiguousChip, .noSuchOffset, .chipNotNamed, .ambiguous, .wrongPin, .listedTwice, .noEdges, .notSupported:
      false
    }
  }
}

extension GPIOFault {
  /// Whether it says only that something is not there.
  public var meansAbsence: Bool {
    switch self {
    case .noChips, .noChip, .noSuchLine: true
    case .ambiguousChip, .noSuchOffset, .chipNotNamed, .ambiguous, .wrongPin, .listedTwice, .busy, .noPermission,
      .noEdges, .notSupported, .chipGone, .system:
      false
    }
  }
}

/// One line of the panel, by its place in the lists that the panel was made of.
public enum GPIOLineID: Hashable, Sendable {
  /// A button.
  case input(Int)
  /// A light.
  case output(Int)
}

/// What the panel's lines report.
public enum GPIOEvent: Hashable, Sendable {
  /// The line is in hand.
  ///
  /// `isActive` is its level now; `debouncesItself` says that the kernel sees to the debouncing that was asked for.
  case opened(line: GPIOLineID, isActive: Bool, debouncesItself: Bool)
  /// An input has changed, at the kernel's own time.
  case edge(input: Int, isActive: Bool, at: Instant)
  /// Edges came faster than they were read, and the newest of them may be lost; this is the input's level since.
  case edgesLost(input: Int, isActive: Bool, at: Instant)
  /// The line cannot be had, or was lost.
  case failed(line: GPIOLineID, GPIOFault)
}

extension LineAddress {
  /// As a sentence calls it: `GPIO17`, `pin 11`, `line 17 of pinctrl-rp1`.
  public var text: String {
    switch self {
    case .name(let name): return name
    case .pin(let number): return "pin " + String(number)
    case .offset(let chip, let offset): return "line " + String(offset) + (chip.map { " of " + $0 } ?? "")
    }
  }
}
