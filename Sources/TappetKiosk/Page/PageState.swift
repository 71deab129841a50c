// The state of the kiosk as the page shows it: no paths, hosts, UIDs or names of people.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages

extension Runtime {
  /// The state for a browser: the members that change only when something happens.
  func pageState(for session: PageSession) -> JSON {
    let settings = configuration.web
    let status = kiosk.status
    let light = status.light
    let text = light.pageText ?? PageText(.plain, "")
    let faulty = KioskPart.allCases.filter { status.state(of: $0, configuration)?.isGood == false }
    return .object([
      "name": .string(settings?.name ?? ""), "level": .optional(session.level?.name),
      "device": .optional(session.device?.name), "light": .string(light.name), "tone": .string(text.tone.rawValue),
      "text": .string(text.text), "locked": status.isLocked.map { .bool($0) } ?? .null,
      "store": .bool(configuration.inventory != nil && session.level.map { $0 >= .press } ?? false),
      "publish": .bool(settings?.publishes == true && session.level == .manage),
      "faulty": .array(faulty.map { .string($0.rawValue) }),
      "tiles": .array((settings?.panel ?? []).compactMap { pageTile($0) }),
      "outputs": .array((settings?.outputs ?? []).compactMap { pageOutput($0) }),
      "inputs": .array(session.device == nil ? [] : pageInputs),
      "question": pageQuestion(for: session) ?? .null,
      "last": page.lastOutcome?.json(for: session) ?? .null,
    ])
  }

  private func pageTile(_ name: String) -> JSON? {
    guard let action = configuration.actions.first(where: { $0.name == name }) else { return nil }
    return .object([
      "action": .string(name), "title": .string(action.title), "asks": .bool(action.confirmWithin != nil),
    ])
  }

  /// An output, with the end of its pulse on the kiosk's clock.
  func pageOutput(_ name: String) -> JSON? {
    guard let plan = configuration.panel.outputs.first(where: { $0.plan.name == name })?.plan,
      let output = outputs.first(where: { $0.name == name })
    else { return nil }
    let request: OutputRequest = plan.kind != .switch ? .pulse : output.isOn ? .off : .on
    // A lock that is "on" is open, whatever its line's safe level is.
    let isOn = plan.kind == .lock ? output.isOn != plan.isSafeOn : output.isOn
    return .object([
      "output": .string(name), "do": .string(request.rawValue), "on": output.isAvailable ? .bool(isOn) : .null,
      "kind": .string(plan.kind.word),
      "until": kiosk.pulseEnd(ofOutput: name).map { .number($0.wholeMilliseconds) } ?? .null,
    ])
  }

  /// The contacts, each with the time since which it has its level, on the kiosk's clock; `null` if the kiosk has found
  /// it there.
  private var pageInputs: [JSON] {
    zip(configuration.panel.inputs, kiosk.inputStates).filter { $0.0.plan.isContact }.map { input, state in
      let text = state.pageText
      let since = state.cause == .found ? nil : state.since
      return .object([
        "input": .string(input.plan.name), "tone": .string(text.tone.rawValue), "text": .string(text.text),
        "since": since.map { .number($0.wholeMilliseconds) } ?? .null,
      ])
    }
  }

  /// The pending confirmation; `nil` if there is none.
  func pageQuestion(for session: PageSession) -> JSON? {
    guard let question = kiosk.question else { return nil }
    return .object([
      "number": .number(question.until.wholeMilliseconds), "action": .string(question.action),
      "title": .optional(configuration.actions.first { $0.name == question.action }?.title),
      "trigger": .string(question.trigger.name), "until": .number(question.until.wholeMilliseconds),
      "mine": .bool(question.caller != nil && question.caller == session.device?.caller),
    ])
  }

  // MARK: Events

  /// Sends each watching browser the state if it has changed, at most ten times a second, and the beat.
  func showPage() {
    guard let server = page.server, server.isWatched else { return page.deadline = nil }
    let now = now().instant
    let isDue = now >= page.next.state
    if isDue {
      page.next.state = now + Limits.pageStateInterval
      server.tellWatchers { client in
        guard let session = client.page else { return nil }
        let state = pageState(for: session).encoded()
        guard state != session.shownState else { return nil }
        client.page?.shownState = state
        return pageEvent("state", now, state)
      }
    }
    if now >= page.next.beat {
      page.next.beat = now + Limits.pageBeat
      server.tellWatchers { client in
        if let device = client.page?.device { recordUse(of: device) }
        return pageEvent("beat", now, Array("null".utf8))
      }
    }
    page.deadline = isDue ? page.next.beat : min(page.next.state, page.next.beat)
  }

  /// Sends the light to the page.
  func showOnPage(_ light: Light, at now: Instant) {
    let name = JSON.string(light.name).encoded()
    page.server?.tellWatchers { _ in pageEvent("light", now, name) }
  }

  /// Tells the pages of managers that people or their tags have changed.
  func showPeopleChangedOnPage() {
    let event = pageEvent("people", now().instant, Array("null".utf8))
    page.server?.tellWatchers { $0.page?.level == .manage ? event : nil }
  }

  /// Sends the outcome in the report, if any, to the page.
  func showOnPage(_ report: Report, at now: Moment) {
    guard let server = page.server,
      let outcome = PageOutcome(report, configuration, by: page.author(of: report), at: now)
    else { return }
    if page.acting != nil, page.acting?.outcome == nil { page.acting?.outcome = outcome }
    page.lastOutcome = outcome
    server.tellWatchers { client in
      client.page.map { pageEvent("outcome", now.instant, outcome.json(for: $0).encoded()) }
    }
  }

  /// An event as a message: its name, a space, and `{"now":…,"data":…}`; `now` is the kiosk's clock in milliseconds.
  private func pageEvent(_ name: String, _ now: Instant, _ data: [UInt8]) -> [UInt8] {
    Array("\(name) {\"now\":\(now.wholeMilliseconds),\"data\":".utf8) + data + [UInt8(ascii: "}")]
  }
}
