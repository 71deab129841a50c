// Parser for the `inventory:` section of kiosk.yaml, and `mode: inventory` of an action.

import TappetCore

/// Inventory settings for the reader and the scanner.
package struct InventorySettings: Hashable, Sendable {
  /// The part of the settings used by the core.
  package var plan = InventoryPlan()
  /// Path of the scanner's device; `nil` if there is no scanner.
  package var scanner: String?
  /// Keyboard layout of a scanner that acts as a keyboard.
  package var scannerLayout = ScannerLayout.us

  /// Creates settings with which inventory entries can only be shown and moved.
  package init() {}
}

extension YAMLReader {
  /// Returns whether the action's tags represent inventory entries.
  func isOfInventory(_ mapping: YAMLMapping) -> Bool {
    if case .scalar("inventory", _) = mapping["mode"]?.content { return true }
    return false
  }

  /// Reads the job of an action; only one of the inventory has one.
  mutating func job(in mapping: YAMLMapping) -> InventoryJob {
    guard let node = mapping["job"] else { return .show }
    if !isOfInventory(mapping) {
      note(.needsPartner("job", partner: "mode: inventory"), at: node.position, mapping.node.place)
    }
    let jobs = InventoryJob.allCases
    return choice(node, of: jobs.map { $0.rawValue }).map { jobs[$0] } ?? .show
  }

  mutating func inventory(
    _ node: YAMLNode?, actions: [Action], actionNames: [String], _ broker: BrokerSettings?
  ) -> InventorySettings? {
    guard let node else { return nil }
    var settings = InventorySettings()
    if case .scalar("", _) = node.content { return settings }
    let keys = ["scanner", "scan_action", "move_within", "job_ends", "low_stock", "overdue", "publish"]
    guard let mapping = mapping(node, keys: keys) else { return nil }
    (settings.scanner, settings.scannerLayout) = scanner(mapping["scanner"])
    if let within = duration(mapping["move_within"], min: .seconds(1), max: Limits.inventoryMoveWithinMax) {
      settings.plan.moveWithin = within
    }
    if let ends = duration(mapping["job_ends"], min: .seconds(1), max: Limits.inventoryJobEndsMax) {
      settings.plan.jobEnds = ends
    }
    if flag(mapping["publish"]) == true {
      requireBroker(for: mapping["publish"])
      settings.plan.topic = broker.map { $0.statusTopic + "/inventory" }
    }
    settings.plan.lowStockAction = alert(mapping["low_stock"], actions, actionNames)
    settings.plan.overdueAction = alert(mapping["overdue"], actions, actionNames)
    let first = actions.first { $0.mode == .inventory && $0.job == .show }?.name
    settings.plan.scanAction = action(mapping["scan_action"], actionNames) ?? (settings.scanner == nil ? nil : first)
    if let node = mapping["scan_action"], settings.scanner == nil {
      note(.needsPartner("scan_action", partner: "scanner"), at: node.position, mapping.node.place)
    }
    let scans = actions.first { $0.name == settings.plan.scanAction }
    if let node = mapping["scan_action"] ?? mapping["scanner"], settings.scanner != nil,
      scans?.mode != .inventory || scans?.job != .show
    {
      invalid(node, expected: "used together with an action that has 'mode: inventory' and no 'job'")
    } else if let node = mapping["scan_action"] ?? mapping["scanner"] {
      checkProof(of: scans?.name, actions, by: .scan, at: node)
    }
    return settings
  }

  /// Reads the path of a scanner, or its path and keyboard layout.
  private mutating func scanner(_ node: YAMLNode?) -> (path: String?, layout: ScannerLayout) {
    guard let node, case .mapping = node.content else { return (path(node), .us) }
    guard let mapping = mapping(node, keys: ["device", "layout"]), let device = required("device", in: mapping) else {
      return (nil, .us)
    }
    let path = path(device)
    guard let layout = mapping["layout"] else { return (path, .us) }
    if let path, ["/dev/tty", "/dev/serial/"].contains(where: { path.begins(with: $0) }) {
      invalid(layout, expected: "used only with a scanner that acts as a keyboard")
    }
    let layouts = ScannerLayout.allCases
    return (path, choice(layout, of: layouts.map { $0.rawValue }).map { layouts[$0] } ?? .us)
  }

  /// Returns the name of an action that runs without a tap.
  private mutating func alert(_ node: YAMLNode?, _ actions: [Action], _ names: [String]) -> String? {
    let name = action(node, names)
    if let node, let action = actions.first(where: { $0.name == name }),
      action.confirmWithin != nil || action.mode != .tap
    {
      invalid(node, expected: "an action with neither 'confirm' nor 'mode'")
    }
    if let node { checkProof(of: name, actions, by: .inventory, at: node) }
    return name
  }

  private mutating func action(_ node: YAMLNode?, _ names: [String]) -> String? {
    guard let node, let name = reference(node) else { return nil }
    if names.contains(name) { return name }
    note(.unknownAction(Self.shortened(name), nearest: Spelling.nearest(to: name, among: names)), at: node)
    return nil
  }
}
