// The processes of the tools that perform requests of the page, one for each request. A process ends with its request,
// and is killed when the browser leaves.

import CPlatform
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// The running processes, by the numbers of the connections that they report to.
///
/// Confined to one thread.
package final class ToolHost {
  /// Option of tappet-tool that specifies the descriptor number of the socket.
  package static let option = "--page-socket"
  private var processes: [UInt64: (host: HelperHost<[UInt8]>, isBackup: Bool)] = [:]

  private var running: [(host: HelperHost<[UInt8]>, isBackup: Bool)] {
    processes.values.filter { $0.host.processID != nil }
  }

  /// PIDs of the processes that read what others send.
  ///
  /// One that makes a backup reads nothing of theirs, and asks the kiosk for its content.
  var processIDs: [pid_t] { running.filter { !$0.isBackup }.compactMap { $0.host.processID } }

  /// Whether a process may be started; the memory of the service suffices for one backup.
  func hasRoom(for request: ToolRequest) -> Bool {
    running.count < Limits.pageToolsMax && !(request.isBackup && running.contains { $0.isBackup })
  }

  /// Starts a process for a request; `onMessage` is called with each message of its report, and with `nil` at its end.
  func start(
    _ request: ToolRequest, for number: UInt64, configuration path: String, _ reactor: Reactor,
    _ onMessage: @escaping ([UInt8]?) -> Void
  ) throws(SystemError) {
    processes = processes.filter { $0.value.host.processID != nil }
    let process = HelperHost<[UInt8]>(sizeMax: Limits.webMessageSizeMax) { $0 }
    process.onNotice = calling(self) { host, notice in
      switch notice {
      case .message(let message): onMessage(message)
      case .malformed: host.processes[number]?.host.kill()
      case .ended: onMessage(nil)
      }
    }
    try process.start(
      InstalledPrograms.locate("tappet-tool"), ToolHost.option, ["--config", path], reactor, opensSecrets: true)
    processes[number] = (process, request.isBackup)
    var message = request.encode()
    _ = process.send(message)
    LibCrypto.wipe(&message)
  }

  /// Lets the process send another part of its backup to this connection.
  func continueBackup(_ number: UInt64) {
    guard let process = processes[number], process.isBackup else { return }
    process.host.send([UInt8(ascii: "+")])
  }

  /// Ends the process that reports to this connection, if there is one; nothing more is reported.
  func stop(_ number: UInt64) {
    processes[number]?.host.onNotice = { _ in }
    processes[number]?.host.kill()
  }
}

extension Runtime {
  /// Has a request performed; its report is a stream that ends with a `result`.
  ///
  /// A message is published, and a backup made, after the audit has recorded who does it.
  func ask(_ request: ToolRequest, for client: ControlServer.Client) {
    if let refusal = refusal(toStart: request) { return client.send(refusal) }
    switch request {
    case .backup: note("page-backup", "", request, for: client)
    case _ where configuration.broker == nil:
      client.send(.failure("kiosk.yaml has no 'broker'", code: "broker-off"))
    case .test, .listen, .fleet: perform(request, for: client)
    case .publish(let topic, _, _):
      if let reason = refusal(toPublish: topic) { return client.send(.failure(reason, code: "not-allowed")) }
      note("page-published", topic, request, for: client)
    }
  }

  private func refusal(toPublish topic: String) -> String? {
    guard configuration.web?.publishes == true else {
      return "the page may not publish; set 'web: {publish: true}' in kiosk.yaml"
    }
    guard let broker = configuration.broker,
      broker.ownTopics.contains(topic) || topic.begins(with: "tappet/\(broker.clientID)/")
    else { return nil }
    return "the page may not publish to \(topic.quoted), where this kiosk takes commands or reports its state"
  }

  private func note(_ operation: String, _ subject: String, _ request: ToolRequest, for client: ControlServer.Client) {
    guard let peer = client.author else { return client.send(.failure("the device is unknown", code: "not-allowed")) }
    let (service, number) = (SecretService(configuration, owner: geteuid()), client.number)
    let isAsked = askStore(isRequired: false) { secrets in
      .toolNoted(service.note(operation, subject, by: peer, in: secrets), request, for: number)
    }
    if !isAsked { client.send(.failure(SharedSentence.tooManyRequests, code: "busy")) }
  }

  /// Performs what the audit has recorded.
  func perform(_ request: ToolRequest, noted failure: SecretFailure?, for number: UInt64) {
    guard let client = page.server?.client(number) else { return }
    if let failure { return client.send(.failure(failure.sentence, code: "failed")) }
    let device = client.page?.device?.name ?? ""
    let by = Originator.page(device: device)
    guard perform(request, for: client) else { return }
    switch request {
    case .publish(let topic, _, _):
      log(
        LogRecord(
          .notice, "page-publish", "\(device) publishes to \(topic.escaped) on the page",
          by.fields + [("topic", topic.escaped)]))
    case .backup:
      log(LogRecord(.notice, "page-backup", "\(device) makes a backup on the page", by.fields))
    case .test, .listen, .fleet: break
    }
  }

  /// Returns the response to a request for which no process can be started now; `nil` if one can.
  private func refusal(toStart request: ToolRequest) -> JSON? {
    guard let path = observers.configurationPath else {
      return .failure("this kiosk was not started from a file, so the page cannot do this", code: "failed")
    }
    // The process reads the file; a backup is meant to contain it as it is.
    if !request.isBackup, FileStamp(path) != observers.configurationFile {
      return .failure(
        "kiosk.yaml was changed after the kiosk loaded it; reload the kiosk, so that both use the same", code: "failed")
    }
    return helpers.tools.hasRoom(for: request) ? nil : .failure(SharedSentence.tooManyRequests, code: "busy")
  }

  /// Starts the process; returns false if the request was refused.
  @discardableResult
  private func perform(_ request: ToolRequest, for client: ControlServer.Client) -> Bool {
    guard let path = observers.configurationPath, helpers.tools.hasRoom(for: request) else {
      if let refusal = refusal(toStart: request) { client.send(refusal) }
      return false
    }
    let number = client.number
    do throws(SystemError) {
      try helpers.tools.start(
        request, for: number, configuration: path, reactor,
        calling(self) { runtime, message in
          guard let client = runtime.page.server?.client(number) else { return }
          if let message { return client.send(encoded: message) }
          client.send(.object(["result": .failure("it ended without a result; try again")]))
        })
      // tappet-web waits only a few seconds for the first message.
      client.send(.object(["notice": .string("begun")]))
      return true
    } catch {
      client.send(.failure("tappet-tool cannot be started: " + error.text, code: "failed"))
      return false
    }
  }
}
