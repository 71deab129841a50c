// The inventory entry for which a tag is written.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventory
import TappetMessages

/// An inventory entry to which a tag is assigned.
struct LabelledThing {
  /// The entry as found before the tag was assigned.
  let entry: InventoryEntry
  private let inventory: Inventory

  /// The entry's name as a label of a secret or a tag.
  var label: String { entry.name.cut(toSize: Limits.secretLabelSizeMax) }

  /// The options that specify an entry.
  static var options: [CommandOption] {
    [
      CommandOption("box", "BOX", "inventory box that the tag represents"),
      CommandOption("item", "ITEM", "item that the tag represents").orElse,
      CommandOption("spot", "SPOT", "spot that the tag represents").orElse,
      CommandOption("room", "ROOM", "room that the tag represents").orElse,
      CommandOption("building", "BUILDING", "building that the tag represents").orElse,
    ]
  }

  /// Returns a usage error if the arguments specify more than one entry, or neither an entry nor an action.
  static func usageError(_ arguments: Arguments) -> String? {
    let count = (InventoryKind.allCases.map { $0.name } + ["number"]).count(where: { arguments.has($0) })
    if count > 1 { return "specify only one of --box, --item, --spot, --room, --building and --number" }
    return count == 0 && arguments.operands.isEmpty ? "specify an ACTION, or --box, --item, --spot or similar" : nil
  }

  /// Finds the entry specified with an option for its kind, such as --box; `nil` if there is no such option.
  static func named(
    by arguments: Arguments, _ configuration: KioskConfiguration
  ) throws(CommandFailure) -> LabelledThing? {
    for kind in InventoryKind.allCases {
      guard let words = arguments.value(kind.name) else { continue }
      let inventory = try Inventory.of(configuration)
      let entry = try judged { () throws(InventoryError) in try inventory.resolve(words, kind) }
      return LabelledThing(entry: entry, inventory: inventory)
    }
    return nil
  }

  /// Returns the action of the entry's tag: the specified action, or the first one whose tags represent entries.
  func action(_ name: String?, _ configuration: KioskConfiguration) throws(CommandFailure) -> String {
    if let name {
      try require(name, configuration)
      return name
    }
    guard let action = configuration.actions.first(where: { $0.mode == .inventory && $0.job == .show }) else {
      throw .refused(
        "no action has 'mode: inventory' and no 'job'; add one to 'actions', such as '{name: shelf, mode: inventory}'",
        FailureCode.actionUnfit)
    }
    return action.name
  }

  /// Rejects an action whose tags do not represent entries of the inventory.
  private func require(_ action: String, _ configuration: KioskConfiguration) throws(CommandFailure) {
    let found = configuration.actions.first { $0.name == action }
    if found?.mode == .inventory {
      guard let job = found?.job, job != .show else { return }
      throw .refused(
        "'\(action)' has 'job: \(job.rawValue)', so its tags are cards for this job; specify an action without 'job'",
        FailureCode.actionUnfit)
    }
    throw .refused(
      "'\(action)' has no 'mode: inventory', so its tags cannot represent anything in the inventory",
      FailureCode.actionUnfit)
  }

  /// Assigns the tag, which was `written` or `read`, to the entry.
  func assign(_ uid: TagUID, _ done: String, by who: String) throws(CommandFailure) {
    do throws(InventoryError) { try inventory.assign(uid, to: entry, by: who) } catch {
      throw .failed(
        "the tag was \(done), but could not be assigned in the inventory: \(error.sentence); assign the tag with "
          + "'tappet \(entry.kind.name) edit \(entry.id.text) --tag \(Hex.encode(uid.bytes))'", error.code)
    }
  }
}
