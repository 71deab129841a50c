// Parser for the `site:` section of kiosk.yaml: the site that provides this door's people.

import TappetCore

/// The site of a kiosk.
package struct SiteSettings: Equatable, Sendable {
  /// The site's name, which is part of its topic.
  package var name: String
  /// The key that seals the bundles; `nil` if files are ignored.
  package var key: SecretKey?
  /// The key that verifies the signatures of the bundles.
  package var publicKey: VerifyingKey

  /// Topic on which the broker retains the last bundle.
  package var topic: String { SiteSettings.topic(of: name) }

  /// Returns the topic of the site with this name.
  package static func topic(of name: String) -> String { "tappet/site/" + name + "/people" }
}

extension YAMLReader {
  /// Reads `{name: NAME, key: {file: FILE}, public_key: DIGITS}`.
  mutating func site(
    _ node: YAMLNode?, _ commands: [CommandPlan], _ actions: [Action], kiosk: String
  ) -> SiteSettings? {
    requireBroker(for: node)
    guard let node, let mapping = mapping(node, keys: ["name", "key", "public_key"]) else { return nil }
    var name: String?
    if let value = required("name", in: mapping), let text = text(value) {
      if text.siteNameIsGood {
        name = text
      } else {
        invalid(
          value, expected: "1 to \(Limits.siteNameSizeMax) letters, digits, '-', '_' and '.'")
      }
    }
    var key: SecretKey?
    if let value = required("key", in: mapping), let inner = self.mapping(value, keys: ["file"]),
      let file = required("file", in: inner), let path = path(file), files != .ignored
    {
      key = self.key(in: path, at: file, orNote: .signingKeyMalformed(path: path)) { SecretKey(hex: $0) }
    }
    var publicKey: VerifyingKey?
    if let value = required("public_key", in: mapping), let text = text(value) {
      publicKey = VerifyingKey(hex: text)
      if publicKey == nil { invalid(value, expected: "the 64 hex digits that 'tappet people keys' printed") }
    }
    guard let name, let publicKey else { return nil }
    let settings = SiteSettings(name: name, key: key, publicKey: publicKey)
    let isTaken =
      commands.contains { $0.topic == settings.topic || $0.replyTopic == settings.topic }
      || actions.contains { $0.mayPublish(to: settings.topic, kiosk: kiosk) }
    if isTaken { invalid(node, expected: "the only user of topic '\(settings.topic)'; use another topic elsewhere") }
    return settings
  }
}
