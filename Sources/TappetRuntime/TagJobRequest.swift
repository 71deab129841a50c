// What a person wants done to a tag, from the command line or over the control socket. It never holds a key: where the job
// runs, there the secret is made.

import TappetCore
import TappetDevices

/// A wish for the next tag.
public struct TagJobRequest: Sendable {
  /// What is to be done.
  public enum Kind: Hashable, Sendable {
    case write
    case erase
    case lock
    case format

    /// The name in requests and in the log.
    public var name: String {
      switch self {
      case .write: "write"
      case .erase: "erase"
      case .lock: "lock"
      case .format: "format"
      }
    }
  }

  /// What is to be done.
  public var kind: Kind
  /// For `write`: the action's name.
  public var action: String?
  /// For `write`: of the secret.
  public var label: String?
  /// For `write`: in the older form, from which a phone can import the secret.
  public var carriesKey = false
  /// For `write`: only this kiosk can write the tag from then on.
  public var protects = false

  /// A wish.
  public init(_ kind: Kind) { self.kind = kind }

  /// From a request on the control socket; nil when its `kind` is none.
  init?(_ json: JSON) {
    switch json["kind"]?.text {
    case "write": self.init(.write)
    case "erase": self.init(.erase)
    case "lock": self.init(.lock)
    case "format": self.init(.format)
    default: return nil
    }
    action = json["action"]?.text
    label = json["label"]?.text
    carriesKey = json["with_key"] == .bool(true)
    protects = json["protect"] == .bool(true)
  }

  /// The request on the control socket.
  public var json: JSON {
    .object([
      "request": .string("tag-job"), "kind": .string(kind.name), "action": .optional(action),
      "label": .optional(label), "with_key": .bool(carriesKey), "protect": .bool(protects),
    ])
  }

  /// The job, with all that can be refused before a tag is there.
  func job(_ configuration: Configuration, _ vault: Vault, unixSeconds: Int64) throws(TagJobRefusal) -> TagJob {
    let work: TagJob.Work
    switch kind {
    case .write:
      guard let action = configuration.actions.first(where: { $0.name == action }) else {
        throw .noSuchAction(action ?? "", known: configuration.actions.map { $0.name })
      }
      do throws(VaultError) { try requireRoom(for: action.name, in: vault) } catch { throw .vault(error) }
      do throws(TagDraftError) {
        work = .write(
          try TagDraft(action: action, label: label, carriesKey: carriesKey, unixSeconds: unixSeconds),
          protects: protects)
      } catch { throw .draft(error) }
    case .erase: work = .erase
    case .lock: work = .lock
    case .format: work = .format
    }
    do throws(VaultError) {
      return TagJob(work, passwordKey: try vault.tagPasswordKey(making: protects && kind == .write))
    } catch { throw .vault(error) }
  }

  /// Asked again when the secret is saved; but nobody is to hold a tag there for nothing.
  private func requireRoom(for action: String, in vault: Vault) throws(VaultError) {
    let known = try vault.secrets()
    let count =
      known.readable.filter { $0.secret.action == action }.count + known.unreadable.filter { $0.action == action }.count
    if count >= Limits.secretsPerActionMax {
      throw .secret(.limitReached(action: action, max: Limits.secretsPerActionMax))
    }
  }
}

/// Why a job does not even begin.
public indirect enum TagJobRefusal: Error, Hashable, Sendable {
  case noSuchAction(String, known: [String])
  case draft(TagDraftError)
  case vault(VaultError)

  /// One sentence.
  public var sentence: String {
    switch self {
    case .noSuchAction(let name, let known):
      var text = "there is no action '\(name)'; there are "
      for (index, name) in known.enumerated() { text += (index == 0 ? "" : ", ") + name }
      return text
    case .draft(let error): return error.sentence
    case .vault(let error): return error.sentence
    }
  }

  var isRefusal: Bool {
    switch self {
    case .noSuchAction, .draft(.labelTooLong), .draft(.malformedLabel), .vault(.secret(.limitReached)): true
    case .draft(.crypto), .vault: false
    }
  }
}
