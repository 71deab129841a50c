// The real tappet-webhook with the real libcurl at a real server, and a parent that sees all that it says.

import Foundation
import TappetCore
import TappetPlatform
import TestSupport
import Testing

@testable import TappetKiosk

/// tappet-webhook, and a server on this machine.
final class WebhookRig {
  private let reactor: Reactor
  private let host = HelperHost(sizeMax: Limits.webhookMessageSizeMax) { try? WebhookMessage(decoding: $0) }
  private let server: TestProcess
  private var messages: [WebhookMessage] = []
  private var ids: UInt64 = 0

  /// With a server that answers by the path: Tests/System/Faults/webhook-server.py.
  init(paths: [String] = [], redirects: UInt8 = 0) throws {
    reactor = try Reactor()
    let output = TestFolder.make("webhook") + "/server"
    server = try TestProcess(
      try Programs.installed("python3"), [Repository.path("Tests/System/Faults/webhook-server.py")], output: output)
    guard eventually({ textSoFar(output).contains("\n") }), let port = Int(textSoFar(output).prefix { $0 != "\n" })
    else { throw TestFault("no server: \(textSoFar(output))") }
    host.onNotice = calling(self) { rig, notice in
      if case .message(let message) = notice { rig.messages.append(message) }
    }
    try host.start(Programs.built("tappet-webhook").path, "--socket", [], reactor)
    for (number, path) in paths.enumerated() {
      var endpoint = WebhookEndpoint(action: path, url: .text("http://localhost:\(port)/\(path)"))
      endpoint.timeout = .seconds(30)
      endpoint.redirects = redirects
      #expect(try ask(.endpoint(UInt16(number), endpoint)) == .taken)
    }
    #expect(try ask(.begin) == .ready)
  }

  deinit { server.stop(SIGKILL) }

  var pid: pid_t? { host.processID }

  /// The kernel's lines about the process.
  func status() throws -> String {
    try String(contentsOfFile: "/proc/\(try #require(pid))/status", encoding: .utf8)
  }

  /// The most memory that it has had, in KB.
  func peak() throws -> Int {
    let line = try status().split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return Int(line?.split(separator: " ").dropLast().last ?? "") ?? 0
  }

  /// The outcome of a post to the path with this number.
  func post(_ number: UInt16 = 0) throws -> WebhookMessage {
    ids += 1
    return try ask(.post(number, EntryID(high: 0, low: ids), body: Array("{}".utf8)))
  }

  private func ask(_ order: WebhookOrder) throws -> WebhookMessage {
    guard host.send(order.encode()) else { throw TestFault("the order was not taken") }
    let isAnswered = try eventually {
      try reactor.turn(timeout: .seconds(1))
      return !messages.isEmpty
    }
    guard isAnswered else { throw TestFault("no answer") }
    return messages.removeFirst()
  }
}
