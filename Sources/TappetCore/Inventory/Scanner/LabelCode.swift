// The codes on labels that other programs print, where a label contains more than the code that a user would type.

/// Forms of codes on labels.
package enum LabelCode {
  /// Returns the codes to look up, in order, if no entry has exactly the code on the label.
  ///
  ///     smp://box?id=UUID                 a link to an entry             → UUID
  ///     grcy:p:13:5f3a…                   Grocy: a purchase of a product → grcy:p:13
  ///     https://homebox.example/a/000-017 Homebox: an asset              → 000-017
  @export(interface)
  package static func alternatives(to text: String) -> [String] {
    if let id = id(inLink: text) { return [id] }
    let fields = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    if text.begins(with: "grcy:"), fields.count > 3 {
      return [fields.prefix(3).map { String(Substring($0)) }.joined(separator: ":")]
    }
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    if text.begins(with: "http://") || text.begins(with: "https://"), parts.count > 4,
      String(Substring(parts[parts.count - 2])) == "a", let asset = parts.last, !asset.isEmpty
    {
      return [String(Substring(asset))]
    }
    return []
  }

  /// Returns the id in a link to an entry; `nil` for any other text.
  static func id(inLink text: String) -> String? {
    for kind in InventoryKind.allCases {
      let start = "smp://\(kind.name)?id="
      if text.begins(with: start) {
        return InventoryID(text: String(decoding: text.utf8.dropFirst(start.utf8.count), as: UTF8.self))?.text
      }
    }
    return nil
  }
}
