// Sentences for the inventory's refusals. The sentences about empty names and unknown codes match the phone app's
// exactly.

import TappetCore
import TappetInventory
import TappetSQLite
import TappetStore

extension InventoryError {
  /// Human-readable message, one sentence.
  package var sentence: String {
    @export(interface) get {
      switch self {
      case .emptyName(.box): "Box label cannot be empty"
      case .emptyName(let kind): "\(kind.title) name cannot be empty"
      case .emptyCode: "QR code cannot be empty"
      case .tooLong(let what, let size, let max): "the \(what) would be \(size) bytes long; the maximum is \(max)"
      case .name(let what, let fault): fault.sentence(of: what)
      case .notesWithNUL: "the notes contain NUL characters; remove them"
      case .codeTaken(let code, let path): "another box has the QR code \(code): \(path)"
      case .wrongBarcode(let code): "'\(code)' is not a barcode: it is empty, or contains a space"
      case .barcodeTaken(let code, let kind, let name): "the \(kind.name) '\(name)' already has the code \(code)"
      case .codeElsewhere(let code, let path, let row):
        "the QR code \(code) is on \(path), but this row is for \(row); correct one of them, or specify the box's id"
      case .wrongQuantity(let number):
        "\(number) is not a quantity; it must be a whole number from 0 to \(Limits.inventoryQuantityMax)"
      case .tooFew(let name, let quantity):
        "there are only \(quantity) of '\(name)'; if there are more, correct the quantity with 'tappet item count'"
      case .unknown(let kind, let words): "there is no \(kind.name) '\(words)'; 'tappet \(kind.name) list' shows them"
      case .unknownCode(let code): "No box found with QR code: \(code)"
      case .unknownPlace(let words):
        "there is no place '\(words)'; specify a name, a path such as 'House / Cellar / …', a box's code, or an id"
      case .ambiguous(let kind, let words, let count):
        "\(count) \(kind.plural) are named '\(words)'; specify the full path, as in 'House / Cellar / …', or the id"
      case .wrongContainer(let kind, let container):
        if let needed = kind.container {
          "\(kind.indefinite) must be in \(needed.indefinite), not in \(container?.indefinite ?? "nothing")"
        } else {
          "a building cannot be in anything else"
        }
      case .reserved(let other):
        "\(other.person) has reserved it from \(other.first.text) to \(other.last.text); choose other days, or "
          + "cancel that reservation with 'tappet item unreserve'"
      case .lent(let loan): "\(loan.person) has it until \(loan.due?.text ?? "an unknown day"); choose a later day"
      case .endsBeforeStart(let first, let last): "a reservation from \(first.text) cannot end on \(last.text)"
      case .unchanged(let kind): "the \(kind.name) is already in this state: nothing was changed"
      case .emptyRow: "the row does not name an entry"
      case .noContainer(let kind):
        "the row does not specify which \(kind.container?.name ?? "place") the \(kind.name) is in"
      case .noRoom(let path):
        "the import would leave less than \(Limits.inventoryReserve / 1024 / 1024) MB on the disk of \(path), which a "
          + "kiosk needs for its taps; delete something"
      case .trialOver: "this was only a trial"
      case .nothingToUndo:
        "there is no change to undo; the last \(Limits.inventoryUndoMax) are kept"
      case .nothingToRedo: "you have undone no change that could be redone"
      case .changedSince(let change):
        "change \(change.number) by \(change.who) is later and affects the same entries: \(change.sentence); "
          + "undo that change first"
      case .store(let error): error.inventorySentence
      }
    }
  }
}

extension DatabaseError {
  /// Human-readable message, without the advice to import secrets again, which an inventory does not have.
  fileprivate var inventorySentence: String {
    if case .corrupt(let failure) = self {
      return "\(failure.path) is damaged; restore it from a copy, or move it away and import an export of the inventory"
    }
    return sentence
  }
}

extension InventoryKind {
  /// Name with its indefinite article: `a building`, `an item`.
  fileprivate var indefinite: String { (self == .item ? "an " : "a ") + name }
}

extension InventoryChange {
  /// Human-readable change: `the box 'Screws' was moved`.
  package var sentence: String {
    verb == .imported ? "'\(name)' was imported" : "the \(kind.name) '\(name)' was \(verb.name)"
  }
}
