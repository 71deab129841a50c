// What happens on the panel, as facts.

/// A part of the panel that can fail by itself.
public enum PanelPart: Hashable, Sendable {
  /// A button's line, by the button's index.
  case input(Int)
  /// An LED or the buzzer, by its place among the outputs.
  case output(Int)
  /// The virtual panel.
  case simulator
}

/// Why a part is not there.
public enum PanelFault: Hashable, Sendable {
  /// The virtual panel cannot be reached; an errno, 0: it hung up.
  case simulatorAway(code: Int32)
  /// The kernel's LED cannot be used; an errno.
  case ledUnusable(code: Int32)
  /// The GPIO line cannot be had, or was lost.
  case line(GPIOFault)

  /// Whether the part can come by itself.
  var mayPass: Bool { if case .line(let fault) = self { fault.mayPass } else { true } }
}

/// One fact.
public enum PanelEvent: Sendable {
  /// A part can be used; for an input: whether it is active now, and whether its edges are debounced already.
  case opened(PanelPart, isActive: Bool, debouncesItself: Bool)
  /// A part cannot be had, or was lost.
  case failed(PanelPart, PanelFault)
  /// All parts were let go; those that there are from now on are opened, or fail, anew.
  case closed
  /// A button's contact moved; the kernel's time.
  case edge(input: Int, isActive: Bool, at: Instant)
  /// It moved faster than anybody read it; its level at that time.
  case edgesLost(input: Int, isActive: Bool, at: Instant)
  /// A key that stands for a button was pressed or released: no contact bounces.
  case key(button: Int, isDown: Bool, at: Instant)
  /// A program around us asks for an action in the name of a button of its own.
  case asked(action: String)
}
