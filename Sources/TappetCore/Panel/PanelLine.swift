// The GPIO line that a light or a button is wired to, as configured.

/// The address of a line.
package enum LineAddress: Hashable, Sendable {
  /// The line's own name: `GPIO17`.
  case name(String)
  /// The pin of the board's header, counted from 1; the profile specifies its line.
  case pin(Int)
  /// The offset on a chip, which is specified by label or path; `nil` means the panel's chip.
  case offset(chip: String?, offset: UInt32)
}

/// The resistor that defines an open line's level.
package enum LineBias: Hashable, Sendable {
  case asIs
  case disabled
  case pullUp
  case pullDown
}

/// The drive mode of an output's line.
package enum LineDrive: Hashable, Sendable {
  case pushPull
  case openDrain
  case openSource
}

/// One line and its request options.
package struct PanelLine: Hashable, Sendable {
  /// The address of the line.
  package var address: LineAddress
  /// Whether a low level means pressed, or lit.
  package var isActiveLow: Bool
  /// The bias, for inputs only.
  package var bias: LineBias
  /// The drive, for outputs only.
  package var drive: LineDrive
  /// Whether an output is on while it is not in use.
  package var restsOn = false
  /// Time for which an input's level must be steady, if the kernel can check that; zero means unfiltered edges.
  package var debounce: Duration

  /// A line with the defaults of the configuration.
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
