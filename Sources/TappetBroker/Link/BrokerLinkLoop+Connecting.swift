// Connection attempts on the link's thread: one address after the other, each with a separate libmosquitto object.

import TappetCore
import TappetPlatform
import TappetTLS

extension BrokerLinkLoop {
  func connect(endpoint index: Int, mqtt5: MQTT5Support) {
    guard !isEnding, !settings.endpoints.isEmpty else { return events.post(.failed(.settingsRefused(code: 0))) }
    current = settings
    let count = current.endpoints.count
    let endpoint = current.endpoints[((index % count) + count) % count]
    do throws(LinkFailure) {
      events.deliver()
      heartbeat.beginBlockingCall(at: now)
      defer { heartbeat.endBlockingCall() }
      let addresses = try BrokerLinkAddresses.resolve(endpoint.host)
      observe?(.resolved(addresses))
      let attempt = BrokerLinkAttempt(
        current, endpoint: endpoint, mqtt5: mqtt5, keepsRetained: !status.withoutRetained.contains(endpoint),
        addresses: addresses, deadline: now + current.answerMax)
      tryNextAddress(of: attempt, after: .connectTimedOut)
    } catch { end(.failed(error)) }
  }

  /// Tries the next address; if none is left, the attempt fails with the previous address's `failure`.
  func tryNextAddress(of attempt: BrokerLinkAttempt, after failure: LinkFailure) {
    var attempt = attempt
    var failure = failure
    session = nil
    while let address = attempt.nextAddress(at: now) {
      do throws(LinkFailure) {
        try start(address, attempt)
        phase = .connecting(attempt)
        return
      } catch { failure = error }
      guard failure.isOfTheAddress else { break }
    }
    end(.failed(failure))
  }

  /// Records whether a broker that accepted the connection supports retained messages.
  func recordRetained(_ connack: BrokerLinkSession.Connack, _ endpoint: BrokerEndpoint) {
    if connack.facts.hasRetained == false { current.keepsRetained = false }
    guard !current.keepsRetained, status.withoutRetained.insert(endpoint).inserted else { return }
    events.post(.lacksRetained)
  }

  private func start(_ address: String, _ attempt: BrokerLinkAttempt) throws(LinkFailure) {
    let endpoint = attempt.endpoint
    var tls: TLSContext?
    if endpoint.usesTLS {
      do throws(CertificateProblem) { tls = try Certificates.makeContext(current, endpoint: endpoint) } catch {
        throw .files(error)
      }
    }
    observe?(.trying(address: address, attempt.version))
    (current.keepsRetained, current.keepaliveSeconds) = (attempt.keepsRetained, attempt.keepaliveSeconds)
    var settings = current
    if attempt.testsQoS0 {
      settings.will = current.lastWill
      settings.will?.qos = 0
      settings.announcesStatus = false
    }
    let session = try BrokerLinkSession(
      settings, attempt.version, tls: tls, window: window.size, observe: observe, readsProperties: readsProperties)
    let outcome = session.start(address: address, port: endpoint.port, keepaliveSeconds: current.keepaliveSeconds)
    if let failure = outcome.startFailure(of: session, settings: current) { throw failure }
    self.session = session
    budget = InboundQuota()
  }
}
