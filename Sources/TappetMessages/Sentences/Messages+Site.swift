// The site's people in words.

import TappetCore
import TappetJSON
import TappetPlatform

extension LogRecord {
  /// The record of a bundle that is in force.
  init(applied record: SiteRecord) {
    self.init(
      .notice, "site-applied", "the people of site \(record.site) are in force: " + record.sentence,
      [
        ("site", record.site), ("version", String(record.version)), ("people", String(record.peopleCount)),
        ("tags", String(record.tagCount)), ("skipped", String(record.skippedCount)),
      ])
  }

  /// The record of a bundle that was refused.
  init(refusedBundle refusal: SiteRefusal) {
    self.init(
      refusal.leavesDoorBehind ? .error : .warning, "site-refused",
      "a bundle of people was refused: " + refusal.sentence,
      [("code", refusal.code)])
  }

  /// The record of a broker that does not let the kiosk read the site's topic.
  init(siteDenied topic: String) {
    self.init(
      .error, "site-denied",
      "the broker does not let this client read '" + topic
        + "': no change of the people arrives; allow it in the access list", [("topic", topic)])
  }
}

extension SiteRecord {
  /// The bundle's number and its content.
  package var sentence: String {
    let skipped = skippedCount == 0 ? "" : ", \(skippedCount) more for actions that this door does not have"
    return "version \(version), \(peopleCount) \(peopleCount == 1 ? "person" : "people"), "
      + "\(tagCount) \(tagCount == 1 ? "tag" : "tags")" + skipped
  }

  /// The same with its time.
  package var timedSentence: String {
    sentence + ", applied " + WallTime.minute(unixSeconds: appliedUnixSeconds)
  }
}

extension SiteRefusal {
  /// The reason and the remedy, half a sentence.
  package var sentence: String {
    switch self {
    case .tooLarge(let size, let max): "it has \(size) bytes, and a bundle has at most \(max)"
    case .malformed: "it is not a bundle, or it is cut short; push again"
    case .newerFormat(let format):
      "it has format \(format), which this version of Tappet does not know; update Tappet on this door"
    case .otherSite(let site): "it is for the site '\(site)'"
    case .older(let version, let applied): "it has version \(version), and version \(applied) is in force"
    case .conflict(let version):
      "version \(version) is in force with other content; push again, and always from one place"
    case .badSignature:
      "it was not signed with the key that belongs to 'public_key' of 'site'; let only the person who pushes publish "
        + "to this topic"
    case .otherKey: "it is sealed under another key than that of 'site'; copy the site's key to this door"
    case .tooManyTags(let action, let max):
      "\(action) would have more than \(max) secrets, as many as it may have; set 'max_secrets'"
    case .busy: "others are still being applied; push again"
    case .notStored(.other): "the secrets cannot be read or changed here; it is tried again in a minute"
    case .notStored: "the disk does not take it; it is tried again in a minute"
    }
  }
}

extension KioskStatus.Site {
  /// Whether the door has the people of the last bundle that it heard of.
  package var isGood: Bool { trouble == nil && isSubscribed != false }

  /// The message for a person, one sentence.
  package var sentence: String {
    let state = record.map { "\(name): \($0.timedSentence)" } ?? "\(name): no bundle has come yet"
    if let trouble { return state + "; the last one was refused: " + trouble.sentence }
    return isSubscribed == false ? state + "; the broker does not let this client read the site's topic" : state
  }

  /// The facts for programs.
  package var members: [JSON.Member] {
    func number(_ value: Int?) -> JSON { value.map { .number(Int64($0)) } ?? .null }
    return [
      JSON.Member(name: "name", value: .string(name)),
      JSON.Member(name: "version", value: record.map { .number($0.version) } ?? .null),
      JSON.Member(name: "applied_at", value: record.map { .time(unixSeconds: $0.appliedUnixSeconds) } ?? .null),
      JSON.Member(name: "people", value: number(record?.peopleCount)),
      JSON.Member(name: "tags", value: number(record?.tagCount)),
      JSON.Member(name: "skipped", value: number(record?.skippedCount)),
    ]
  }
}
