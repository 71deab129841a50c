// A tag job from the command line, performed by the running kiosk or by a tappet-reader process started here. Messages
// and exit status are the same in both cases.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetKiosk
import TappetMessages
import TappetPlatform

/// A tag job that runs in the foreground at the terminal.
final class TagJobClient {
  typealias Result = TagJobRunner.Result

  private let request: TagJobRequest
  private let reader: ReaderClient
  private let notices = NoticePrinter()
  private var isTimeUp = false

  /// Runs the job and prints its result; returns the UID of the tag, if one was presented.
  @discardableResult
  static func run(
    _ request: TagJobRequest, _ configuration: KioskConfiguration, limit: Duration = Limits.tagJobTime,
    _ report: JSONReport? = nil
  ) throws(CommandFailure) -> TagUID? {
    var request = request
    request.limit = limit
    let client = TagJobClient(request, try ReaderClient.open(configuration, limit: limit))
    let result: Result
    switch client.reader.source {
    case .kiosk(let kiosk): result = client.run(through: kiosk)
    case .process(let process): result = client.run(with: process, configuration)
    }
    client.notices.finish()
    report?.set(result.facts)
    guard result.isDone else {
      let code = result.code ?? FailureCode.failed
      throw result.isRefusal ? .refused(result.sentence, code) : .failed(result.sentence, code)
    }
    if report == nil { Output.print(result.sentence) }
    return result.uid.flatMap { Hex.decode($0) }.flatMap { TagUID($0) }
  }

  private init(_ request: TagJobRequest, _ reader: ReaderClient) {
    self.request = request
    self.reader = reader
  }

  /// Calls `receive` until it returns a result; Ctrl-C cancels the wait, but a tag that is being written is completed
  /// first.
  private func run(receive: () -> Result?, giveUp: (TagJobFailure) -> Result?) -> Result {
    while true {
      if let result = receive() { return result }
      switch reader.wait() {
      case .readable: break
      case .signal: if let result = giveUp(.cancelled) { return result }
      case .timeUp: if let result = giveUp(.noTag) { return result }
      }
    }
  }

  // MARK: Through the kiosk

  private func run(through kiosk: RunningKiosk) -> Result {
    let kioskEnded = Result(
      isDone: false, isRefusal: false, code: FailureCode.kioskAbsent,
      sentence: "the kiosk stopped before it reported the result; check its log")
    guard kiosk.send(.beginTagJob(request)) else { return kioskEnded }
    return run {
      while true {
        switch kiosk.receive() {
        case .nothing: return nil
        case .closed: return kioskEnded
        case .message(let bytes):
          if let result = self.result(of: JSON(decoding: bytes)) { return result }
        }
      }
    } giveUp: { reason in
      // The kiosk is notified only of the cancellation; the reason is recorded here.
      if case .noTag = reason { self.isTimeUp = true }
      return kiosk.send(.cancelTagJob) ? nil : kioskEnded
    }
  }

  private func result(of answer: JSON?) -> Result? {
    guard let answer else { return nil }
    if let notice = TagJobNotice(answer) { notices.print(notice) }
    if answer["waiting"] != nil { invite() }
    if let sentence = answer["error"]?.text {
      return Result(isDone: false, isRefusal: true, code: FailureCode.refused, sentence: sentence)
    }
    return answer["result"].map { Result($0, isTimeUp: isTimeUp) }
  }

  // MARK: Directly

  private func run(with process: ReaderProcess, _ configuration: KioskConfiguration) -> Result {
    let notices = notices
    let job: TagJobRunner
    do throws(TagJobRefusal) {
      job = try TagJobRunner(
        request, configuration, by: .current(), unixSeconds: SystemClock().now().unixSeconds,
        send: { process.send($0) }, tell: { notices.print($0) })
    } catch { return Result(error) }
    let result = run {
      while true {
        switch process.receive() {
        case .nothing: return nil
        case .message(.ready): self.invite()
        case .message(.lost(let fault, let code)): return self.readerLost(.fault(fault, code: code), job)
        case .message(let message):
          job.heard(message)
          if let result = job.result { return result }
        case .malformed(let error): return self.readerLost(.malformed(error), job)
        case .closed: return self.readerLost(.ended(process.finish()), job)
        }
      }
    } giveUp: { reason in
      job.giveUp(reason)
      return job.result
    }
    process.stop()
    return result
  }

  private func readerLost(_ loss: ReaderLoss, _ job: TagJobRunner) -> Result {
    let wasWorking = job.isWorking
    job.readerLost()
    // The reader's error is more specific, unless a tag was being written.
    if wasWorking, let result = job.result { return result }
    return Result(
      isDone: false, isRefusal: false, code: loss.code, sentence: loss.sentence(device: reader.device, of: .tool))
  }

  private func invite() {
    guard Output.isWatched else { return }
    let seconds = request.limit.wholeMilliseconds / 1000
    Output.inform("Hold the tag to the reader, and leave it there until it is done…", seconds: seconds)
  }
}

/// Prints the steps of a job on the terminal.
private final class NoticePrinter {
  private var firstProgress: Instant?
  private var isShowingProgress = false

  func print(_ notice: TagJobNotice) {
    if let sentence = notice.sentence { return Output.printError(sentence) }
    guard case .progress(let done, let total) = notice, Output.isWatched else { return }
    // A job that takes less than a second needs no progress counter.
    let now = SystemClock().now().instant
    guard let first = firstProgress else {
      firstProgress = now
      return
    }
    guard now - first >= .milliseconds(700) else { return }
    isShowingProgress = true
    Output.printErrorInPlace("Writing: \(done) of \(total)")
  }

  /// Ends the line of the progress counter.
  func finish() { if isShowingProgress { Output.printError("") } }
}

extension TagJobRunner.Result {
  /// Parses a result reported by the kiosk.
  fileprivate init(_ json: JSON, isTimeUp: Bool) {
    let text = json["sentence"]?.text ?? "the kiosk's response is malformed"
    let isLate = isTimeUp && json["uid"] == nil
    self.init(
      isDone: json["done"] == .bool(true), isRefusal: json["refused"] == .bool(true),
      code: isLate ? FailureCode.noTag : json["code"]?.text,
      sentence: isLate ? "no tag was presented in time, or it was not presented again; " + text : text)
    self.json = json
    uid = json["uid"]?.text
  }

  /// The JSON output: the result and the tag's members, which are null if no tag was presented.
  fileprivate var facts: JSON {
    let names = ["uid", "model", "writes", "action", "secret", "protected", "replaced", "kept"]
    return .object(
      [JSON.Member(name: "done", value: .bool(isDone))]
        + names.map { JSON.Member(name: $0, value: json[$0] ?? .null) })
  }
}
