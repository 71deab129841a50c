// The steps of one attempt to connect with their times, as the link's thread reports them.

import TappetBroker
import TappetCore
import TappetPlatform
import TappetTLS

/// One step, for a person and for programs.
struct ConnectStep: Sendable {
  /// `name`, `tcp`, `tls` or `mqtt`.
  var name: String
  var isGood: Bool
  var text: String
  var microseconds: Int64
}

/// Collects the steps of one attempt.
final class ConnectTrace: Sendable {
  /// The steps so far, and the facts that they brought.
  struct Facts: Sendable {
    var steps: [ConnectStep] = []
    var addresses: [String] = []
    var address: String?
    var tls: TLSConnectionFacts?
    var wantsCertificate = false
    var connack: ConnackFacts?
    let began = Instant.now()
    fileprivate var stepBegan = Instant.now()

    /// The time since the attempt began, up to the last step's end.
    var microseconds: Int64 { (stepBegan - began).wholeNanoseconds / 1000 }

    /// Adds a step that ends now.
    mutating func end(_ name: String, isGood: Bool = true, _ text: String) {
      let now = Instant.now()
      let microseconds = (now - stepBegan).wholeNanoseconds / 1000
      steps.append(ConnectStep(name: name, isGood: isGood, text: text, microseconds: microseconds))
      stepBegan = now
    }
  }

  private let port: UInt16
  private let monitor = Monitor()
  // Unchecked because the compiler cannot see the monitor, which is locked wherever this is touched.
  private nonisolated(unsafe) var collected = Facts()

  init(_ endpoint: BrokerEndpoint) { port = endpoint.port }

  /// A copy of the facts so far.
  var facts: Facts { monitor.locked { collected } }

  /// The link's thread.
  func note(_ step: LinkStep) { monitor.locked { take(step) } }

  private func take(_ step: LinkStep) {
    switch step {
    case .resolved(let addresses):
      collected.addresses = addresses
      collected.end("name", addresses.joined(separator: ", "))
    case .trying(let address, let version):
      tryAgain(at: address, version)
    case .reached: collected.end("tcp", "\(collected.address ?? "") port \(port)")
    case .secured(let connection, let wantsCertificate):
      let facts = TLSConnectionFacts(connection)
      collected.tls = facts
      collected.wantsCertificate = wantsCertificate
      collected.end("tls", facts.version + ", " + facts.cipher + (facts.alpn.map { ", ALPN " + $0.quoted } ?? ""))
    case .answered(let properties): collected.connack = ConnackFacts(properties)
    }
  }

  /// The second try is another address, or the same one with MQTT 3.1.1.
  private func tryAgain(at address: String, _ version: MQTTVersion) {
    if let before = collected.address {
      if before != address {
        collected.end("tcp", isGood: false, "\(before) port \(port) did not work; next: \(address)")
      } else if version == .v311 {
        collected.end("mqtt", isGood: false, "MQTT 5 was not taken; MQTT 3.1.1 is tried")
      }
    }
    collected.address = address
    // Files were read, and a context was made.
    collected.stepBegan = Instant.now()
  }
}
