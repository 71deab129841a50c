// Sentences about the site's people.

import TappetCore
import TappetJSON
import TappetPlatform

extension LogRecord {
  /// Creates the record for an applied bundle.
  init(applied record: SiteRecord) {
    self.init(
      .notice, "site-applied", "the people of site \(record.site) were updated: " + record.sentence,
      [
        ("site", record.site), ("version", String(record.version)), ("people", String(record.peopleCount)),
        ("tags", String(record.tagCount)), ("skipped", String(record.skippedCount)),
      ])
  }

  /// Creates the record for a refused bundle.
  init(refusedBundle refusal: SiteRefusal) {
    self.init(
      refusal.leavesDoorBehind ? .error : .warning, "site-refused",
      "a bundle of people was refused: " + refusal.sentence,
      [("code", refusal.code)])
  }

  /// Creates the record for a broker that does not allow the kiosk to read the site's topic.
  init(siteDenied topic: String) {
    self.init(
      .error, "site-denied",
      "the broker does not allow this kiosk to read '" + topic
        + "', so its people are not updated; allow the topic in the broker's access list", [("topic", topic)])
  }
}

extension SiteRecord {
  /// Version and content of the bundle.
  package var sentence: String {
    let skipped = skippedCount == 0 ? "" : ", \(skippedCount) more for actions that do not exist on this door"
    return "version \(version), \(plural(peopleCount, "person", "people")), "
      + "\(plural(tagCount, "tag"))" + skipped
  }

  /// Version and content of the bundle, with the time at which it was applied.
  package var timedSentence: String {
    sentence + ", applied " + WallTime.minute(unixSeconds: appliedUnixSeconds)
  }
}

extension SiteRefusal {
  /// The reason and the remedy, as part of a sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .tooLarge(let size, let max): "it is \(size) bytes long; the maximum is \(max)"
      case .malformed: "it is not a bundle, or it is truncated; push again"
      case .newerFormat(let format):
        "it has format \(format), which this version of Tappet does not support; update Tappet on this door"
      case .otherSite(let site): "it is for a different site, '\(site)'"
      case .older(let version, let applied): "it has version \(version), but version \(applied) is already active"
      case .conflict(let version):
        "version \(version) is already active with different content; push again, and always from the same machine"
      case .badSignature:
        "it was not signed with the key that matches 'public_key' under 'site'; allow only the person who pushes "
          + "bundles to publish to this topic"
      case .otherKey: "it is sealed under a different key from the one under 'site'; copy the site's key to this door"
      case .tooManyTags(let action, let max):
        "\(action) would have more than \(max) secrets, its maximum; increase 'max_secrets'"
      case .busy: "other bundles are still being applied; push again"
      case .notStored(.other): "the secrets cannot be read or changed here; retrying in a minute"
      case .notStored: "it cannot be written to the disk; retrying in a minute"
      }
    }
  }
}

extension KioskStatus.Site {
  /// Whether the door has applied the last bundle that it received.
  package var isGood: Bool { trouble == nil && isSubscribed != false }

  /// Human-readable message, one sentence.
  package var sentence: String {
    let state = record.map { "\(name): \($0.timedSentence)" } ?? "\(name): no bundle received yet"
    if let trouble { return state + "; the last bundle was refused: " + trouble.sentence }
    return isSubscribed == false ? state + "; the broker does not allow this client to read the site's topic" : state
  }

  /// Machine-readable details of the site.
  package var members: [JSON.Member] {
    @export(interface) get {
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
}
