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

  /// Rejects an action whose tags do not represent entries of the inventory.
  func require(_ action: String, _ configuration: KioskConfiguration) throws(CommandFailure) {
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

  /// Assigns the tag to the entry.
  func assign(_ uid: TagUID, by who: String) throws(CommandFailure) {
    do throws(InventoryError) { try inventory.assign(uid, to: entry, by: who) } catch {
      throw .failed(
        "the tag was written, but could not be assigned in the inventory: \(error.sentence); assign the tag with "
          + "'tappet \(entry.kind.name) edit \(entry.id.text) --tag \(Hex.encode(uid.bytes))'", error.code)
    }
  }
}
