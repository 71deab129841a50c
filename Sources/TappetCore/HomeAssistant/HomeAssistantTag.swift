// Tags written by Home Assistant's apps: each contains a link with the tag's id, which the apps extract from the link.

/// The link on a Home Assistant tag.
package enum HomeAssistantTag {
  /// Returns the id in a link such as `https://www.home-assistant.io/tag/5f0bbc5b-…`; `nil` for any other link.
  @export(interface)
  package static func id(in link: String) -> String? {
    let lower = link.asciiLowercased
    for start in ["https://www.home-assistant.io/tag/", "http://www.home-assistant.io/tag/"]
    where lower.utf8.starts(with: start.utf8) {
      let id = link.utf8.dropFirst(start.utf8.count).prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
      return id.isEmpty ? nil : String(decoding: id, as: UTF8.self)
    }
    return nil
  }
}
