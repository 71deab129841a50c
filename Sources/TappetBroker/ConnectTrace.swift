// The steps of one connection attempt with their times, as reported by the link's thread.

import TappetCore
import TappetPlatform
import TappetTLS

/// The stage of an attempt to which a step belongs.
package enum ConnectStage: Int32, Sendable {
  /// The local side: files, memory, settings.
  case files = 1
  case name
  case tcp
  case tls
  case mqtt

  /// The machine-readable name of the stage.
  package var word: String {
    @export(interface) get {
      switch self {
      case .files: "files"
      case .name: "name"
      case .tcp: "tcp"
      case .tls: "tls"
      case .mqtt: "mqtt"
      }
    }
  }
}

/// One step, in human- and machine-readable form.
package struct ConnectStep: Sendable {
  /// The stage to which the step belongs.
  package var stage: ConnectStage
  /// Whether the step succeeded.
  package var isGood: Bool
  /// The result of the step, or the reason for its failure.
  package var text: String
  /// Duration of the step in microseconds.
  package var microseconds: Int64
}

/// Collects the steps of one attempt.
package final class ConnectTrace: Sendable {
  /// The steps so far, and the facts gathered from them.
  package struct Facts: Sendable {
    /// The steps, in order.
    package var steps: [ConnectStep] = []
    /// The address tried last.
    package var address: String?
    /// The MQTT version tried last.
    package var version: MQTTVersion?
    /// Facts about the TLS connection; `nil` before its handshake is complete.
    package var tls: TLSConnectionFacts?
    /// Whether the broker has requested a client certificate.
    package var wantsCertificate = false
    /// The broker's CONNACK; `nil` before it arrives.
    package var connack: ConnackFacts?
    private let began = Instant.now()
    fileprivate var stepBegan = Instant.now()

    /// Time from the start of the attempt to the end of its last step, in microseconds.
    package var microseconds: Int64 { (stepBegan - began).wholeNanoseconds / 1000 }

    /// Adds a step that ends now.
    package mutating func end(_ stage: ConnectStage, isGood: Bool = true, _ text: String) {
      let now = Instant.now()
      let microseconds = (now - stepBegan).wholeNanoseconds / 1000
      steps.append(ConnectStep(stage: stage, isGood: isGood, text: text, microseconds: microseconds))
      stepBegan = now
    }
  }

  fileprivate struct State: Sendable {
    var endpoint: BrokerEndpoint
    var collected = Facts()
  }

  private let state: Mutexed<State>

  package init(_ endpoint: BrokerEndpoint) { state = Mutexed(State(endpoint: endpoint)) }

  /// Whether the endpoint is reached over TLS.
  package var usesTLS: Bool { state.locked { $0.endpoint.usesTLS } }

  /// A copy of the facts so far.
  package var facts: Facts { state.locked { $0.collected } }

  /// Discards the facts about the last attempt, before a new attempt.
  package func restart(_ endpoint: BrokerEndpoint) { state.locked { $0 = State(endpoint: endpoint) } }

  /// Adds the step that ends the attempt.
  package func end(_ stage: ConnectStage, isGood: Bool, _ text: String) {
    state.locked { $0.collected.end(stage, isGood: isGood, text) }
  }

  /// Records a step; called on the link's thread.
  package func note(_ step: LinkStep) { state.locked { $0.take(step) } }
}

extension ConnectTrace.State {
  fileprivate mutating func take(_ step: LinkStep) {
    switch step {
    case .resolved(let addresses): collected.end(.name, addresses.joined(separator: ", "))
    case .trying(let address, let version): tryAgain(at: address, version)
    case .reached: collected.end(.tcp, "\(collected.address ?? "") port \(endpoint.port)")
    case .secured(let connection, let wantsCertificate):
      let facts = TLSConnectionFacts(connection)
      collected.tls = facts
      collected.wantsCertificate = wantsCertificate
      collected.end(.tls, facts.version + ", " + facts.cipher + (facts.alpn.map { ", ALPN " + $0.quoted } ?? ""))
    case .answered(let properties): collected.connack = ConnackFacts(properties)
    }
  }

  /// Handles a retry at a different address, or at the same address with MQTT 3.1.1.
  private mutating func tryAgain(at address: String, _ version: MQTTVersion) {
    if let before = collected.address {
      if before != address {
        collected.end(.tcp, isGood: false, "\(before) port \(endpoint.port) did not work; next: \(address)")
      } else if version == .v311 {
        collected.end(.mqtt, isGood: false, "MQTT 5 was not accepted; trying MQTT 3.1.1")
      }
    }
    collected.address = address
    collected.version = version
    // Excludes the time spent reading files and creating a context.
    collected.stepBegan = Instant.now()
  }
}

extension LinkFailure {
  /// Returns the stage at which an attempt failed, based on the given facts.
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
