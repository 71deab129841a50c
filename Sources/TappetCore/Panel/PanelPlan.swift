// The panel's buttons, chords, outputs and inputs: the part of the panel's configuration that the core needs.

/// One button of the panel.
package struct ButtonPlan: Hashable, Sendable {
  /// Unique name, for display and for the virtual panel.
  package var name: String
  /// The debounce settings of the button.
  package var debounce: DebounceSettings
  /// The gestures of the button, with their actions.
  package var gestures: GestureSettings

  package init(name: String, debounce: DebounceSettings = DebounceSettings(), gestures: GestureSettings) {
    self.name = name
    self.debounce = debounce
    self.gestures = gestures
  }

  /// The name with the actions, as in `GPIO5 (light, bell)`.
  package var label: String {
    @export(interface) get {
      let actions = gestures.actions.compactMap { $0 }
      return actions.isEmpty ? name : name + " (" + actions.joined(separator: ", ") + ")"
    }
  }
}

/// Two buttons that trigger an action when pressed together.
package struct ChordPlan: Hashable, Sendable {
  /// Index of the first button.
  package var first: Int
  /// Index of the second button.
  package var second: Int
  /// Name of the action.
  package var action: String

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
  /// The inputs whose level is a state.
  package var inputs: [InputPlan]
  /// Idle time after which the buttons lock; `nil` disables the lock.
  ///
  /// Locking panels also start locked.
  package var lockAfter: Duration?
  /// Indices of the buttons that unlock the panel when pressed in this order; if empty, only a tag unlocks it.
  package var unlockCode: [Int]

  /// Creates a panel; by default, it is empty.
  @export(interface)
  package init(
    buttons: [ButtonPlan] = [], chords: [ChordPlan] = [], outputs: [OutputPlan] = [], inputs: [InputPlan] = [],
    lockAfter: Duration? = nil, unlockCode: [Int] = []
  ) {
    self.buttons = buttons
    self.chords = chords
    self.outputs = outputs
    self.inputs = inputs
    self.lockAfter = lockAfter
    self.unlockCode = unlockCode
  }
}
