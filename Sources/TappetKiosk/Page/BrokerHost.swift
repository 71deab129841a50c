// The processes that perform the page's requests about the broker, one for each request. A process ends with its
// request, and is killed when the browser leaves.

import CPlatform
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// The running processes, by the numbers of the connections that they report to.
///
/// Confined to one thread.
package final class BrokerHost {
  /// Option of tappet-tool that specifies the descriptor number of the socket.
  package static let option = "--broker-socket"
  private var processes: [UInt64: HelperHost<[UInt8]>] = [:]

  /// PIDs of the processes.
  var processIDs: [pid_t] { processes.values.compactMap { $0.processID } }

  /// Whether another process may be started.
  var hasRoom: Bool { processIDs.count < Limits.pageBrokerProcessesMax }

  /// Starts a process for a request; `onMessage` is called with each message of its report, and with `nil` at its end.
  func start(
    _ request: BrokerRequest, for number: UInt64, configuration path: String, _ reactor: Reactor,
    _ onMessage: @escaping ([UInt8]?) -> Void
  ) throws(SystemError) {
    processes = processes.filter { $0.value.processID != nil }
    let process = HelperHost<[UInt8]>(sizeMax: Limits.webMessageSizeMax) { $0 }
    process.onNotice = calling(self) { host, notice in
      switch notice {
      case .message(let message): onMessage(message)
      case .malformed: host.processes[number]?.kill()
      case .ended: onMessage(nil)
      }
    }
    try process.start(
      InstalledPrograms.locate("tappet-tool"), BrokerHost.option, ["--config", path], reactor, opensSecrets: true)
    processes[number] = process
    _ = process.send(request.encode())
  }

  /// Ends the process that reports to this connection, if there is one; nothing more is reported.
  func stop(_ number: UInt64) {
    processes[number]?.onNotice = { _ in }
    processes[number]?.kill()
  }
}

extension Runtime {
  /// Has a request about the broker performed; its report is a stream that ends with a `result`.
  ///
  /// A message is published after the audit has recorded who publishes it.
  func ask(_ request: BrokerRequest, for client: ControlServer.Client) {
    guard let broker = configuration.broker else {
      return client.send(.failure("kiosk.yaml has no 'broker'", code: "broker-off"))
    }
    guard case .publish(let topic, _, _) = request else { return perform(request, for: client) }
    guard configuration.web?.publishes == true, let peer = client.author else {
      return client.send(
        .failure("the page may not publish; set 'web: {publish: true}' in kiosk.yaml", code: "not-allowed"))
    }
    guard !broker.ownTopics.contains(topic), !topic.begins(with: "tappet/\(broker.clientID)/") else {
      return client.send(
        .failure(
          "the page may not publish to \(topic.quoted), where this kiosk takes commands or reports its state",
          code: "not-allowed"))
    }
    let (service, number) = (SecretService(configuration, owner: geteuid()), client.number)
    let isAsked = askStore(isRequired: false) { secrets in
      .publishNoted(service.note("page-published", topic, by: peer, in: secrets), request, for: number)
    }
    if !isAsked { client.send(.failure(SharedSentence.tooManyRequests, code: "busy")) }
  }

  /// Publishes what the audit has recorded.
  func publish(_ request: BrokerRequest, noted failure: SecretFailure?, for number: UInt64) {
    guard let client = page.server?.client(number) else { return }
    if let failure { return client.send(.failure(failure.sentence, code: "failed")) }
    if case .publish(let topic, _, _) = request, let device = client.page?.device?.name {
      log(
        LogRecord(
          .notice, "page-publish", "\(device) publishes to \(topic.escaped) on the page",
          [("device", device), ("topic", topic.escaped)]))
    }
    perform(request, for: client)
  }

  private func perform(_ request: BrokerRequest, for client: ControlServer.Client) {
    guard let path = observers.configurationPath else {
      return client.send(
        .failure("this kiosk was not started from a file, so the page cannot use its broker", code: "failed"))
    }
    guard helpers.broker.hasRoom else { return client.send(.failure(SharedSentence.tooManyRequests, code: "busy")) }
    let number = client.number
    do throws(SystemError) {
      try helpers.broker.start(
        request, for: number, configuration: path, reactor,
        calling(self) { runtime, message in
          guard let client = runtime.page.server?.client(number) else { return }
          if let message { return client.send(encoded: message) }
          client.send(.object(["result": .failure("it ended without a result; try again")]))
        })
      // tappet-web waits only a few seconds for the first message.
      client.send(.object(["notice": .string("begun")]))
    } catch { client.send(.failure("tappet-tool cannot be started: " + error.text, code: "failed")) }
  }
}
