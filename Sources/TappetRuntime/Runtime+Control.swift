// What the running kiosk answers to the tool.

import TappetCore
import TappetDevices

extension Runtime {
  /// Answers one request: `{"request": NAME}`.
  func answer(_ message: ControlMessage, from client: ControlServer.Client) {
    let request = message.json
    switch request["request"]?.text {
    case "status":
      client.send(view.json(at: now()))
    case "watch":
      client.isWatching = true
      client.send(view.json(at: now()))
    case "reload-secrets":
      do throws(VaultError) {
        client.send(.object(["secrets": .number(Int64(try reloadSecrets()))]))
      } catch { client.send(.failure(error.sentence)) }
    case "outbox-drop": dropFromOutbox(request, for: client)
    case .some(let name) where SecretDesk.knows(name):
      askDesk(message, for: client)
    case .some(let name):
      if !answerTagRequest(request, name, from: client) { client.send(.failure("unknown request '\(name)'")) }
    case nil:
      client.send(.failure("the request has no 'request'"))
    }
  }

  /// A reading for the tool, which knows what to make of it.
  func describe(_ reading: TagReading) -> JSON {
    .object([
      "uid": .string(Hex.encode(reading.uid.bytes)), "model": .number(Int64(reading.model.rawValue)),
      "memory": .string(Hex.encode(reading.bytes)),
    ])
  }
}
