// A separate story, told with each seed: browsers that press the page's buttons, and answer the questions of actions.
// Requests are late, lost or repeated, clocks are wrong, devices are removed or lose their level. The kiosk is locked,
// held up and killed.
//   - An id acts once, nothing late acts or from before the start, and nothing while the panel is locked.
//   - Only a device of the level `press` has an effect, and it has at most 64 in a minute.
//   - Only the device that asked confirms or cancels, once and in time; a second press does not answer.
//   - A response is true: what counts as sent is on its way to the disk, and what is refused has no effect.
//   - An accepted press is on the disk, and has one outcome in each life; none is left without.

import TappetCore

/// The world of one such story.
final class PageStory {
  /// A response to a browser.
  enum Answer {
    /// The reason is `nil` if it has no line of its own in the log.
    case refused(TapRefusal?)
    case performed, cancelled, asked, sent
    /// An outcome of a message.
    case outcome
  }

  private var random: Randomness
  var now = Moment(instant: Instant(nanoseconds: 5_000_000_000), unixMilliseconds: 1_790_000_000_000)
  private let settings: KioskSettings
  var kiosk: Kiosk
  var presses: PressMemory
  var disk = EditDisk()
  var isConnecting = false
  var isUp = false
  var isClosing = false
  var published: [EntryID] = []
  /// The devices that the kiosk knows, and the number of those that were ever paired.
  private var paired: [PageDevice] = []
  private var deviceCount = 0
  private var browsers: [PageBrowser] = []
  private var pressCount = 0
  /// The requests under way, and the last ones that have arrived.
  private var transit: [PageMessage] = []
  private var past: [PageMessage] = []
  /// The numbers of the last questions, which every browser sees.
  var numbers: [Int64] = []
  /// Whether a press or an answer of a browser is handled, and its first outcome.
  var isActing = false
  var outcome: Answer?

  // The judge.
  var book: PageBook
  /// The actions of the current event.
  var acted: [String] = []
  private(set) var failure: String?
  /// The events of the story, for a person who follows it.
  private(set) var lines: [String] = []
  private let isTold: Bool

  init(seed: UInt64, isTold: Bool = false) {
    self.isTold = isTold
    random = Randomness(seed: (seed, 13, seed &* 43, 3))
    let isLocking = seed % 4 > 0
    settings = PageCast.settings(isLocking: isLocking)
    kiosk = Kiosk(settings: settings, seed: (seed, 1, 2, 3), at: now.instant)
    presses = PressMemory(startedAt: now.instant)
    book = PageBook(isLocking: isLocking, at: now.instant)
    for _ in 0..<4 { browsers.append(PageBrowser(token: pair(.press))) }
    start()
  }

  /// Tells the story; returns the rule that was broken.
  func tell(stepCount: Int) -> String? {
    for _ in 0..<stepCount where failure == nil {
      step(below(32))
      if below(2) == 0 { work() }
    }
    heal()
    // A world without presses keeps every rule.
    if book.promises.count < stepCount / 200 { fail("only \(book.promises.count) presses were accepted") }
    return failure
  }

  func fail(_ sentence: String?) { if failure == nil { failure = sentence } }

  func say(_ line: @autoclosure () -> String) {
    if isTold { lines.append("\(now.instant.wholeMilliseconds) " + line()) }
  }

  private func below(_ bound: Int) -> Int { Int(random.next() >> 33) % max(1, bound) }

  // MARK: Steps

  private func step(_ number: Int) {
    switch number {
    case 0...5: press(below(browsers.count))
    case 6:
      // A double click.
      let (browser, action) = (below(browsers.count), below(PageCast.actions.count))
      for _ in 0..<2 { press(browser, action) }
      deliver(transit.count - 2)
      deliver(transit.count - 1)
    case 7...9: answer()
    case 10...15: deliver(below(transit.count))
    case 16, 17: sendAgain()
    case 18: vanish(below(browsers.count))
    case 19, 20: pass(milliseconds: below(1500))
    case 21: pass(milliseconds: 1 << below(16))
    case 22: if below(2) == 0 { holdUp() }
    case 23, 24: lockOrUnlock()
    case 25: changeDevices()
    case 26: if below(4) == 0 { kill() }
    case 27: linkChanges()
    case 28: touchPanel()
    case 29: if below(24) == 0 { flood(below(browsers.count)) }
    case _: work()
    }
  }

