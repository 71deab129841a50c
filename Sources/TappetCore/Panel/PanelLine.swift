// The GPIO line to which a light, a button or an output is wired, as configured.

/// The address of a line.
package enum LineAddress: Hashable, Sendable {
  /// The line's name in the kernel: `GPIO17`.
  case name(String)
  /// The pin on the board's header, counted from 1; the profile specifies its line.
  case pin(Int)
  /// The offset on a chip, which is specified by its label or path; `nil` means the panel's default chip.
  case offset(chip: String?, offset: UInt32)
}

/// The bias resistor, which defines the level of an open line.
package enum LineBias: Hashable, Sendable {
  case asIs
  case disabled
  case pullUp
  case pullDown
}

/// The drive mode of an output's line.
package enum LineDrive: CaseIterable, Hashable, Sendable {
  case pushPull
  case openDrain
  case openSource
}

/// One line and its request options.
package struct PanelLine: Hashable, Sendable {
  /// The address of the line.
  package var address: LineAddress
  /// Whether a low level means pressed (input) or on (output).
  package var isActiveLow: Bool
  /// The bias of the line; applies to inputs only.
  package var bias: LineBias
  /// The drive mode of the line; applies to outputs only.
  package var drive: LineDrive
  /// Whether an output is on when idle.
  package var restsOn = false
  /// Time for which an input's level must be steady, if the kernel supports debouncing; zero means unfiltered edges.
  package var debounce: Duration

  /// Creates a line; the default values are those of the configuration.
  package init(
    address: LineAddress, isActiveLow: Bool = false, bias: LineBias = .asIs, drive: LineDrive = .pushPull,
    debounce: Duration = .zero
  ) {
    self.address = address
    self.isActiveLow = isActiveLow
    self.bias = bias
    self.drive = drive
    self.debounce = debounce
  }
}
