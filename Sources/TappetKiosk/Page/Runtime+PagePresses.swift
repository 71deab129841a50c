// Presses on the page. A press acts at most once, and never late; only the device that caused a question answers it.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages

/// An answer to a question.
enum PageAnswer { case confirm, cancel }

extension Runtime {
  /// Presses a button of the page.
  func press(_ press: PagePress, for client: ControlServer.Client, _ session: PageSession) {
    guard let device = session.device else {
      return client.send(.failure("only a paired device can press", code: "not-allowed"))
    }
    guard configuration.web?.panel.contains(press.action) == true else {
      return client.send(
        .failure("the page has no button for \(press.action.prefix(80).description.quoted)", code: "action-unknown"))
    }
    let now = now().instant
    let admission = page.presses.admit(
      press.id, of: device.caller, madeAt: Instant(milliseconds: press.milliseconds), isForm: press.isForm, at: now)
    switch admission {
    case .new: break
    case .repeated: return client.send(.object(["result": .string("repeated")]))
    case .late: return client.send(.failure("the press arrived too late; nothing was done", code: "command-late"))
    case .tooMany: return client.send(.failure("too many presses; wait a moment", code: "too-many"))
    }
    // A second press is not an answer: it may be the second half of a double click.
    if let question = kiosk.question, question.caller == device.caller, question.action == press.action {
      return client.send(asked(session))
    }
    log(
      LogRecord(
        .info, "page-press", "\(device.name) pressed \(press.action) on the page",
        [("device", device.name), ("action", press.action)]))
    act(.asked(action: press.action, by: device.caller, at: now), by: device, for: client, session)
  }

  /// Confirms or cancels the pending question.
  func answer(
    question number: Int64, with answer: PageAnswer, for client: ControlServer.Client, _ session: PageSession
  ) {
    guard let device = session.device, let question = kiosk.question, question.caller == device.caller,
      question.until.wholeMilliseconds == number
    else {
      return client.send(
        .failure("this question is over, or was asked by another device; nothing was done", code: "question-over"))
    }
    let event: PanelEvent =
      switch answer {
      case .confirm: .asked(action: question.action, by: device.caller, at: now().instant)
      case .cancel: .cancelAsked(by: device.caller)
      }
    act(event, by: device, for: client, session)
  }

  /// Feeds the event, and responds with its first outcome, with the question that it caused, or with `sent`.
  private func act(
    _ event: PanelEvent, by device: PageDevice, for client: ControlServer.Client, _ session: PageSession
  ) {
    page.acting = (device.caller, nil)
    feed(.panel(event))
    let outcome = page.acting?.outcome
    page.acting = nil
    if let outcome { return client.send(outcome.json(for: session)) }
    client.send(kiosk.question?.caller == device.caller ? asked(session) : .object(["result": .string("sent")]))
  }

  private func asked(_ session: PageSession) -> JSON {
    .object(["result": .string("asked"), "question": pageQuestion(for: session) ?? .null])
  }
}