  private func press(_ browser: Int, _ action: Int? = nil) {
    pressCount += 1
    let name = PageCast.actions[action ?? below(PageCast.actions.count)].name
    send(.press(name, id: "\(pressCount)"), from: browser)
  }

  /// A browser answers a question, most of the time its own, and the last one.
  private func answer() {
    guard let last = numbers.last else { return }
    let number = below(5) == 0 ? numbers[0] : last
    let owner = browsers.firstIndex { device($0.token).map { $0.caller == kiosk.question?.caller } ?? false }
    let browser = below(3) > 0 ? owner ?? 0 : below(browsers.count)
    send(.answer(number, below(4) == 0 ? .cancel : .confirm), from: browser)
    if below(2) == 0 { deliver(transit.count - 1) }
  }

  private func send(_ content: PageMessage.Content, from number: Int) {
    // A page without script is loaded again every 10 s, unless its browser sleeps.
    if let madeAt = browsers[number].formMadeAt, now.instant - madeAt > .seconds(10), below(4) > 0 {
      browsers[number].formMadeAt = now.instant
    }
    let browser = browsers[number]
    let time = (browser.formMadeAt ?? now.instant).wholeMilliseconds + (browser.formMadeAt == nil ? browser.ahead : 0)
    transit.append(
      PageMessage(
        content: content, token: browser.token, time: Instant(milliseconds: time), isForm: browser.formMadeAt != nil))
    if transit.count > 16 { transit.removeFirst() }
  }

  private func deliver(_ place: Int) {
    guard transit.indices.contains(place), failure == nil else { return }
    let message = transit.remove(at: place)
    if past.count >= 8 { past.removeFirst() }
    past.append(message)
    serve(message)
  }

  /// A browser, a proxy or a reload sends a request once more.
  private func sendAgain() {
    guard !past.isEmpty else { return }
    transit.append(below(2) == 0 ? past[past.count - 1] : past[below(past.count)])
    if below(2) == 0 { deliver(transit.count - 1) }
  }

  /// A browser is closed, or one of its requests is lost.
  private func vanish(_ number: Int) {
    let token = browsers[number].token
    if below(2) == 0 { return transit.removeAll { $0.token == token } }
    if let place = transit.firstIndex(where: { $0.token == token }) { transit.remove(at: place) }
  }

  private func flood(_ number: Int) {
    for _ in 0..<70 {
      press(number, 3)
      deliver(transit.count - 1)
    }
  }

  /// The kiosk handles nothing for a while; requests and timers wait.
  private func holdUp() {
    if below(2) == 0 { answer() } else { press(below(browsers.count)) }
    advance(to: now.instant + .milliseconds(Int64(400 * (1 + below(16)))))
    for _ in 0..<2 { deliver(transit.count - 1) }
    tell(.timerFired)
  }

  private func lockOrUnlock() {
    if book.isLocked { return touchCode() }
    guard below(8) == 0 else { return }
    book.lock()
    tell(.panel(.lockAsked))
  }

  private func touchCode() {
    book.touch(at: now.instant)
    for isDown in [true, false] { tell(.panel(.key(button: 1, isDown: isDown, at: now.instant))) }
  }

  /// A person at the panel, or the embedding program.
  private func touchPanel() {
    let program = PageBook.Author.caller(.program)
    let action = PageCast.actions[below(PageCast.actions.count)]
    switch below(4) {
    case 0:
      if book.isLocked { return }
      if book.question.map({ $0.author != .button }) ?? false { return touchGate(expecting: [], ending: true) }
      touchGate(expecting: book.press(PageCast.actions[0], by: .button, isUp: isUp, at: now.instant), ending: false)
    case 1: touchCode()
    case 2:
      let expected = book.press(action, by: program, isUp: isUp, at: now.instant)
      tell(.panel(.asked(action: action.name, at: now.instant)), expecting: expected)
    case _:
      book.cancel(by: program)
      tell(.panel(.cancelAsked(by: .program)))
    }
  }

  private func touchGate(expecting expected: [String], ending: Bool) {
    if ending { book.touch(at: now.instant) }
    tell(.panel(.key(button: 0, isDown: true, at: now.instant)), expecting: expected)
    tell(.panel(.key(button: 0, isDown: false, at: now.instant)))
  }

