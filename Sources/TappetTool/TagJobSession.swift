// One job for a tag, from the command line to its result: through the running kiosk, which has the reader, or with a
// tappet-reader of our own. The same words and the same end either way.

import CPlatform
import TappetCore
import TappetDevices
import TappetRuntime

/// A job that a person waits for at the terminal.
final class TagJobSession {
  private let request: TagJobRequest
  private let configuration: Configuration
  private let limit: Duration
  private let reactor: Reactor
  private var result: TagJobRun.Result?
  private var noticed: Instant?
  private var isShowingProgress = false
  /// Ends the wait for a tag.
  private var giveUp: (TagJobFailure) -> Void = { _ in }

  /// Does it, says what came of it, and ends with that as exit status.
  static func run(
    _ request: TagJobRequest, _ configuration: Configuration, limit: Duration, asJSON: Bool
  ) -> ExitStatus {
    let result: TagJobRun.Result
    do throws(SystemError) {
      let session = TagJobSession(request, configuration, limit, try Reactor())
      result = try session.run()
    } catch {
      result = TagJobRun.Result(isDone: false, isRefusal: false, sentence: "\(error.call) failed: \(error.text)")
    }
    if asJSON { Output.print(result.json) }
    if result.isDone {
      if !asJSON { Output.print(result.sentence) }
      return .success
    }
    Output.complain("tappet tag \(request.kind.name): \(result.sentence)")
    return result.isRefusal ? .refused : .failure
  }

  private init(_ request: TagJobRequest, _ configuration: Configuration, _ limit: Duration, _ reactor: Reactor) {
    self.request = request
    self.configuration = configuration
    self.limit = limit
    self.reactor = reactor
  }

  private func run() throws(SystemError) -> TagJobRun.Result {
    // Ctrl-C ends the wait; a tag that is being written is brought to its end first.
    try reactor.watchSignals([SIGINT, SIGTERM, SIGHUP]) { [unowned(unsafe) self] _ in self.giveUp(.cancelled) }
    reactor.onTimer = { [unowned(unsafe) self] in self.giveUp(.noTag) }
    reactor.setTimer(at: SystemClock().now().instant + limit)
    if let kiosk = RunningKiosk(configuration) {
      try ask(kiosk)
    } else {
      try runDirectly()
    }
    if isShowingProgress { Output.complain("") }
    return result ?? TagJobRun.Result(isDone: false, isRefusal: false, sentence: "nothing came of it")
  }

  private func turnUntilResult() throws(SystemError) { while result == nil { try reactor.turn(timeout: nil) } }

  private func invite() {
    if isatty(2) == 1 { Output.complain("Hold the tag to the reader, and leave it there until it is done…") }
  }

  // MARK: Through the kiosk

  private func ask(_ kiosk: RunningKiosk) throws(SystemError) {
    giveUp = { [unowned(unsafe) self] reason in
      if !kiosk.send(.object(["request": .string("tag-cancel")])) { self.kioskIsGone() }
      // The kiosk knows only that nobody waits any longer; why is known here.
      if case .noTag = reason { self.isTimeUp = true }
    }
    try reactor.watch(kiosk.fileDescriptor, for: .readable) { [unowned(unsafe) self] _ in self.hear(kiosk) }
    guard kiosk.send(request.json) else { return kioskIsGone() }
    try turnUntilResult()
  }

  private var isTimeUp = false

  private func hear(_ kiosk: RunningKiosk) {
    while result == nil {
      switch kiosk.receive() {
      case .nothing: return
      case .closed: return kioskIsGone()
      case .message(let bytes):
        guard let answer = JSON(decoding: bytes) else { continue }
        if let notice = TagJobNotice(answer) { show(notice) }
        if answer["waiting"] != nil { invite() }
        if let sentence = answer["error"]?.text {
          result = TagJobRun.Result(isDone: false, isRefusal: true, sentence: sentence)
        }
        if let end = answer["result"] { result = TagJobRun.Result(end, isTimeUp: isTimeUp) }
      }
    }
  }

  private func kioskIsGone() {
    result = TagJobRun.Result(
      isDone: false, isRefusal: false, sentence: "the kiosk ended before it said what came of it; look at its log")
  }

  // MARK: Directly

  private func runDirectly() throws(SystemError) {
    let device = configuration.readerDevice
    let reader: ReaderProcess
    do throws(SystemError) {
      reader = try ReaderProcess(executable: ReaderProcess.locateExecutable(), device: device)
    } catch {
      result = TagJobRun.Result(lost: .notStarted(code: error.code), device)
      return
    }
    let run: TagJobRun
    do throws(TagJobRefusal) {
      run = try TagJobRun(
        request, configuration, by: .current(), unixSeconds: SystemClock().now().unixSeconds,
        send: { reader.send($0) }, tell: { [unowned(unsafe) self] in self.show($0) })
    } catch {
      result = TagJobRun.Result(error)
      return
    }
    giveUp = { [unowned(unsafe) self] reason in
      run.giveUp(reason)
      self.result = run.result
    }
    try reactor.watch(reader.fileDescriptor, for: .readable) { [unowned(unsafe) self] _ in self.hear(reader, run) }
    try turnUntilResult()
    reactor.unwatch(reader.fileDescriptor)
    reader.stop()
  }

  private func hear(_ reader: ReaderProcess, _ run: TagJobRun) {
    while result == nil {
      switch reader.receive() {
      case .nothing: return
      case .message(.ready): invite()
      case .message(.lost(let fault, let code)): lose(.fault(fault, code: code), run)
      case .message(let message):
        run.heard(message)
        result = run.result
      case .malformed(let error): lose(.malformed(error), run)
      case .closed: lose(.ended(reader.finish()), run)
      }
    }
  }

  private func lose(_ loss: ReaderLoss, _ run: TagJobRun) {
    let wasWorking = run.isWorking
    run.readerLost()
    // What is wrong with the reader says more, unless it was in the midst of a tag.
    result = wasWorking ? run.result : TagJobRun.Result(lost: loss, configuration.readerDevice)
  }

  // MARK: The terminal

  private func show(_ notice: TagJobNotice) {
    if let sentence = notice.sentence { return Output.complain(sentence) }
    guard case .progress(let done, let total) = notice, isatty(2) == 1 else { return }
    // What is done within a second needs no counting.
    let now = SystemClock().now().instant
    guard let first = noticed else {
      noticed = now
      return
    }
    guard now - first >= .milliseconds(700) else { return }
    isShowingProgress = true
    Output.complainInPlace("Writing: \(done) of \(total)")
  }
}

extension TagJobRun.Result {
  fileprivate init(lost loss: ReaderLoss, _ device: String?) {
    self.init(isDone: false, isRefusal: false, sentence: loss.sentence(device: device))
  }

  /// As the kiosk told it.
  fileprivate init(_ json: JSON, isTimeUp: Bool) {
    let text = json["sentence"]?.text ?? "the kiosk's answer makes no sense"
    self.init(
      isDone: json["done"] == .bool(true), isRefusal: json["refused"] == .bool(true),
      sentence: isTimeUp && json["uid"] == nil ? "no tag was shown in time, or it did not come back; " + text : text)
    self.json = json
  }
}
