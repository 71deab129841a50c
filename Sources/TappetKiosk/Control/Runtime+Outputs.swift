// Requests of a person to the outputs, over the control socket.

import TappetConfig
import TappetCore
import TappetMessages

extension Runtime {
  /// `{"request": "output", "output": NAME, "do": "on"|"off"|"pulse"|"toggle"}`; without a name, all are only listed.
  ///
  /// Answered by `{"outputs": […]}` as they are then.
  func switchOutput(_ request: JSON, for client: ControlServer.Client) {
    if let name = request["output"]?.text {
      guard let wanted = OutputRequest.allCases.first(where: { $0.word == request["do"]?.text }) else {
        return client.send(.failure("an output can be switched 'on' or 'off', by a 'pulse' or to 'toggle'"))
      }
      if let refusal = kiosk.refusal(toSwitch: name) {
        return client.send(.failure("'\(name)' was not switched: " + refusal.sentence))
      }
      feed(.outputAsked(name, wanted))
    }
    client.send(.object(["outputs": view.outputsJSON]))
  }
}
