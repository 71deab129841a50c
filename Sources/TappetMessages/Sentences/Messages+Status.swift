// Sentences for the kiosk's state, with the same wording as its reports.

import TappetConfig
import TappetCore

extension KioskStatus.Reader {
  /// Whether the reader is ready, or none is configured.
  package var isGood: Bool { self == .ready || self == .absent }

  /// Returns a human-readable message, one sentence.
  @export(interface)
  package func sentence(_ configuration: KioskConfiguration) -> String {
    switch self {
    case .absent: "none is configured"
    case .starting: "starting"
    case .ready: "the reader is ready"
    case .lost(let loss): loss.sentence(device: configuration.readerDevice)
    case .stopped: "stopped"
    }
  }
}

extension KioskStatus.Link {
  /// Whether the link is connected, or no broker is configured.
  package var isGood: Bool {
    switch self {
    case .absent, .connected: true
    case .connecting, .failed, .resting, .closed: false
    }
  }

  /// Returns a human-readable message, one sentence.
  @export(interface)
  package func sentence(_ configuration: KioskConfiguration) -> String {
    switch self {
    case .absent: "none is configured"
    case .connecting: "connecting"
    case .connected(let endpoint, usesFallback: false): "connected to \(configuration.endpointName(endpoint))"
    case .connected(let endpoint, usesFallback: true):
      "connected to \(configuration.endpointName(endpoint)) with MQTT 3.1.1, since it does not support MQTT 5"
    case .failed(let endpoint, let failure): "\(configuration.endpointName(endpoint)): \(failure.sentence)"
    case .resting(let losses, let rest):
      "\(losses) connections were lost soon after they were made; pausing for \(rest.wholeMilliseconds / 1000) s."
        + " Is another program using the client id '\(configuration.broker?.clientID ?? "")'?"
    case .closed: "disconnected from the broker"
    }
  }
}

extension KioskStatus.PanelProblem {
  /// Returns a human-readable message, one sentence.
  @export(interface)
  package func sentence(_ configuration: KioskConfiguration) -> String {
    switch self {
    case .lost(let part, let fault): fault.sentence(part, configuration)
    case .stuck(let button):
      PanelPart.input(button).name(configuration)
        + " was already pressed when Tappet started monitoring it; ignored until it is released."
        + " Check 'active_low' and the wiring"
    case .chattering(let button):
      PanelPart.input(button).name(configuration)
        + " keeps bouncing; ignored for 30 s. Check its wire and its 'bias'"
    }
  }
}

extension KioskStatus {
  /// Returns the state as one line, for the service manager.
  @export(interface)
  package func line(_ configuration: KioskConfiguration) -> String {
    var line = light.name + "; reader: " + reader.sentence(configuration) + "; broker: " + link.sentence(configuration)
    if let webhooks, !webhooks.isGood { line += "; webhooks: " + webhooks.sentence(configuration) }
    if let inventory, !inventory.isGood { line += "; inventory: " + inventory.sentence }
    if let site, !site.isGood { line += "; site: " + site.sentence }
    if let store { line += "; disk: " + store.sentence(folder: configuration.stateFolder) }
    if !panel.isEmpty { line += "; panel: " + panelSentence(configuration) }
    return line
  }

  /// Returns sentences about all problems of the panel; empty if there are none.
  package func panelSentence(_ configuration: KioskConfiguration) -> String {
    panel.map { $0.sentence(configuration) }.joined(separator: "; ")
  }
}
