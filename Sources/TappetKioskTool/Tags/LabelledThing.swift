// The thing of the inventory that a tag is written for.

import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventory
import TappetMessages

/// A thing that gets a tag.
struct LabelledThing {
  /// The thing as it was found.
  let entry: InventoryEntry
  private let inventory: Inventory

  /// The thing that --box, --spot or --item names; `nil` without any of them.
  static func named(
    by arguments: Arguments, _ configuration: KioskConfiguration
  ) throws(CommandFailure) -> LabelledThing? {
    for kind in [InventoryKind.box, .spot, .item] {
      guard let words = arguments.value(kind.name) else { continue }
      let inventory = try Inventory.of(configuration)
      let entry = try judged { () throws(InventoryError) in try inventory.resolve(words, kind) }
      return LabelledThing(entry: entry, inventory: inventory)
    }
    return nil
  }

  /// Refuses an action whose taps show nothing of the inventory.
  func require(_ action: String, _ configuration: KioskConfiguration) throws(CommandFailure) {
    guard configuration.actions.first(where: { $0.name == action })?.mode != .inventory else { return }
    throw .refused(
      "'\(action)' has no 'mode: inventory': its tags stand for nothing in the inventory",
      FailureCode.actionUnfit)
  }

  /// Has the tag stand for it.
  func assign(_ uid: TagUID) throws(CommandFailure) {
    do throws(InventoryError) { try inventory.assign(uid, to: entry) } catch {
      throw .failed(
        "the tag is written, but the inventory did not take it: \(error.sentence); give it with "
          + "'tappet \(entry.kind.name) edit \(entry.id.text) --tag \(Hex.encode(uid.bytes))'", error.code)
    }
  }
}
