// The steps of one attempt to connect with their times, as the link's thread reports them.

import TappetCore
import TappetPlatform
import TappetTLS

/// The part of an attempt to which a step belongs.
package enum ConnectStage: Int32, Sendable {
  /// Our own side: files, memory, settings.
  case files = 1
  case name
  case tcp
  case tls
  case mqtt

  /// The word for programs.
  package var word: String {
    switch self {
    case .files: "files"
    case .name: "name"
    case .tcp: "tcp"
    case .tls: "tls"
    case .mqtt: "mqtt"
    }
  }
}

/// One step, for a person and for programs.
package struct ConnectStep: Sendable {
  /// Where it belongs.
  package var stage: ConnectStage
  /// Whether it succeeded.
  package var isGood: Bool
  /// The finding, or why it failed.
  package var text: String
  /// How long it took.
  package var microseconds: Int64
}

/// Collects the steps of one attempt.
package final class ConnectTrace: Sendable {
  /// The steps so far, and the facts that they brought.
  package struct Facts: Sendable {
    /// The steps, in order.
    package var steps: [ConnectStep] = []
    /// The address that was tried last.
    package var address: String?
    /// The version of MQTT that was tried last.
    package var version: MQTTVersion?
    /// The connection's TLS; `nil` before its handshake is over.
    package var tls: TLSConnectionFacts?
    /// Whether the broker has asked for a client certificate.
    package var wantsCertificate = false
    /// The broker's CONNACK; `nil` before it came.
    package var connack: ConnackFacts?
    private let began = Instant.now()
    fileprivate var stepBegan = Instant.now()

    /// The time since the attempt began, up to the last step's end.
    package var microseconds: Int64 { (stepBegan - began).wholeNanoseconds / 1000 }

    /// Adds a step that ends now.
    package mutating func end(_ stage: ConnectStage, isGood: Bool = true, _ text: String) {
      let now = Instant.now()
      let microseconds = (now - stepBegan).wholeNanoseconds / 1000
      steps.append(ConnectStep(stage: stage, isGood: isGood, text: text, microseconds: microseconds))
      stepBegan = now
    }
  }

  private let monitor = Monitor()
  // Unchecked because the compiler cannot see the monitor, which is locked wherever these are touched.
  private nonisolated(unsafe) var collected = Facts()
  private nonisolated(unsafe) var endpoint: BrokerEndpoint
  private var port: UInt16 { endpoint.port }

  /// A trace of attempts at this endpoint.
  package init(_ endpoint: BrokerEndpoint) { self.endpoint = endpoint }

  /// Whether the endpoint is reached over TLS.
  package var usesTLS: Bool { monitor.locked { endpoint.usesTLS } }

  /// A copy of the facts so far.
  package var facts: Facts { monitor.locked { collected } }

  /// Forgets the last attempt: another one begins.
  package func restart(_ endpoint: BrokerEndpoint) {
    monitor.locked {
      collected = Facts()
      self.endpoint = endpoint
    }
  }

  /// Adds the step that ends the attempt.
  package func end(_ stage: ConnectStage, isGood: Bool, _ text: String) {
    monitor.locked { collected.end(stage, isGood: isGood, text) }
  }

  /// The link's thread.
  package func note(_ step: LinkStep) { monitor.locked { take(step) } }

  private func take(_ step: LinkStep) {
    switch step {
    case .resolved(let addresses): collected.end(.name, addresses.joined(separator: ", "))
    case .trying(let address, let version): tryAgain(at: address, version)
    case .reached: collected.end(.tcp, "\(collected.address ?? "") port \(port)")
    case .secured(let connection, let wantsCertificate):
      let facts = TLSConnectionFacts(connection)
      collected.tls = facts
      collected.wantsCertificate = wantsCertificate
      collected.end(.tls, facts.version + ", " + facts.cipher + (facts.alpn.map { ", ALPN " + $0.quoted } ?? ""))
    case .answered(let properties): collected.connack = ConnackFacts(properties)
    }
  }

  /// The second try is another address, or the same one with MQTT 3.1.1.
  private func tryAgain(at address: String, _ version: MQTTVersion) {
    if let before = collected.address {
      if before != address {
        collected.end(.tcp, isGood: false, "\(before) port \(port) did not work; next: \(address)")
      } else if version == .v311 {
        collected.end(.mqtt, isGood: false, "MQTT 5 was not taken; MQTT 3.1.1 is tried")
      }
    }
    collected.address = address
    collected.version = version
    // Files were read, and a context was made.
    collected.stepBegan = Instant.now()
  }
}

extension LinkFailure {
  /// The stage at which an attempt has failed, after these facts.
  @export(interface)
  package func stage(_ facts: ConnectTrace.Facts, usesTLS: Bool) -> ConnectStage {
    switch self {
    case .nameNotResolved: .name
    case .connectionRefused, .unreachable, .connectTimedOut: .tcp
    case .files, .system, .settingsRefused: .files
    default: usesTLS && facts.tls == nil ? .tls : .mqtt
    }
  }
}
