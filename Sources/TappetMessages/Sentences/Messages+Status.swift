// Sentences for the kiosk's state, with the same wording as its reports.

import TappetConfig
import TappetCore
import TappetPlatform

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
    case .lost(let loss): loss.sentence(device: configuration.reader?.device)
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
      "connected to \(configuration.endpointName(endpoint)) with MQTT 3.1.1, because MQTT 5 failed there"
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

/// The state of one part of the kiosk.
package struct PartState: Sendable {
  /// Whether the part works as intended.
  package var isGood: Bool
  /// Machine-readable state, or cause of a problem.
  package var code: String
  /// Human-readable activity or problem.
  package var text: String

  fileprivate init(_ isGood: Bool, _ code: String, _ text: String) {
    (self.isGood, self.code, self.text) = (isGood, code, text)
  }
}

extension PartState {
  /// Creates the state of a page whose socket could not be created.
  @export(interface)
  package init(pageLost code: Int32, _ configuration: KioskConfiguration) {
    let error = SystemError(call: "bind", code: code)
    let reason = error.isAddressInUse ? "another program or file has this path" : error.text
    self.init(
      false, "page-lost",
      "its socket \(configuration.web?.socket ?? "") cannot be created: \(reason); mend it or set "
        + "'web: {socket: …}', then reload")
  }
}

extension KioskStatus {
  /// Returns the state of a part; `nil` if this kiosk does not have it.
  @export(interface)
  package func state(of part: KioskPart, _ configuration: KioskConfiguration) -> PartState? {
    switch part {
    case .reader: PartState(reader.isGood, reader.code, reader.sentence(configuration))
    case .broker: PartState(link.isGood, link.code, link.sentence(configuration))
    case .disk:
      PartState(store == nil, store?.code ?? "good", store?.sentence(folder: configuration.stateFolder) ?? "good")
    case .panel where configuration.panel == PanelSettings(): PartState(true, "none", "none is configured")
    case .panel:
      PartState(
        panel.isEmpty, panel.first?.code ?? "good",
        panel.isEmpty ? "good" : panel.map { $0.sentence(configuration) }.joined(separator: "; "))
    case .webhooks: webhooks.map { PartState($0.isGood, $0.code, $0.sentence(configuration)) }
    case .rooms: rooms.map { PartState($0.isGood, $0.code, $0.sentence) }
    case .inventory: inventory.map { PartState($0.isGood, $0.code, $0.sentence) }
    case .site: site.map { PartState($0.isGood, $0.code, $0.sentence) }
    case .page: pageErrno.map { $0 == 0 ? PartState(true, "good", "good") : PartState(pageLost: $0, configuration) }
    }
  }

  /// Returns the state as one line, for the service manager: the reader, the broker, and what does not work.
  @export(interface)
  package func line(_ configuration: KioskConfiguration) -> String {
    var line = light.name
    for part in KioskPart.allCases {
      guard let state = state(of: part, configuration), part == .reader || part == .broker || !state.isGood else {
        continue
      }
      line += "; \(part.rawValue): " + state.text
    }
    return line
  }
}
