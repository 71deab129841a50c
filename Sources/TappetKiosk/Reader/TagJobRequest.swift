// A user's request for a tag job, from the command line or over the control socket. It never contains a key: the secret
// is created where the job runs.

import TappetConfig
import TappetCore
import TappetMessages
import TappetStore

/// A request for a job on the next tag.
package struct TagJobRequest: Sendable {
  /// The kind of job.
  package var kind: TagJobKind
  /// For `write`: the action's name; `nil` to write only the text, without a secret.
  package var action: String?
  /// For `write`: the secret's label.
  package var label: String?
  /// For `write`: the name of the tag's new owner.
  package var person: String?
  /// For `write`: text to store, in addition to the URL if there is an action, for readers of other systems.
  package var text: String?
  /// For `write`: whether to use the older format, from which a phone can import the secret.
  package var carriesKey = false
  /// For `write`: whether to protect the tag, so that only this kiosk can write it later.
  package var protects = false
  /// Maximum time that the kiosk waits for the tag if a client has requested the job.
  package var limit = Limits.tagJobTime

  /// Creates a request with default options.
  package init(_ kind: TagJobKind) { self.kind = kind }

  /// Prepares the job on the store thread.
  func job(
    _ configuration: KioskConfiguration, in secrets: StoreThread.Secrets, unixSeconds: Int64
  ) -> Result<TagJob, TagJobRefusal> {
    switch secrets {
    case .failure(let error): return .failure(.secretStore(error))
    case .success(let secretStore):
      do throws(TagJobRefusal) {
        return .success(try job(configuration, secretStore, unixSeconds: unixSeconds))
      } catch { return .failure(error) }
    }
  }

  /// Prepares the job; throws if it can be refused before a tag is present.
  func job(
    _ configuration: KioskConfiguration, _ secretStore: SecretStore, unixSeconds: Int64
  ) throws(TagJobRefusal) -> TagJob {
    guard configuration.reader != nil else { throw .noReader }
    let work: TagJob.Work
    var known = FormerSecrets()
    switch kind {
    case .write where action == nil && text != nil:
      let record = NDEFRecord(text: (text ?? "").cut(toSize: Limits.inventoryCodeSizeMax))
      work = .writeMessage(NDEFMessage(records: [record]).encode() ?? [])
    case .write:
      guard let action = configuration.actions.first(where: { $0.name == action }) else {
        throw .noSuchAction(action ?? "", known: configuration.actions.map { $0.name })
      }
      let index: Int64
      let owner: Person?
      do throws(SecretStoreError) {
        known = try secretStore.formerSecrets(limit: configuration.secretsPerActionMax)
        try requireRoom(for: action.name, known)
        owner = try person.map { (name) throws(SecretStoreError) in try secretStore.person(named: name) }
        index = try secretStore.indexes(of: configuration.actions).index(of: action.name) ?? action.index
      } catch { throw .secretStore(error) }
      do throws(TagDraftError) {
        work = .write(
          try TagDraft(
            action: action, index: index, label: label, person: owner, carriesKey: carriesKey,
            text: text.map { $0.cut(toSize: Limits.inventoryCodeSizeMax) }, unixSeconds: unixSeconds),
          protects: protects)
      } catch { throw .draft(error) }
    case .erase: work = .erase
    case .lock: work = .lock
    case .format: work = .format
    }
    do throws(SecretStoreError) {
      let passwordKey = try secretStore.tagPasswordKey(making: protects && kind == .write)
      return TagJob(work, passwordKey: passwordKey, known: known)
    } catch { throw .secretStore(error) }
  }

  /// Refuses the job early if the action has reached its limit, so that no tag is presented in vain, unless one of the
  /// action's tags may be rewritten; the limit is checked again when the secret is saved.
  private func requireRoom(for action: String, _ known: FormerSecrets) throws(SecretStoreError) {
    if known.isFull(action), !known.hasTag(of: action) {
      throw .secret(.limitReached(action: action, max: known.limit))
    }
  }
}

/// The reason why a job was refused.
package indirect enum TagJobRefusal: Error, Hashable, Sendable {
  case noReader
  case noSuchAction(String, known: [String])
  case draft(TagDraftError)
  case secretStore(SecretStoreError)

  /// The refusal, as one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .noReader: return "the configuration sets 'reader: none', but this operation requires a reader"
      case .noSuchAction(let name, let known):
        var text = "there is no action '\(name)'; the actions are "
        for (index, name) in known.enumerated() { text += (index == 0 ? "" : ", ") + name }
        return text
      case .draft(let error): return error.sentence
      case .secretStore(let error): return error.sentence
      }
    }
  }

  /// Machine-readable code of the refusal.
  package var code: String {
    @export(interface) get {
      switch self {
      case .noReader: "reader-none"
      case .noSuchAction: "action-unknown"
      case .draft(.label): "label-malformed"
      case .draft(.crypto): "no-randomness"
      case .secretStore(.secret(.limitReached)): "secrets-full"
      case .secretStore(.secret(.person)): "person-unknown"
      case .secretStore: "failed"
      }
    }
  }

  var isRefusal: Bool {
    switch self {
    case .noReader, .noSuchAction, .draft(.label),
      .secretStore(.secret(.limitReached)), .secretStore(.secret(.person)):
      true
    case .draft(.crypto), .secretStore: false
    }
  }
}
