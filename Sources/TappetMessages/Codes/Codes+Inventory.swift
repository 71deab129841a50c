// Machine-readable codes for refusals by the inventory.

import TappetCore
import TappetInventory
import TappetSQLite
import TappetStore

extension InventoryError {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .emptyName, .emptyCode, .emptyPerson: "text-missing"
      case .tooLong, .name, .notesWithNUL, .wrongBarcode, .reservedCode: "text-malformed"
      case .codeTaken, .codeElsewhere, .codeDiffers: "box-code-taken"
      case .barcodeTaken: "barcode-taken"
      case .wrongQuantity: "quantity-malformed"
      case .tooFew, .tooFewHere, .tooFewLent: "too-few"
      case .severalPeople: "person-ambiguous"
      case .unknown, .unknownCode, .unknownPlace: "thing-unknown"
      case .ambiguous: "thing-ambiguous"
      case .wrongContainer: "container-wrong"
      case .emptyRow, .noContainer: "row-malformed"
      case .noRoom: StoreFault.full.code
      case .trialOver: "refused"
      case .reserved: "item-reserved"
      case .lent: "item-lent"
      case .endsBeforeStart: "days-malformed"
      case .unchanged: "thing-unchanged"
      case .nothingToUndo, .nothingToRedo: "nothing-to-undo"
      case .changedSince: "changed-since"
      case .store(let error): error.fault.code
      }
    }
  }
}

extension KioskStatus.Inventory {
  /// Machine-readable status code.
  package var code: String { loss?.code(of: .inventory) ?? (scannerErrno == 0 ? "good" : "scanner-lost") }
}

extension InventoryFault {
  /// Machine-readable reason code.
  package var code: String {
    @export(interface) get {
      switch self {
      case .unknown: "thing-unknown"
      case .gone: "thing-gone"
      case .reserved: "item-reserved"
      case .needsBox: "container-wrong"
      case .noneLeft: "too-few"
      case .tooMany: "quantity-malformed"
      case .notItem: "item-expected"
      case .notNumber: "number-unexpected"
      case .numberUnclear: "number-unclear"
      case .scanTooLong: "scan-too-long"
      case .scanIncomplete: "scan-incomplete"
      case .scanUnreadable: "scan-unreadable"
      case .database: "inventory-database"
      case .full: "inventory-full"
      case .away: "inventory-away"
      }
    }
  }
}
