// The inventory's refusals for programs.

import TappetInventory
import TappetStore

extension InventoryError {
  /// The reason for programs.
  package var code: String {
    switch self {
    case .emptyName, .emptyCode: "text-missing"
    case .tooLong, .notPrintable: "text-malformed"
    case .codeTaken: "box-code-taken"
    case .wrongQuantity: "quantity-malformed"
    case .unknown, .unknownCode: "thing-unknown"
    case .ambiguous: "thing-ambiguous"
    case .wrongContainer: "container-wrong"
    case .emptyRow, .noContainer: "row-malformed"
    case .trialOver: "refused"
    case .unchanged: "thing-unchanged"
    case .nothingToUndo: "nothing-to-undo"
    case .store(let error): error.fault.code
    }
  }
}
