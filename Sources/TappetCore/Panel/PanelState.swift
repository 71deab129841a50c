// The state of the panel: its inputs, outputs, lock, pending confirmation and light.

struct PanelState: Sendable {
  var supervision = PanelSupervision()
  var inputs: PanelInputs
  var outputs: OutputBank
  /// The inputs whose level is a state.
  var contacts: InputBank
  var lock: PanelLock
  /// The pending confirmation.
  var confirmation: Confirmation?
  /// The lasting light that is currently shown.
  var shownLight: Light?

  init(_ plan: PanelPlan, at now: Instant) {
    inputs = PanelInputs(plan)
    outputs = OutputBank(plan.outputs, at: now)
    contacts = InputBank(plan.inputs)
    lock = PanelLock(after: plan.lockAfter, code: plan.unlockCode)
  }
}
