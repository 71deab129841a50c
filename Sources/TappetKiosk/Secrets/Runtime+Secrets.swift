// The kiosk's requests about secrets to the store's thread. A change is in force before its author has the answer.

import CPlatform
import TappetBroker
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

/// The receiver of the answer to a request about secrets.
enum SecretRequester: Sendable {
  /// A client of the control socket, by its number.
  case client(UInt64)
  /// The program around the kiosk, with its own number for the request.
  case program(UInt64)
  /// Somebody in a room.
  indirect case room(CommandReply.Address)
}

/// The store thread's answer to work on the secrets.
enum SecretNotice: Sendable {
  /// A request was served, or not.
  case answered(SecretAnswer, for: SecretRequester)
  /// All people, for the program around the kiosk, with its own number for the request.
  case people(Result<[ListedPerson], SecretFailure>, for: UInt64)
  /// A job for a tag may begin, or may not.
  case tagJobPrepared(Result<TagJob, TagJobRefusal>)
  /// The secret of the tag that was written is stored, or cannot be.
  case tagSecretSaved(SecretAnswer)
  /// The rest of a new configuration was loaded, or cannot be.
  case reloaded(Reload, Result<Reload.Secrets, SecretStoreError>)
  /// A bundle of the site was put into force, and these are all usable secrets; or it was not.
  case siteEnded(Result<SiteRecord, SiteRefusal>, [TagSecret]?)
  /// The last rows of the log of taps, each a line, for somebody in a room.
  indirect case history(Result<[String], SecretStoreError>, for: CommandReply.Address)
  /// The secrets' replica could not be written.
  case replicaFailed(DatabaseError)
}

extension Runtime {
  /// Has the store's thread serve a client's request.
  func serve(_ request: SecretRequest, for client: ControlServer.Client) {
    guard let peer = client.peer else {
      return client.send(.failure("cannot identify the client process; nothing was done"))
    }
    var request = request
    if case .importPeople(let rows, let isTrial) = request {
      guard let all = staged(rows, for: client) else { return }
      request = .importPeople(all, isTrial: isTrial)
    }
    if !ask(request, by: peer, for: .client(client.number)) {
      client.send(.failure("too much is asked at once; try again"))
    }
  }

  /// Has the store's thread serve a request of the program around the kiosk; returns false when too much waits there.
  ///
  /// `observers.onSecretAnswer` gets the answer, with `number`.
  package func ask(_ request: SecretRequest, number: UInt64) -> Bool {
    ask(request, by: .current(), for: .program(number))
  }

  /// Has the store's thread list all people for the program around the kiosk; returns false when too much waits there.
  ///
  /// `observers.onPeople` gets them, with `number`.
  package func listPeople(number: UInt64) -> Bool {
    askStore(isRequired: false) { secrets in
      do throws(SecretStoreError) {
        return .people(.success(try secrets.get().listedPeople()), for: number)
      } catch { return .people(.failure(SecretFailure(error)), for: number) }
    }
  }

  func ask(_ request: SecretRequest, by peer: LocalPeer, for requester: SecretRequester) -> Bool {
    let service = SecretService(configuration, owner: geteuid())
    return askStore(isRequired: false) { secrets in
      .answered(service.answer(request, by: peer, in: secrets), for: requester)
    }
  }

  /// Performs `work` on the store's thread and posts its result; returns false when too much of it waits there.
  ///
  /// `isRequired`: the kiosk's own work, which always finds room.
  @discardableResult
  func askStore(isRequired: Bool, _ work: @escaping @Sendable (StoreThread.Secrets) -> SecretNotice) -> Bool {
    let mailbox = inbox.mailbox
    return store.thread.submit(isRequired: isRequired) { secrets in
      let notice = work(secrets)
      return { replicaError in
        if let replicaError { mailbox.post(.secrets(.replicaFailed(replicaError))) }
        mailbox.post(.secrets(notice))
      }
    }
  }

  /// Puts a change into force, then answers.
  func handle(_ notice: SecretNotice) {
    switch notice {
    case .answered(let answer, .program(let number)):
      apply(answer)
      observers.onSecretAnswer?(number, answer.failure)
    case .answered(let answer, .client(let number)):
      apply(answer)
      control.server?.client(number)?.send(answer.json, enclosing: answer.secretPayload)
    case .answered(let answer, .room(let address)):
      apply(answer)
      served(address, answer.failure)
    case .people(let people, let number): observers.onPeople?(number, people)
    case .history(let lines, let address): served(address, lines)
    case .tagJobPrepared(let job): tagJobPrepared(job)
    case .tagSecretSaved(let answer):
      apply(answer)
      tagSecretSaved(answer.failure?.sentence)
    case .reloaded(let reload, let secrets): finish(reload, secrets)
    case .siteEnded(let result, let secrets):
      if let secrets { load(secrets) }
      feed(.site(.ended(result)))
    case .replicaFailed(let error): log(LogRecord(replicaError: error))
    }
  }

  private func apply(_ answer: SecretAnswer) {
    if let secrets = answer.secrets { load(secrets) }
    if let tags = answer.learnedTags { feed(.tagsLearned(tags)) }
    if let action = answer.renamedAction { feed(.actionRenamed(from: action.former, to: action.name)) }
    if let key = answer.timestampKey, configuration.storesTimestampKey {
      configuration.timestampKey = key
      replaceCommandKeys()
    }
    if let password = answer.brokerPassword, configuration.storesPassword {
      configuration.broker.password = password
      broker.update(settings: configuration.broker)
    }
    if let record = answer.logRecord { log(record) }
  }

  /// Puts these secrets into force.
  func load(_ secrets: [TagSecret]) { feed(.secretsLoaded(secrets + store.ownSecrets)) }
}
