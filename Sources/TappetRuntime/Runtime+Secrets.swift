// Requests about secrets: they are served on a thread of their own, and what they changed acts at once.

import TappetCore
import TappetDevices

extension Runtime {
  /// Hands a request about secrets on.
  func askDesk(_ message: ControlMessage, for client: ControlServer.Client) {
    guard let peer = client.peer else {
      return client.send(.failure("the kernel does not say who asks; nothing was done"))
    }
    let request = SecretRequest(message.json, enclosing: message.enclosure, by: peer)
    if !secretThread.submit(request, of: client.number) {
      client.send(.failure("too much is asked at once; try again"))
    }
  }

  /// Takes over what was done, then answers: who has the answer can rely on it.
  func take(_ reply: SecretThread.Reply) {
    let answer = reply.answer
    if let secrets = answer.secrets { feed(.secretsLoaded(secrets + ownSecrets)) }
    if let key = answer.timestampKey, configuration.storesTimestampKey { configuration.timestampKey = key }
    if let line = answer.line { say(line) }
    control?.client(reply.client)?.send(answer.json, enclosing: answer.enclosure)
  }
}