  // MARK: Devices

  func device(_ token: [UInt8]) -> PageDevice? { paired.first { $0.tokenHash == token } }

  private func pair(_ level: PageLevel) -> [UInt8] {
    deviceCount += 1
    paired.append(PageCast.device(deviceCount, level))
    return PageCast.device(deviceCount, level).tokenHash
  }

  private func changeDevices() {
    let (number, browser) = (below(paired.count), below(browsers.count))
    switch below(8) {
    case 0: if !paired.isEmpty { paired.remove(at: number) }
    case 1: if !paired.isEmpty { paired[number].level = .look }
    case 2: for number in paired.indices { paired[number].level = below(2) == 0 ? .press : .manage }
    case 3, 4:
      for number in browsers.indices where device(browsers[number].token) == nil {
        browsers[number].token = pair(.press)
      }
    case 5: browsers[browser].ahead = Int64(below(8_000) - 7_000)
    case 6: browsers[browser].ahead = 0
    case _: browsers[browser].formMadeAt = browsers[browser].formMadeAt == nil ? now.instant : nil
    }
  }

  // MARK: Lives

  private func start() {
    tell(.started(disk.summary))
    tell(.clockChecked(isSynchronized: true))
    tell(.secretsLoaded([]))
  }

  /// The kiosk is killed, and the disk has performed some of its requests; what was under way may be sent again.
  private func kill() {
    disk.commit(below(disk.asked.count + 1), fails: false)
    disk.forget()
    say("── a kiosk is killed")
    (isConnecting, isUp, isClosing, published) = (false, false, false, [])
    advance(to: now.instant + .milliseconds(Int64(1 + below(3000))))
    book.restart(at: now.instant)
    presses = PressMemory(startedAt: now.instant)
    kiosk = Kiosk(settings: settings, seed: (random.next(), random.next(), random.next(), 1), at: now.instant)
    start()
    if below(2) == 0 { sendAgain() }
  }

  // MARK: The broker, the disk and time

  private func work() {
    disk.commit(disk.asked.count, fails: below(16) == 0)
    deliverAnswers()
    if below(2) == 0 { acknowledge() }
  }

  private func deliverAnswers() {
    while failure == nil, let answer = disk.takeAnswer() { tell(.store(answer)) }
  }

  private func linkChanges() {
    if isClosing {
      isClosing = false
      loseConnection(.disconnected)
    } else if isConnecting {
      connect()
    } else if isUp, below(3) == 0 {
      loseConnection(.lost(.keepaliveExpired))
    }
  }

  private func connect() {
    guard isConnecting else { return }
    (isConnecting, isUp) = (false, true)
    tell(.link(.connected(sessionPresent: false)))
  }

  private func loseConnection(_ event: LinkEvent) {
    (isUp, published) = (false, [])
    book.connectionEnds()
    tell(.link(event))
  }

  private func acknowledge() {
    guard isUp, !published.isEmpty else { return }
    let id = published.removeFirst()
    book.acknowledge(id)
    tell(.link(.acknowledged(id)))
  }

  private func pass(milliseconds: Int) {
    let end = now.instant + .milliseconds(Int64(milliseconds))
    var repeats = 0
    while failure == nil, let deadline = kiosk.nextDeadline(at: now), deadline <= end {
      repeats = deadline > now.instant ? 0 : repeats + 1
      if repeats > 20 { return fail("a deadline is not met: the kiosk spins") }
      advance(to: max(deadline, now.instant))
      tell(.timerFired)
    }
    advance(to: max(end, now.instant))
  }

  private func advance(to instant: Instant) {
    now.unixMilliseconds += (instant - now.instant).wholeMilliseconds
    now.instant = instant
  }

  /// Lets everything go well from now on, until nothing is left waiting.
  private func heal() {
    say("── everything goes well from now on")
    for _ in 0..<600 where failure == nil && (!disk.isEmpty || book.question != nil) {
      disk.commit(disk.asked.count, fails: false)
      deliverAnswers()
      if isClosing { linkChanges() }
      connect()
      while failure == nil, !published.isEmpty { acknowledge() }
      pass(milliseconds: 500)
    }
    if !disk.isEmpty { fail("after minutes in which everything went well, messages are left") }
    if book.promises.openCount > 0 { fail("\(book.promises.openCount) accepted presses have no outcome") }
  }
}
