// The process that answers the page's requests about the store room: a second tappet-inventory, started by the first
// request and ended after a minute without one.

import CPlatform
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// The process, while it runs, and the connections that wait for a response.
///
/// Confined to one thread.
final class StockHost {
  private let process = HelperHost(sizeMax: Limits.webMessageSizeMax) { StockAnswer(decoding: $0) }
  /// The numbers of the connections that wait, oldest first, with the times at which their responses are overdue.
  private var waiting: [(number: UInt64, until: Instant)] = []
  /// Time at which the process has been idle for long enough.
  private var idleAt: Instant?
  /// Called with each response, and for each connection that gets none.
  private var onAnswer: (UInt64, Answer) -> Void = { _, _ in }

  /// A response, or the reason why there is none.
  enum Answer {
    case json([UInt8])
    /// The process hung, and was ended.
    case none
    /// The process could not open the inventory, and has said why in the log.
    case unopened
  }

  /// PID of the process; `nil` if none is running.
  var processID: pid_t? { process.processID }

  /// Time of the next `timerFired`; `nil` if there is nothing to do.
  var deadline: Instant? { waiting.first?.until ?? idleAt }

  /// Passes an inquiry on, and starts the process if none is running; returns false if it cannot be passed on.
  func ask(
    _ inquiry: StockInquiry, in folder: String, _ reactor: Reactor, at now: Instant,
    _ onAnswer: @escaping (UInt64, Answer) -> Void
  ) throws(SystemError) -> Bool {
    guard waiting.count < Limits.pageStockWaitingMax else { return false }
    self.onAnswer = onAnswer
    if process.processID == nil {
      process.onNotice = calling(self) { $0.handle($1) }
      try process.start(InventoryHelper.path, InventoryHelper.pageOption, ["--state", folder], reactor)
    }
    guard process.send(inquiry.encode()) else { return false }
    waiting.append((inquiry.number, now + Limits.pageStockAnswerMax))
    idleAt = now + Limits.pageStockIdle
    return true
  }

  /// Ends a process that hangs, or that nobody has needed for a while.
  func timerFired(at now: Instant) {
    if let until = waiting.first?.until { return until <= now ? process.kill() : () }
    if let idleAt, idleAt <= now { stop() }
  }

  /// Ends the process gracefully.
  func stop() {
    idleAt = nil
    process.stop()
  }

  private func handle(_ notice: HelperNotice<StockAnswer>) {
    switch notice {
    case .message(let answer):
      waiting.removeAll { $0.number == answer.number }
      onAnswer(answer.number, .json(answer.json))
    case .malformed: process.kill()
    case .ended(let end):
      idleAt = nil
      let lost = waiting
      waiting = []
      let hasFailed = if case .exited(let status) = end { status != 0 } else { false }
      for (number, _) in lost { onAnswer(number, hasFailed ? .unopened : .none) }
    }
  }
}

extension Runtime {
  /// Has a request about the store room answered.
  func ask(_ request: StockRequest, for client: ControlServer.Client, _ session: PageSession) {
    guard configuration.inventory != nil else {
      return client.send(.failure("kiosk.yaml has no 'inventory', so there is no store room", code: "stock-off"))
    }
    let who = session.device?.name ?? "page"
    let inquiry = StockInquiry(
      request, by: who, number: client.number, until: now().instant + Limits.pageStockStartMax)
    do throws(SystemError) {
      let isAsked = try helpers.stock.ask(
        inquiry, in: configuration.stateFolder, reactor, at: now().instant,
        calling(self) { runtime, number, answer in
          guard let client = runtime.page.server?.client(number) else { return }
          switch answer {
          case .json(let json): client.send(encoded: json)
          case .none: client.send(.failure("the store room does not respond; try again", code: "failed"))
          case .unopened:
            client.send(.failure("the inventory cannot be opened; see the kiosk's log", code: "failed"))
          }
        })
      if !isAsked { client.send(.failure(SharedSentence.tooManyRequests, code: "busy")) }
    } catch {
      client.send(.failure("tappet-inventory cannot be started: " + error.text, code: "failed"))
    }
  }
}
