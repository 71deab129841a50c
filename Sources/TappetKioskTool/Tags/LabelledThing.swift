// The inventory entry that a tag is written for.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventory
import TappetMessages

/// An inventory entry that a tag is assigned to.
struct LabelledThing {
  /// The entry as it was found.
  let entry: InventoryEntry
  private let inventory: Inventory

  /// Finds the entry named by the option of its kind, such as --box; `nil` if none is specified.
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

  /// Rejects an action whose taps do not refer to the inventory.
  func require(_ action: String, _ configuration: KioskConfiguration) throws(CommandFailure) {
    guard configuration.actions.first(where: { $0.name == action })?.mode != .inventory else { return }
    throw .refused(
      "'\(action)' has no 'mode: inventory': its tags represent nothing in the inventory",
      FailureCode.actionUnfit)
  }

  /// Assigns the tag to the entry.
  func assign(_ uid: TagUID) throws(CommandFailure) {
    do throws(InventoryError) { try inventory.assign(uid, to: entry) } catch {
      throw .failed(
        "the tag is written, but the inventory refused it: \(error.sentence); assign it with "
          + "'tappet \(entry.kind.name) edit \(entry.id.text) --tag \(Hex.encode(uid.bytes))'", error.code)
    }
  }
}
