// Which action a tag is for. A tag carries the index that its action had when its secret was made, so the secrets, and
// not the order of the configuration, decide: an action that is inserted above others shifts no tag.

/// The indexes of the configured actions, and the secrets that may have signed a tag of each index.
///
/// An action has the index that the configuration gives it; without one, that of its oldest secret; without secrets,
/// its position, or the next number that nobody has.
package struct ActionIndexes: Sendable {
  /// The secrets that tags of one index are tried with.
  private struct Candidates {
    var accepted: [TagSecret] = []
    /// Secrets of actions that do not accept this index, or that are not configured: they only explain a refusal.
    var stray: [TagSecret] = []
  }

  private var actions: [String: Action] = [:]
  private var indexes: [String: Int64] = [:]
  private var names: [Int64: String] = [:]
  private var candidates: [Int64: Candidates] = [:]

  /// The indexes of `actions`, whose names and given indexes are unique, as these secrets fix them.
  package init(_ actions: [Action], secrets: [TagSecret]) {
    for action in actions { self.actions[action.name] = action }
    for action in actions where action.isIndexGiven { assign(action.index, to: action.name) }
    for secret in secrets.sorted(by: ActionIndexes.isOlder) where self.actions[secret.action] != nil {
      assign(secret.index, to: secret.action)
    }
    for action in actions { assign(action.index, to: action.name) }
    var next = Int64(actions.count)
    for action in actions where indexes[action.name] == nil {
      while names[next] != nil || secrets.contains(where: { $0.index == next }) { next += 1 }
      assign(next, to: action.name)
    }
    for secret in secrets { sort(secret) }
  }

  /// The index of new tags of the action with this name; `nil` if it is not configured.
  package func index(of name: String) -> Int64? { indexes[name] }

  /// The action whose new tags have this index.
  package func action(at index: Int64) -> Action? { names[index].flatMap { actions[$0] } }

  /// The secrets that a tag of this index is verified with.
  func secrets(at index: Int64) -> [TagSecret] { candidates[index]?.accepted ?? [] }

  /// The secrets that made tags of this index which are not accepted.
  func strays(at index: Int64) -> [TagSecret] { candidates[index]?.stray ?? [] }

  /// The action that a secret belongs to; `nil` if it is not configured.
  func action(of secret: TagSecret) -> Action? { actions[secret.action] }

  /// A secret without a time is the program's own, and comes after those that were stored.
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

  private mutating func sort(_ secret: TagSecret) {
    let current = indexes[secret.action]
    if let current { candidates[current, default: Candidates()].accepted.append(secret) }
    guard secret.index != current else { return }
    let isAccepted = actions[secret.action].map { !$0.isIndexGiven } ?? false
    if isAccepted {
      candidates[secret.index, default: Candidates()].accepted.append(secret)
    } else {
      candidates[secret.index, default: Candidates()].stray.append(secret)
    }
  }
}
