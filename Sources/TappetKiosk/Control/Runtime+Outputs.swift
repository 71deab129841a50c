// Requests to the outputs, from a user over the control socket and from the embedding program.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages

/// An output of the panel, by its name in the configuration.
package struct OutputState: Hashable, Sendable {
  package var name: String
  package var isOn: Bool
  package var isAvailable: Bool
}

extension Runtime {
  /// The outputs in the order of the configuration.
  package var outputs: [OutputState] {
    zip(configuration.panel.outputs, kiosk.outputStates).map {
      OutputState(name: $0.plan.name, isOn: $1.isOn, isAvailable: $1.isAvailable)
    }
  }

  /// Requests a change of an output on behalf of the embedding program, which asked for it at `time`.
  package func switchOutput(_ name: String, _ request: OutputRequest, at time: Instant) {
    feed(.outputAsked(name, request, by: .program, at: time))
  }

  /// Switches an output for a client; the response is `{"outputs": […]}` with the resulting states.
  func switchOutput(_ name: String, _ request: OutputRequest, for client: ControlServer.Client) {
    if let refusal = kiosk.refusal(of: OutputOrder(output: name, request: request)) {
      return client.send(.failure("'\(name)' was not switched: " + refusal.sentence))
    }
    feed(.outputAsked(name, request))
    listOutputs(for: client)
  }

  func listOutputs(for client: ControlServer.Client) { client.send(.object(["outputs": view.outputsJSON])) }
}
