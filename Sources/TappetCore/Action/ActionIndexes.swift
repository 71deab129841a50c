// The mapping of tags to actions. A tag carries the index that its action had when its secret was created, so the
// mapping depends on the secrets, not on the order of the configuration: inserting an action affects no existing tag.

/// The indexes of the configured actions, and the secrets that may have signed tags with each index.
///
/// An action has the index that the configuration specifies, otherwise that of its oldest secret, otherwise its
/// position or the next unused number.
package struct ActionIndexes: Sendable {
  /// The secrets that are tried on tags with one index, as positions in `all`.
  private struct Candidates {
    var accepted: [Int32] = []
    /// Secrets of unconfigured actions, or of actions that do not accept this index; used only to explain a refusal.
    var stray: [Int32] = []
  }

  private let all: [TagSecret]
  /// The last known secret of each tag, as a position in `all`.
  private var hints: [TagUID: Int32] = [:]

  private var actions: [String: Action] = [:]
  private var indexes: [String: Int64] = [:]
  private var names: [Int64: String] = [:]
  private var candidates: [Int64: Candidates] = [:]

  /// Assigns indexes to `actions`, whose names and configured indexes must be unique, based on the given secrets.
  @export(interface)
  package init(_ actions: [Action], secrets: [TagSecret]) {
    all = secrets
    for action in actions { self.actions[action.name] = action }
    for action in actions where action.isIndexGiven { assign(action.index, to: action.name) }
    for secret in secrets.sorted(by: ActionIndexes.isOlder) where self.actions[secret.action] != nil {
      assign(secret.index, to: secret.action)
    }
    for action in actions { assign(action.index, to: action.name) }
    var next = Int64(actions.count)
    let taken = Set(secrets.map { $0.index })
    for action in actions where indexes[action.name] == nil {
      while names[next] != nil || taken.contains(next) { next += 1 }
      assign(next, to: action.name)
    }
    for place in secrets.indices { sort(place) }
    for place in secrets.indices { if let uid = secrets[place].uid { hints[uid] = Int32(place) } }
    for place in secrets.indices { for uid in secrets[place].seenUIDs { hints[uid] = Int32(place) } }
  }

  /// Returns the configured action with the given name.
  func action(named name: String) -> Action? { actions[name] }

  /// Returns the index for new tags of the action with the given name; `nil` if the action is not configured.
  package func index(of name: String) -> Int64? { indexes[name] }

  /// Returns the action whose new tags carry the given index.
  package func action(at index: Int64) -> Action? { names[index].flatMap { actions[$0] } }

  /// Returns the secrets for verifying a tag with the given index.
  func secrets(at index: Int64) -> some Sequence<TagSecret> { secrets(candidates[index]?.accepted ?? []) }

  /// Returns the secrets whose tags with the given index are not accepted.
  func orphanedSecrets(at index: Int64) -> some Sequence<TagSecret> { secrets(candidates[index]?.stray ?? []) }

  private func secrets(_ places: [Int32]) -> LazyMapSequence<[Int32], TagSecret> { places.lazy.map { all[Int($0)] } }

  /// Returns the secret that signed `url`; tries the last known secret of the tag `uid` first, then all accepted ones.
  func secret(of url: TagURL, on uid: TagUID) -> TagSecret? {
    if let place = hints[uid], accepts(all[Int(place)], at: url.index),
      let secret = url.verify(with: CollectionOfOne(all[Int(place)]))
    {
      return secret
    }
    return url.verify(with: secrets(at: url.index))
  }

  /// Records the secret of a tag; returns whether it was not known before.
  mutating func learn(_ uid: TagUID, _ secret: TagSecret) -> Bool {
    guard !uid.isRandom, hints[uid].map({ all[Int($0)].key !== secret.key }) ?? (hints.count < Limits.tagHintsMax),
      let place = all.firstIndex(where: { $0.key === secret.key })
    else { return false }
    hints[uid] = Int32(place)
    return true
  }

  /// Returns the current version of the given secret; `nil` if the secret was removed.
  func current(_ secret: TagSecret) -> TagSecret? { all.first { $0.id == secret.id && $0.key == secret.key } }

  /// Returns the action to which a secret belongs; `nil` if the action is not configured.
  func action(of secret: TagSecret) -> Action? { actions[secret.action] }

  /// Orders secrets by age; a secret without a time belongs to the program itself and follows the stored secrets.
  private static func isOlder(_ one: TagSecret, _ other: TagSecret) -> Bool {
    if one.createdUnixSeconds <= 0 || other.createdUnixSeconds <= 0 {
      return one.createdUnixSeconds > 0 && other.createdUnixSeconds <= 0
    }
    return (one.createdUnixSeconds, one.id) < (other.createdUnixSeconds, other.id)
  }

  private mutating func assign(_ index: Int64, to name: String) {
    guard names[index] == nil, indexes[name] == nil else { return }
    names[index] = name
    indexes[name] = index
  }

  private func accepts(_ secret: TagSecret, at index: Int64) -> Bool {
    if index == indexes[secret.action] { return true }
    return index == secret.index && actions[secret.action].map { !$0.isIndexGiven } ?? false
  }

  private mutating func sort(_ place: Int) {
    let secret = all[place]
    let current = indexes[secret.action]
    if let current { candidates[current, default: Candidates()].accepted.append(Int32(place)) }
    guard secret.index != current else { return }
    if accepts(secret, at: secret.index) {
      candidates[secret.index, default: Candidates()].accepted.append(Int32(place))
    } else {
      candidates[secret.index, default: Candidates()].stray.append(Int32(place))
    }
  }
}
