// Requests about learned tags. Each commits its change together with the audit entry that names its author, and takes
// effect before the response is sent.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetStore

extension SecretWork {
  /// Lists a page of the learned tags.
  func listLearnedTags(from: Int64) throws(SecretStoreError) -> SecretAnswer {
    page(try secretStore.learnedTags(), "tags", from: from) { json($0) }
  }

  /// Learns a tag; if the tag is already learned, assigns it the given action and label.
  func learnTag(
    _ mark: ExternalTag.Identifier, action name: String, label: String?
  ) throws(SecretStoreError) -> SecretAnswer {
    if let sentence = configuration.refusalToLearn(mark, for: name) { return .refused(sentence) }
    let known = try secretStore.learnedTags()
    let former = known.first { $0.tag.mark == mark }
    guard former != nil || known.count < Limits.foreignTagsMax else {
      return .refused("there are already \(known.count) learned tags, which is the maximum")
    }
    guard let id = former?.id ?? (try? TagSecret.newID()) else {
      return .failed(SharedSentence.noRandomness)
    }
    let tag = ExternalTag(mark: mark, action: name, label: label?.trimmedLabel)
    let learned = LearnedTag(id: id, tag: tag, learnedUnixSeconds: SystemClock().now().unixSeconds)
    try secretStore.learn(learned, noting: auditEntry("tag-learned", id, detail: "\(name); \(mark.words)"))
    var answer = SecretAnswer(json(learned, formerAction: former?.tag.action))
    answer.logRecord = logRecord(
      .notice, "tag-learned", "the tag \(mark.words) triggers \(name) from now on", [("action", name)])
    answer.learnedTags = try secretStore.learnedTags().map { $0.tag }
    return answer
  }

  /// Forgets the learned tag with the given UID, text or URI.
  func forgetTag(_ wanted: String) throws(SecretStoreError) -> SecretAnswer {
    let uid = TagUID(written: wanted)
    let known = try secretStore.learnedTags()
    guard let found = known.first(where: { $0.tag.mark.content == wanted || uid != nil && $0.tag.mark.uid == uid })
    else { return .refused("there is no learned tag \(wanted.quoted); use 'tappet tag learned' to list the tags") }
    let detail = "\(found.tag.action); \(found.tag.mark.words)"
    _ = try secretStore.forget(
      learnedTag: found.id, noting: auditEntry("tag-forgotten", found.id, detail: detail))
    var answer = SecretAnswer(json(found, formerAction: nil))
    answer.logRecord = logRecord(
      .notice, "tag-forgotten", "the tag \(found.tag.mark.words) no longer triggers an action",
      [("action", found.tag.action)])
    answer.learnedTags = try secretStore.learnedTags().map { $0.tag }
    return answer
  }

  private func json(_ learned: LearnedTag) -> JSON {
    let mark = learned.tag.mark
    return .object([
      "id": .string(learned.id), "uid": mark.kind == "uid" ? .string(mark.content) : .null,
      "text": mark.kind == "text" ? .string(mark.content) : .null,
      "uri": mark.kind == "uri" ? .string(mark.content) : .null, "action": .string(learned.tag.action),
      "label": .optional(learned.tag.label), "learned": .number(learned.learnedUnixSeconds),
    ])
  }

  private func json(_ learned: LearnedTag, formerAction: String?) -> JSON {
    guard case .object(var members) = json(learned) else { return .null }
    members.append(JSON.Member(name: "former_action", value: .optional(formerAction)))
    return .object(members)
  }
}

extension KioskConfiguration {
  /// Returns why a tag with this identifier cannot be learned for the action; `nil` if it can.
  @export(interface)
  package func refusalToLearn(_ mark: ExternalTag.Identifier, for name: String) -> String? {
    if let refusal = refusalToLearn(for: name) { return refusal }
    if mark.uid?.isRandom == true {
      return "the UID \(mark.content) is random at each tap (it starts with 08, like the UIDs of phones and "
        + "passports), so it would never match again; use a different tag"
    }
    if mark.uid == nil, Array(mark.content.utf8).isSecret {
      return "the tag's \(mark.kind) is a signed link or a share code, which the list of learned tags and the audit "
        + "would disclose; learn the tag's UID instead"
    }
    if mark.content.utf8.count > Limits.learnedContentSizeMax {
      return "the tag's \(mark.kind) is \(mark.content.utf8.count) bytes long, but the maximum is "
        + "\(Limits.learnedContentSizeMax); learn the tag's UID instead"
    }
    if foreignTags.contains(where: { $0.mark == mark }) {
      return "the tag \(mark.words) is in 'tags' of kiosk.yaml, which takes precedence; change it there"
    }
    return nil
  }

  /// Returns why no tag can be learned for the action; `nil` if tags can be learned for it.
  @export(interface)
  package func refusalToLearn(for name: String) -> String? {
    guard let action = actions.first(where: { $0.name == name }) else {
      return "there is no action '\(name)' in the configuration"
    }
    guard !action.needsProof else {
      return
        "\(name) drives an output or unlocks the buttons, which requires a signed tag, because other tags can be "
        + "copied; use 'tappet tag write \(name)' to write a signed tag"
    }
    return nil
  }
}
