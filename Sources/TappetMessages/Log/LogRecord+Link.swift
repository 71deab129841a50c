// Log records for reports about the broker connection.

import TappetConfig
import TappetCore

extension LogRecord {
  init(_ report: LinkReport, _ configuration: KioskConfiguration) {
    switch report {
    case .connected(let index, let usesFallback):
      let condition = KioskStatus.Link.connected(endpoint: index, usesFallback: usesFallback)
      self.init(.notice, "broker-connected", condition.sentence(configuration))
    case .didFallBack(let index, let failure, let duration):
      let days = duration.wholeMilliseconds / (24 * 3600 * 1000)
      self.init(
        .warning, "broker-fallback", failure.fallbackSentence(configuration.endpointName(index), days: days),
        [("code", failure.code)])
    case .withoutRetained(let index):
      self.init(
        .warning, "broker-without-retained",
        configuration.endpointName(index) + " does not support retained messages: the kiosk's status and other "
          + "retained messages reach only clients that are already subscribed")
    case .failed(let index, let failure, let delay):
      self.init(
        .warning, "broker-unreachable", KioskStatus.Link.failed(endpoint: index, failure).sentence(configuration),
        [("code", failure.code), ("retry_in_ms", String(delay.wholeMilliseconds))])
    case .lost(let index, let failure, let delay):
      self.init(
        .warning, "broker-lost", KioskStatus.Link.failed(endpoint: index, failure).sentence(configuration),
        [("code", failure.code), ("retry_in_ms", String(delay.wholeMilliseconds))])
    case .storm(let losses, let rest):
      self.init(.error, "broker-storm", KioskStatus.Link.resting(losses: losses, rest: rest).sentence(configuration))
    case .closed:
      self.init(.info, "broker-disconnected", KioskStatus.Link.closed.sentence(configuration))
    }
  }
}
