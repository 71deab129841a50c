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
  /// Called with each response, and with the number of each connection that gets none.
  private var onAnswer: (UInt64, [UInt8]?) -> Void = { _, _ in }

  /// PID of the process; `nil` if none is running.
  var processID: pid_t? { process.processID }

  /// Time of the next `timerFired`; `nil` if there is nothing to do.
  var deadline: Instant? { waiting.first?.until ?? idleAt }

  /// Passes an inquiry on, and starts the process if none is running; returns false if it cannot be passed on.
  func ask(
    _ inquiry: StockInquiry, in folder: String, _ reactor: Reactor, at now: Instant,
    _ onAnswer: @escaping (UInt64, [UInt8]?) -> Void
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
      onAnswer(answer.number, answer.json)
    case .malformed: process.kill()
    case .ended:
      idleAt = nil
      let lost = waiting
      waiting = []
      for (number, _) in lost { onAnswer(number, nil) }
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
    let inquiry = StockInquiry(request, by: who, number: client.number)
    do throws(SystemError) {
      let isAsked = try helpers.stock.ask(
        inquiry, in: configuration.stateFolder, reactor, at: now().instant,
        calling(self) { runtime, number, json in
          let client = runtime.page.server?.client(number)
          guard let json else {
            return client?.send(.failure("the store room does not respond; try again", code: "failed")) ?? ()
          }
          client?.send(encoded: json)
        })
      if !isAsked { client.send(.failure(SharedSentence.tooManyRequests, code: "busy")) }
    } catch {
      client.send(.failure("tappet-inventory cannot be started: " + error.text, code: "failed"))
    }
  }
}
