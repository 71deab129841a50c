// Which GPIO line a light or a button is wired to, as the configuration says it.

/// Where a line is found.
public enum LineAddress: Hashable, Sendable {
  /// By the line's own name: `GPIO17`.
  case name(String)
  /// By the pin of the board's header, from 1; the profile knows its line.
  case pin(Int)
  /// By its offset on a chip; the chip by label or path, nil: the panel's.
  case offset(chip: String?, offset: UInt32)
}

/// What holds an open line's level.
public enum LineBias: Hashable, Sendable {
  case asIs
  case disabled
  case pullUp
  case pullDown
}

/// How an output drives its line.
public enum LineDrive: Hashable, Sendable {
  case pushPull
  case openDrain
  case openSource
}

/// One line and how it is to be requested.
public struct PanelLine: Hashable, Sendable {
  /// Where it is.
  public var address: LineAddress
  /// Whether a low level means pressed, or lit.
  public var isActiveLow: Bool
  /// Inputs only.
  public var bias: LineBias
  /// Outputs only.
  public var drive: LineDrive
  /// How long an input's level must be steady, where the kernel can see to it; zero: edges come as they are.
  public var debounce: Duration

  /// A line with the defaults of the configuration.
  public init(
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
