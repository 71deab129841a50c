// The rules of the outputs, checked against the lines themselves:
//   - Only a genuine tag, a touched button, a proved command or a person switches a line, and only one that is there:
//     nothing that can be copied.
//   - Two lines of a group are never on together, nor within the dead time, with which each start and panel begins.
//   - No line is on for longer than it may be, with the link or without it.
//   - At the end every line is at its safe level.

import TappetCore

/// The lines of the outputs, and what led to their levels.
struct OutputBook {
  struct OutputLine {
    var isThere = false
    /// Since when it is away from its safe level.
    var since: Instant?
    /// When it last left it, and fell back to it.
    var rose: Instant?
    var fell: Instant?
    /// Whether it surely left it for a pulse.
    var isPulse = false
    /// The cause that was judged when its request had to wait.
    var waiting: OutputCause?
  }

  var lines: [OutputLine] = []
  /// When these lines were taken.
  let begunAt: Instant
  /// The link is down since then.
  var linkDownSince: Instant?
  /// The output that a person asks for in the current event.
  var asked: Int?

  init(_ plans: [OutputPlan], at now: Instant) {
    lines = [OutputLine](repeating: OutputLine(), count: plans.count)
    begunAt = now
  }
}

extension World {
  private var plans: [OutputPlan] { settings.panel.outputs }

  // MARK: Steps

  /// Opens the line (from 200), fails it (from 100), or requests something of it.
  func output(_ number: Int) {
    guard !plans.isEmpty else { return }
    let index = abs(number) % plans.count
    switch number {
    case 200...:
      outputs.lines[index].isThere = true
      tell(.panel(.opened(.output(index), isActive: plans[index].isSafeOn, debouncesItself: false)))
    case 100...:
      outputs.lines[index].isThere = false
      fall(index)
      tell(.panel(.failed(.output(index), .line(.chipGone))))
    default:
      outputs.asked = index
      outputs.lines[index].isPulse = false
      let requests = OutputRequest.allCases
      tell(.outputAsked(plans[index].name, requests[abs(number) / plans.count % requests.count]))
      outputs.asked = nil
    }
  }

  /// All lines are given back.
  func closeOutputs() { outputs = OutputBook(plans, at: now.instant) }

  // MARK: Rules

  func judgeOutput(_ index: Int, isOn: Bool) {
    guard plans.indices.contains(index) else { return fail("there is no output \(index)") }
    let plan = plans[index]
    if !outputs.lines[index].isThere { fail("\(plan.name) was switched without a line") }
    guard isOn != plan.isSafeOn else { return fall(index) }
    if outputs.lines[index].since != nil { fail("\(plan.name) was switched on twice") }
    outputs.lines[index].since = now.instant
    outputs.lines[index].rose = now.instant
    guard let group = plan.interlock else { return }
    for other in plans.indices where other != index && plans[other].interlock == group {
      if now.instant - outputs.begunAt < max(plan.deadTime, plans[other].deadTime) {
        fail("\(plan.name) was switched on within the dead time of what was on before")
      }
      if outputs.lines[other].since != nil { fail("\(plan.name) and \(plans[other].name) are on together") }
      let dead = max(plan.deadTime, plans[other].deadTime)
      if let fell = outputs.lines[other].fell, now.instant - fell < dead {
        fail("\(plan.name) was switched on within the dead time of \(plans[other].name)")
      }
    }
  }

  private func fall(_ index: Int) {
    guard outputs.lines[index].since != nil else { return }
    outputs.lines[index].since = nil
    outputs.lines[index].fell = now.instant
  }

  func judgeCause(_ index: Int, _ reason: OutputReason) {
    judgeRelock(index, reason)
    guard case .asked(let cause) = reason, plans.indices.contains(index) else { return }
    let waited = outputs.lines[index].waiting
    outputs.lines[index].waiting = nil
    if waited != cause { judgeCause(index, cause) }
  }

