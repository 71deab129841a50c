// What the panel's buttons mean, and what its lines are called: the part of the configuration that the core needs.

/// One button.
public struct ButtonPlan: Hashable, Sendable {
  /// For people, and on the virtual panel; unique.
  public var name: String
  /// How its edges are read.
  public var debounce: DebounceSettings
  /// What it sets off.
  public var gestures: GestureSettings

  /// A button.
  public init(name: String, debounce: DebounceSettings = DebounceSettings(), gestures: GestureSettings) {
    self.name = name
    self.debounce = debounce
    self.gestures = gestures
  }
}

/// Two buttons that are pressed together.
public struct ChordPlan: Hashable, Sendable {
  /// The buttons' indexes.
  public var first: Int
  /// The other one's.
  public var second: Int
  /// The action's name.
  public var action: String

  /// A chord.
  public init(first: Int, second: Int, action: String) {
    self.first = first
    self.second = second
    self.action = action
  }
}

/// The whole panel.
public struct PanelPlan: Hashable, Sendable {
  /// Its buttons; everybody calls them by their index.
  public var buttons: [ButtonPlan]
  /// Pairs of buttons.
  public var chords: [ChordPlan]
  /// Without use for so long the buttons are locked, as they are at the start; nil: never.
  public var lockAfter: Duration?
  /// The buttons, by index, that unlock it when pressed in this order; empty: only a tag does.
  public var unlockCode: [Int]

  /// A panel; by default without buttons.
  public init(
    buttons: [ButtonPlan] = [], chords: [ChordPlan] = [], lockAfter: Duration? = nil, unlockCode: [Int] = []
  ) {
    self.buttons = buttons
    self.chords = chords
    self.lockAfter = lockAfter
    self.unlockCode = unlockCode
  }
}
