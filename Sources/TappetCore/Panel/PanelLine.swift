// The GPIO line that a light or a button is wired to, as the configuration gives it.

/// How to find a line.
package enum LineAddress: Hashable, Sendable {
  /// By the line's own name: `GPIO17`.
  case name(String)
  /// By the pin of the board's header, from 1; the profile knows its line.
  case pin(Int)
  /// By its offset on a chip, which is given by label or path; `nil` means the panel's chip.
  case offset(chip: String?, offset: UInt32)
}

/// The resistor that holds an open line's level.
package enum LineBias: Hashable, Sendable {
  case asIs
  case disabled
  case pullUp
  case pullDown
}

/// How an output drives its line.
package enum LineDrive: Hashable, Sendable {
  case pushPull
  case openDrain
  case openSource
}

/// One line and how to request it.
package struct PanelLine: Hashable, Sendable {
  /// Where the line is.
  package var address: LineAddress
  /// Whether a low level means pressed, or lit.
  package var isActiveLow: Bool
  /// The bias, for inputs only.
  package var bias: LineBias
  /// The drive, for outputs only.
  package var drive: LineDrive
  /// Whether an output is on while nobody uses it.
  package var restsOn = false
  /// How long an input's level must be steady, where the kernel can check that; zero means that edges come unfiltered.
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