  func judgeWaiting(_ index: Int, _ cause: OutputCause) {
    judgeCause(index, cause)
    if plans.indices.contains(index) { outputs.lines[index].waiting = cause }
  }

  private func judgeCause(_ index: Int, _ cause: OutputCause) {
    let name = plans[index].name
    switch cause {
    // Done as it was when its use was counted: a reload may have come in between.
    case .action(let action, by: .tag) where tickets.counted == action || tickets.entered == action: break
    case .action(let action, by: let by):
      guard let known = settings.actions.first(where: { $0.name == action }),
        known.outputs.contains(where: { $0.output == name })
      else { return fail("\(action) switched \(name), which is not configured") }
      switch by.trigger {
      case .tag: judgeTouch(of: known)
      case .button: judgePress(action, Book.actionNumbers[action] ?? 0)
      case .command: judgeCommand(for: action)
      case .inventory: fail("\(action) switched \(name) for the inventory, which barcodes change")
      case .input: fail("\(action) switched \(name) for a door, and no alarm has an output")
      }
    case .request(.command(let topic, _, _)):
      if topic == Cast.room.topic { fail("\(name) was switched, and its record names the room instead of its user") }
      judgeCommand(forOutput: name, on: topic)
    case .request(.user(let user, let topic, _)):
      if let lineUser, user != lineUser { fail("\(name) was switched, and its record names \(user)") }
      judgeCommand(forOutput: name, on: topic)
    case .request(.tool): if outputs.asked != index { fail("\(name) was switched for a person, and nobody asked") }
    case .request(.input(let input)): judgeExit(input, through: name)
    case .request(.kiosk): if !plans[index].startsOn { fail("\(name) was switched on at the start") }
    case .request(.page), .request(.program), .request(.button), .request(.tag):
      fail("\(name) was switched by \(cause), and the story has none")
    }
  }

  /// Something that can be copied was refused for an action.
  func judgeCopyRefused(_ action: String, _ trigger: Trigger) {
    let named = trigger == .tag ? settings.inventory?.scanAction : settings.inventory?.lowStockAction
    guard action == named, settings.actions.contains(where: { $0.name == action && $0.needsProof }) else {
      return fail("\(action) was refused for lack of a proof, which it does not need")
    }
  }

  private func judgeTouch(of action: Action) {
    judgeCounted(action.name)
    guard reader == .ready, let tag = lying, tag.isSeen, let readAt = tag.readAt, tag.action == action else {
      return fail("\(action.name) was performed, and no genuine tag of it lies there")
    }
    if tag.wasLeft { fail("\(action.name) was performed for a tag that lay there at the start") }
    if now.instant - readAt < action.confirmWithin ?? .zero { fail("\(action.name) was not confirmed") }
  }

  /// A tap that drove an output counts, even if its message was refused.
  func recordPerformed(_ trigger: Trigger, again: Bool) {
    guard trigger == .tag, let tag = lying else { return }
    if tag.isSpent, !again { fail("one tap was performed twice") }
    lying?.isSpent = true
    book.acceptedCounts[tag.card] += 1
  }

  /// The message was refused, but not what the outputs did.
  func recordOutputs(of name: String, _ trigger: Trigger) {
    guard let action = settings.actions.first(where: { $0.name == name }), !action.outputs.isEmpty else { return }
    recordPerformed(trigger, again: true)
  }

  /// After each event: nothing is on for too long.
  func judgeOutputs() {
    if case .up = link {
      outputs.linkDownSince = nil
    } else if outputs.linkDownSince == nil {
      outputs.linkDownSince = now.instant
    }
    for (index, plan) in plans.enumerated() {
      guard let since = outputs.lines[index].since else { continue }
      if let limit = plan.maxOn, now.instant - since > limit { fail("\(plan.name) stays on") }
      if let limit = plan.safeWithoutLink, let down = outputs.linkDownSince,
        now.instant - max(since, down) > limit
      {
        fail("\(plan.name) stays on without a link")
      }
      if isStopping { fail("\(plan.name) is on while the kiosk stops") }
    }
  }
}
