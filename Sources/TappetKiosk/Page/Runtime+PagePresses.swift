// Presses on the page. A press acts at most once, and never late; only the device that caused a question answers it.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages

extension Runtime {
  /// Presses a button of the page.
  func press(_ press: PagePress, for client: ControlServer.Client, _ session: PageSession) {
    guard let device = session.device else {
      return client.send(.failure("only a paired device can press", code: "not-allowed"))
    }
    guard hasButton(press.target, for: device) else {
      let name = press.target.name.prefix(80).description
      return client.send(.failure("the page has no button for \(name.quoted)", code: "action-unknown"))
    }
    let now = now().instant
    let decision = page.presses.decide(
      about: press.action, press.id, by: device, madeAt: Instant(milliseconds: press.milliseconds),
      isForm: press.isForm, pending: kiosk.question, at: now)
    switch decision {
    case .act: break
    case .ask: return client.send(asked(session))
    case .notAllowed: return client.send(.failure("this device can only look", code: "not-allowed"))
    case .repeated: return client.send(.object(["result": .string("repeated")]))
    case .late: return client.send(.failure("the press arrived too late; nothing was done", code: "command-late"))
    case .tooMany: return client.send(.failure("too many presses; wait a moment", code: "too-many"))
    }
    switch press.target {
    case .action(let name):
      log(
        LogRecord(
          .info, "page-press", "\(device.name) pressed \(name) on the page",
          device.caller.by.fields + [("action", name)]))
      act(device.pressing(name, at: now), by: device, for: client, session)
    case .output(let order): switchOutput(order, by: device, for: client)
    }
  }

  /// Whether the page shows the device a button for it; managers may switch every output.
  ///
  /// Only a switch is switched on and off: a lock would stay open.
  private func hasButton(_ target: PagePress.Target, for device: PageDevice) -> Bool {
    switch target {
    case .action(let name): return configuration.web?.panel.contains(name) ?? false
    case .output(let order):
      guard let plan = configuration.panel.outputs.first(where: { $0.plan.name == order.output })?.plan else {
        return false
      }
      let requests: [OutputRequest] = plan.kind == .switch ? [.on, .off] : [.pulse]
      return requests.contains(order.request)
        && (device.level == .manage || configuration.web?.outputs.contains(order.output) ?? false)
    }
  }

  private func switchOutput(_ order: OutputOrder, by device: PageDevice, for client: ControlServer.Client) {
    if kiosk.status.isLocked == true { return client.send(.failure("the buttons are locked", code: "locked")) }
    if let refusal = kiosk.refusal(of: order) {
      return client.send(.failure("it was not switched: " + refusal.sentence, code: "output-refused"))
    }
    log(
      LogRecord(
        .info, "page-press", "\(device.name) switched \(order.output) on the page: \(order.request.rawValue)",
        device.caller.by.fields + [("output", order.output), ("do", order.request.rawValue)]))
    feed(.outputAsked(order.output, order.request, by: .page(device: device.name)))
    client.send(.object(["result": .string("switched"), "output": pageOutput(order.output) ?? .null]))
  }

  /// Confirms or cancels the pending question.
  func answer(
    question number: Int64, with answer: PageAnswer, for client: ControlServer.Client, _ session: PageSession
  ) {
    guard let device = session.device,
      let event = device.answering(number, with: answer, pending: kiosk.question, at: now().instant)
    else {
      return client.send(
        .failure("this question is over, or was asked by another device; nothing was done", code: "question-over"))
    }
    act(event, by: device, for: client, session)
  }

  /// Feeds the event, and responds with its first outcome, with the question that it caused, or with `sent`.
  private func act(
    _ event: PanelEvent, by device: PageDevice, for client: ControlServer.Client, _ session: PageSession
  ) {
    let refusals = kiosk.counters.refused
    page.acting = (device.caller, nil)
    feed(.panel(event))
    let outcome = page.acting?.outcome
    page.acting = nil
    if let outcome { return client.send(outcome.json(for: session)) }
    // Only the first refusals of a minute are reported.
    if kiosk.counters.refused > refusals {
      return client.send(.failure("too many presses; wait a moment", code: "too-many"))
    }
    client.send(kiosk.question?.caller == device.caller ? asked(session) : .object(["result": .string("sent")]))
  }

  private func asked(_ session: PageSession) -> JSON {
    .object(["result": .string("asked"), "question": pageQuestion(for: session) ?? .null])
  }
}
