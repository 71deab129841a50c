// The panel's buttons, their names and their actions: the part of the configuration that the core needs.

/// One button of the panel.
package struct ButtonPlan: Hashable, Sendable {
  /// Unique name, for display and on the virtual panel.
  package var name: String
  /// The debounce settings of its edges.
  package var debounce: DebounceSettings
  /// The gestures and their actions.
  package var gestures: GestureSettings

  /// A button with these gestures.
  package init(name: String, debounce: DebounceSettings = DebounceSettings(), gestures: GestureSettings) {
    self.name = name
    self.debounce = debounce
    self.gestures = gestures
  }
}

/// Two buttons that are pressed together.
package struct ChordPlan: Hashable, Sendable {
  /// Index of the first button.
  package var first: Int
  /// Index of the second button.
  package var second: Int
  /// Name of the action.
  package var action: String

  /// A chord of these buttons.
  package init(first: Int, second: Int, action: String) {
    self.first = first
    self.second = second
    self.action = action
  }
}

/// The panel as a whole.
package struct PanelPlan: Hashable, Sendable {
  /// The panel's buttons, which are referred to by index.
  package var buttons: [ButtonPlan]
  /// The chords, which are pairs of buttons.
  package var chords: [ChordPlan]
  /// The switched lines, to which actions refer by name.
  package var outputs: [OutputPlan]
  /// Idle time after which the buttons lock, as they are at startup, too; `nil` disables the lock.
  package var lockAfter: Duration?
  /// The buttons, by index, that unlock the panel when pressed in this order; when empty, only a tag unlocks it.
  package var unlockCode: [Int]

  /// A panel with these buttons; by default without buttons.
  package init(
    buttons: [ButtonPlan] = [], chords: [ChordPlan] = [], outputs: [OutputPlan] = [], lockAfter: Duration? = nil,
    unlockCode: [Int] = []
  ) {
    self.buttons = buttons
    self.chords = chords
    self.outputs = outputs
    self.lockAfter = lockAfter
    self.unlockCode = unlockCode
  }
}
