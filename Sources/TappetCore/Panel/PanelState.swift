// The state of the panel: its inputs, outputs, lock, pending confirmation and light.

struct PanelState: Sendable {
  var supervision = PanelSupervision()
  var inputs: PanelInputs
  var outputs: OutputBank
  var lock: PanelLock
  /// The pending confirmation.
  var confirmation: Confirmation?
  /// The lasting light that is currently shown.
  var shownLight: Light?

  init(_ plan: PanelPlan, at now: Instant) {
    inputs = PanelInputs(plan)
    outputs = OutputBank(plan.outputs, at: now)
    lock = PanelLock(after: plan.lockAfter, code: plan.unlockCode)
  }
}
