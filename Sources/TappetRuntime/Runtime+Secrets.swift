// Requests about secrets: they are served on a thread of their own, and what they changed acts at once.

import CPlatform
import TappetCore
import TappetDevices

extension Runtime {
  /// Hands a request about secrets on.
  func askDesk(_ message: ControlMessage, for client: ControlServer.Client) {
    guard let peer = client.peer else {
      return client.send(.failure("the kernel does not say who asks; nothing was done"))
    }
    let request = SecretRequest(message.json, enclosing: message.enclosure, by: peer)
    let desk = SecretDesk(configuration, owner: geteuid())
    if !secretThread.submit(for: .client(client.number), load: secretLoads, { desk.answer(request) }) {
      client.send(.failure("too much is asked at once; try again"))
    }
  }

  /// Takes over what was done, then answers: who has the answer can rely on it.
  func take(_ reply: SecretThread.Reply) {
    let answer = reply.answer
    if let secrets = answer.secrets {
      // What was loaded here meanwhile is newer: both are in the database by now.
      if reply.load == secretLoads { load(secrets) } else { loadSecretsAnew() }
    }
    if let trouble = answer.copyTrouble { say(Line(copyTrouble: trouble)) }
    if let key = answer.timestampKey, configuration.storesTimestampKey { configuration.timestampKey = key }
    if let line = answer.line { say(line) }
    switch reply.asker {
    case .client(let number): control?.client(number)?.send(answer.json, enclosing: answer.enclosure)
    case .tagJob: tagSaved(answer.json["error"]?.text)
    }
  }

  /// Secrets were changed by the tool: read them anew.
  func reloadSecrets() throws(VaultError) -> Int {
    let vault = try Vault.open(configuration)
    let secrets = try vault.usableSecrets()
    if let trouble = vault.store.backupTrouble { say(Line(copyTrouble: trouble)) }
    load(secrets)
    return secrets.count
  }

  /// As `reloadSecrets`, where nobody waits for an answer.
  func loadSecretsAnew() {
    do throws(VaultError) { _ = try reloadSecrets() } catch {
      say(Line(.error, "secrets-not-loaded", "the new secret is stored, but not in force: \(error.sentence)"))
    }
  }

  /// From now on these are in force.
  func load(_ secrets: [TagSecret]) {
    secretLoads += 1
    feed(.secretsLoaded(secrets + ownSecrets))
  }
}
