// The kiosk's requests about secrets to the store thread. A change takes effect before its author receives the
// response.

import CPlatform
import TappetBroker
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetSQLite
import TappetStore

/// The recipient of the response to a request about secrets.
enum SecretRequester: Sendable {
  /// A client of the control socket, identified by its number.
  case client(UInt64)
  /// The embedding program, with its request number.
  case program(UInt64)
  /// A client of the page's socket, identified by its number.
  case page(UInt64)
  /// A user in a room.
  indirect case room(CommandReply.Address)
}

/// A result of work on the store thread.
enum SecretNotice: Sendable {
  /// The response to a request.
  case answered(SecretAnswer, for: SecretRequester)
  /// All people, for the embedding program, with its request number.
  case people(Result<[ListedPerson], SecretFailure>, for: UInt64)
  /// A prepared tag job, or its refusal.
  case tagJobPrepared(Result<TagJob, TagJobRefusal>)
  /// The result of storing the secret of a written tag.
  case tagSecretSaved(SecretAnswer)
  /// The part of a new configuration that is stored in the database, or the error.
  case reloaded(Reload, Result<Reload.Secrets, SecretStoreError>)
  /// The result of applying a site bundle; if it was applied, with all usable secrets.
  case siteEnded(Result<SiteRecord, SiteRefusal>, [TagSecret]?)
  /// The last rows of the tap log, one line each, for a user in a room.
  indirect case history(Result<[String], SecretStoreError>, for: CommandReply.Address)
  /// The replica of the secrets could not be written.
  case replicaFailed(DatabaseError)
  /// The result of a password that a device has sent, identified by its client's number on the page's socket.
  case pagePassword(Result<PagePassword.Check, SecretFailure>, of: PageDevice, for: UInt64)
  /// The page's request whose author the audit has recorded, or the reason why it could not, with its client's number.
  case toolNoted(SecretFailure?, ToolRequest, for: UInt64)
  /// The day of a device's use was recorded, unless the disk is full.
  case pageUseRecorded
  /// All devices of the page, or the error.
  case pageDevices(Result<[PageDevice], SecretStoreError>)
}

extension Runtime {
  /// Passes a client's request to the store thread.
  func serve(_ request: SecretRequest, for client: ControlServer.Client) {
    guard let author = client.author else {
      return client.send(.failure("cannot identify the client process; nothing was done"))
    }
    var request = request
    if case .importPeople(let rows, let isTrial) = request {
      guard let all = staged(rows, for: client) else { return }
      request = .importPeople(all, isTrial: isTrial)
    }
    if !ask(request, by: author, for: client.page == nil ? .client(client.number) : .page(client.number)) {
      client.send(.failure(SharedSentence.tooManyRequests, code: "busy"))
    }
  }

  /// Passes a request from the embedding program to the store thread; returns false if too many requests are pending.
  ///
  /// `observers.onSecretAnswer` receives the response, with `number`.
  @export(interface)
  package func ask(_ request: SecretRequest, number: UInt64) -> Bool {
    ask(request, by: .current(), for: .program(number))
  }

  /// Lists all people on the store thread, for the embedding program; returns false if too many requests are pending.
  ///
  /// `observers.onPeople` receives the list, with `number`.
  package func listPeople(number: UInt64) -> Bool {
    askStore(isRequired: false) { secrets in
      do throws(SecretStoreError) {
        return .people(.success(try secrets.get().listedPeople()), for: number)
      } catch { return .people(.failure(SecretFailure(error)), for: number) }
    }
  }

  func ask(_ request: SecretRequest, by peer: LocalPeer, for requester: SecretRequester) -> Bool {
    let answerSizeMax = if case .page = requester { Limits.webMessageSizeMax } else { Limits.controlReplySizeMax }
    let service = SecretService(configuration, owner: geteuid(), answerSizeMax: answerSizeMax)
    return askStore(isRequired: false) { secrets in
      .answered(service.answer(request, by: peer, in: secrets), for: requester)
    }
  }

  /// Performs `work` on the store thread and posts its result; returns false if too much work is pending.
  ///
  /// `isRequired` marks the kiosk's own work, which is always accepted.
  @discardableResult
  @export(interface)
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

  /// Applies a change, then sends the response.
  func handle(_ notice: SecretNotice) {
    switch notice {
    case .answered(let answer, .program(let number)):
      apply(answer)
      observers.onSecretAnswer?(number, answer.failure)
    case .answered(let answer, .client(let number)):
      apply(answer)
      control.server?.client(number)?.send(answer.json, enclosing: answer.secretPayload)
    case .answered(let answer, .page(let number)):
      // A device that removes itself receives the response before it is disconnected.
      page.server?.client(number)?.send(answer.json, enclosing: answer.secretPayload)
      apply(answer)
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
    case .pageUseRecorded: break
    case .pageDevices(let devices): adopt(pageDevices: devices)
    case .pagePassword(let result, let device, let number): checked(result, of: device, for: number)
    case .toolNoted(let failure, let request, let number): perform(request, noted: failure, for: number)
    }
  }

  private func apply(_ answer: SecretAnswer) {
    if let secrets = answer.secrets { load(secrets) }
    if let tags = answer.learnedTags { feed(.tagsLearned(tags)) }
    if answer.replacesPagePassword { page.confirmed = [:] }
    if let devices = answer.pageDevices { adopt(pageDevices: .success(devices)) }
    if let action = answer.renamedAction { feed(.actionRenamed(from: action.former, to: action.name)) }
    if let key = answer.timestampKey, configuration.storesTimestampKey {
      configuration.timestampKey = key
      replaceCommandKeys()
    }
    if let password = answer.brokerPassword, configuration.storesPassword {
      configuration.broker?.password = password
      if let settings = configuration.broker { broker?.update(settings: settings) }
    }
    if let record = answer.logRecord { log(record) }
  }

  /// Activates the given secrets.
  func load(_ secrets: [TagSecret]) {
    feed(.secretsLoaded(secrets + store.ownSecrets))
    showPeopleChangedOnPage()
  }
}
