// A warning about the loans of a person who is suspended or removed.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventory

/// The loans of one person.
enum PersonLoans {
  /// Reports what the person has on loan, if anything; does not create an inventory.
  static func warn(of person: String, _ configuration: KioskConfiguration) {
    guard access(configuration.stateFolder + "/" + Inventory.fileName, F_OK) == 0 else { return }
    do throws(CommandFailure) {
      let lent = try names(lentTo: person, try Inventory.of(configuration))
      if lent.isEmpty { return }
      let shown = lent.prefix(10).joined(separator: ", ") + (lent.count > 10 ? " and \(lent.count - 10) more" : "")
      Output.printError(
        "\(person.escaped) still has on loan: \(shown). Use 'tappet item return' or 'tappet box return'.")
    } catch {
      Output.printError("warning: the loans cannot be read; 'tappet item list --lent' reports why")
    }
  }

  private static func names(lentTo person: String, _ inventory: Inventory) throws(CommandFailure) -> [String] {
    var lent: [String] = []
    try judged { () throws(InventoryError) in
      for kind in [InventoryKind.box, .item] {
        try inventory.forEachLent(kind) { (entry) throws(InventoryError) in
          guard let loan = try inventory.loans(of: entry).first(where: { $0.person == person }) else { return true }
          lent.append((loan.quantity.map { "\($0) of " } ?? "") + entry.name.escaped)
          return true
        }
      }
    }
    return lent
  }
}
