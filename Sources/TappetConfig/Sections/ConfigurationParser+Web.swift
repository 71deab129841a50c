// Parser for the `web:` section of kiosk.yaml: the page.

import TappetCore
import TappetPlatform

/// Settings of the page.
package struct PageSettings: Equatable, Sendable {
  /// The kiosk's name on the page.
  package var name: String
  /// Names under which browsers reach the kiosk, in lower case, in addition to its host name and its addresses.
  package var names: [String]
  /// Names of the actions that have a button on the page, in order.
  package var panel: [String]
  /// Names of the outputs that devices of the level `press` may switch, in order.
  package var outputs: [String] = []
  /// Level of browsers that are not paired; `nil` means that they may do nothing.
  package var open: PageLevel?
  /// Whether managers may publish messages of their own through the page.
  package var publishes = false
  /// Path of the socket for tappet-web.
  package var socket: String

  /// Returns whether a page with these names is served under the host in a request, which may include a port.
  ///
  /// Another site can make a browser send requests here under a name of its own (DNS rebinding), but not under an
  /// address.
  @export(interface)
  package static func serves(host: String, as names: [String], hostName: String?) -> Bool {
    var bytes = Array(host.lowercasedName.utf8)
    if bytes.first == UInt8(ascii: "[") { return bytes.contains(UInt8(ascii: "]")) }
    if let colon = bytes.lastIndex(of: UInt8(ascii: ":")) { bytes.removeSubrange(colon...) }
    if bytes.last == UInt8(ascii: ".") { bytes.removeLast() }
    guard !bytes.isEmpty else { return false }
    if bytes.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) { return true }
    let own = hostName?.lowercasedName
    let known = names + ["localhost"] + (own.map { [$0, $0 + ".local"] } ?? [])
    return known.contains { Array($0.utf8) == bytes }
  }
}

extension YAMLReader {
  /// Reads `{name: TEXT, names: [HOST], panel: [ACTION], outputs: [OUTPUT], open: look, publish: BOOLEAN,
  /// socket: PATH}`.
  mutating func page(
    _ node: YAMLNode?, _ panel: PanelSettings?, actionNames: [String], kiosk: String?, control: String
  ) -> PageSettings? {
    let keys = ["name", "names", "panel", "outputs", "open", "publish", "socket"]
    guard let node, let mapping = mapping(node, keys: keys) else { return nil }
    let pressed = panel?.buttons.compactMap { $0.plan.gestures[.press] } ?? []
    let usual = (pressed + actionNames).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    var settings = PageSettings(
      name: kiosk ?? "Tappet", names: [], panel: Array(usual.prefix(Limits.pageUsualTiles)),
      socket: ConfigurationParser.folder(of: control) + "/web")
    if let name = shortText(mapping["name"], sizeMax: Limits.actionTitleSizeMax) { settings.name = name }
    for element in mapping["names"].flatMap({ list($0, max: Limits.pageNamesMax, of: "names") }) ?? [] {
      guard var name = text(element)?.lowercasedName else { continue }
      if name.utf8.last == UInt8(ascii: ".") { name = String(name.dropLast()) }
      if name.isHostName {
        settings.names.append(name)
      } else {
        invalid(element, expected: "a host name without a port")
      }
    }
    if let value = mapping["panel"] {
      settings.panel = references(value, to: actionNames) { .unknownAction($0, nearest: $1) }
    }
    settings.outputs = references(mapping["outputs"], to: panel?.outputs.map { $0.plan.name } ?? []) {
      .unknownOutput($0, nearest: $1)
    }
    if settings.panel.count + settings.outputs.count > Limits.pageTilesMax {
      invalid(
        mapping["outputs"] ?? mapping["panel"] ?? node,
        expected: "at most \(Limits.pageTilesMax) actions and outputs together")
    }
    if choice(mapping["open"], of: ["nothing", "look"]) == 1 { settings.open = .look }
    settings.publishes = flag(mapping["publish"]) ?? false
    if let socket = socketPath(mapping["socket"]) { settings.socket = socket }
    if settings.socket == control, let value = mapping["socket"] {
      invalid(value, expected: "another path than 'control'")
    }
    return settings
  }
}

extension String {
  /// Whether the text consists of letters, digits, hyphens and dots.
  fileprivate var isHostName: Bool {
    !isEmpty && utf8.count <= 253
      && utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
      }
  }
}
