// The kiosk of a story about the page: it serves requests as the runtime does, and the judge checks what follows.

import TappetCore

extension PageStory {
  func serve(_ message: PageMessage) {
    let device = device(message.token)
    switch message.content {
    case .press(let name, let id):
      let decision = presses.decide(
        about: name, id, by: device, madeAt: message.time, isForm: message.isForm, pending: kiosk.question,
        at: now.instant)
      say("press \(id) of \(name) by \(device?.name ?? "a stranger"), made at \(message.time): \(decision)")
      fail(book.fault(of: decision, name, id, message, by: device, at: now.instant))
      if decision == .act, let device { act(device.pressing(name, at: now.instant), on: name, by: device) }
    case .answer(let number, let answer): serve(number, answer, message, device)
    }
  }

  private func serve(_ number: Int64, _ answer: PageAnswer, _ message: PageMessage, _ device: PageDevice?) {
    let isTimely = presses.isTimely(message.time, isForm: message.isForm, at: now.instant)
    if isTimely != book.isTimely(message, at: now.instant) { fail("a time counts as another") }
    if answer == .confirm, !isTimely { return say("\(answer) \(number): late") }
    let event = device?.answering(number, with: answer, pending: kiosk.question, at: now.instant)
    say("\(answer) \(number) by \(device?.name ?? "a stranger"): \(event == nil ? "over" : "answered")")
    let mayAnswer = book.mayAnswer(number, device, at: now.instant)
    guard let device, let event, let question = book.question else {
      if mayAnswer { fail("an answer counts as late or of another device, and is not") }
      return
    }
    if !mayAnswer { return fail("a question is answered late, by another device, or without a level") }
    act(event, on: question.action, by: device)
  }

  private func act(_ event: PanelEvent, on name: String, by device: PageDevice) {
    guard let action = PageCast.actions.first(where: { $0.name == name }) else { return }
    let (wasLocked, wasAsking, refusals) = (book.isLocked, book.question != nil, kiosk.counters.refused)
    var expected: [String] = []
    if case .cancelAsked = event {
      book.cancel(by: .caller(device.caller))
    } else {
      expected = book.press(action, by: .caller(device.caller), isUp: isUp, at: now.instant)
    }
    (isActing, outcome) = (true, nil)
    tell(.panel(event), expecting: expected)
    isActing = false
    let isAsked = kiosk.question?.caller == device.caller
    let answer = outcome ?? (kiosk.counters.refused > refusals ? .refused(nil) : isAsked ? .asked : .sent)
    say("        response: \(answer)")
    let isBrokerAway = action.offline == .drop && !isUp
    let isTrue =
      switch answer {
      case .refused(.panelLocked): wasLocked
      case .refused(.brokerAway): isBrokerAway && expected.isEmpty && !wasLocked
      case .refused(nil): wasLocked || isBrokerAway && expected.isEmpty
      case .refused, .outcome: false
      case .performed: expected == [name] && action.topic == nil
      case .cancelled: wasAsking && expected.isEmpty && book.question == nil
      case .asked: book.question?.caller == device.caller && book.question?.action == name
      case .sent: expected == [name] && action.topic != nil
      }
    if !isTrue { fail("a browser receives \(answer), which is not true") }
  }

  // MARK: The kiosk

  func tell(_ event: Event, expecting expected: [String] = []) {
    guard failure == nil else { return }
    acted = []
    let effects = kiosk.handle(event, at: now)
    say("\(event): \(effects)")
    for effect in effects { perform(effect) }
    book.pass(to: now.instant)
    if acted != expected { fail("\(acted) acted, and \(expected) was to") }
    let (asked, question) = (kiosk.question, book.question)
    if asked?.action != question?.action || asked?.caller != question?.caller || asked?.until != question?.until {
      fail("the kiosk asks about \(asked?.action ?? "nothing"), and \(question?.action ?? "nothing") was to be asked")
    }
    if let isLocked = kiosk.status.isLocked, isLocked != book.isLocked {
      fail(isLocked ? "the panel is locked too early" : "the panel is not locked")
    }
    if let asked, numbers.last != asked.until.wholeMilliseconds {
      numbers = numbers.suffix(2) + [asked.until.wholeMilliseconds]
    }
  }

  private func perform(_ effect: Effect) {
    switch effect {
    case .connect: isConnecting = true
    case .disconnect: (isUp, isConnecting, isClosing) = (false, false, true)
    case .publish(let entry, _):
      if !isUp { fail("a message is sent without a connection") }
      fail(book.published(entry.id, isOnDisk: isOnDisk(entry.id)))
      published.append(entry.id)
    case .store(let request):
      if case .append(let entry) = request {
        acted.append(entry.action)
        fail(book.stored(entry.id))
      }
      disk.asked.append(request)
    case .report(let report): hear(report)
    case _: break
    }
  }

  private func hear(_ report: Report) {
    var found: Answer?
    switch report {
    case .tap(.performed(let action, _, _, _)):
      acted.append(action)
      found = .performed
    case .tap(.refused(_, _, let refusal, _)): found = .refused(refusal)
    case .tap(.confirmationEnded): found = .cancelled
    case .entry(let report):
      fail(book.judge(report, isOnDisk: report.entry.map { isOnDisk($0.id) } ?? true, at: now.instant))
      if report.entry != nil { found = .outcome }
    case _: break
    }
    if isActing, outcome == nil { outcome = found }
  }

  private func isOnDisk(_ id: EntryID) -> Bool { disk.broker.contains { $0.id == id } }
}
