// The running kiosk's answers to the tool.

import CPlatform
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

extension Runtime {
  /// Whether the client is one of the kiosk's helpers, which has to be taken over before it asks.
  ///
  /// It runs as the kiosk's own user, who may see keys.
  func refuses(_ client: ControlServer.Client) -> Bool {
    guard let peer = client.peer, helpers.contains(peer.process) else { return false }
    log(LogRecord(refused: peer))
    kill(peer.process, SIGKILL)
    return true
  }

  /// Answers one request: `{"request": NAME}`.
  func answer(_ message: ControlMessage, from client: ControlServer.Client) {
    let request = message.json
    switch request["request"]?.text {
    case "status":
      client.send(view.json(maySeeKeys: client.maySeeKeys))
    case "watch":
      client.isWatching = true
      client.send(view.json(maySeeKeys: client.maySeeKeys))
    case "panel-lock":
      feed(.panel(.lockAsked))
      client.send(.object(["locked": kiosk.status.isLocked.map { .bool($0) } ?? .null]))
    case "output": switchOutput(request, for: client)
    case "command": testCommand(request, for: client)
    case "outbox-drop": dropFromOutbox(request, for: client)
    case .some(let name) where SecretService.knows(name):
      handleSecretRequest(message, for: client)
    case .some(let name):
      if !answerTagRequest(request, name, from: client) { client.send(.failure("unknown request '\(name)'")) }
    case nil:
      client.send(.failure("the request has no 'request'"))
    }
  }

  /// A tag reading for the tool, which interprets it.
  func describe(_ reading: TagReading) -> JSON {
    .object([
      "uid": .string(Hex.encode(reading.uid.bytes)), "model": .number(Int64(reading.model.rawValue)),
      "memory": .string(Hex.encode(reading.bytes)),
    ])
  }
}
