// Sentences for refusals by the inventory. The sentences about empty names and unknown codes match the phone app's
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
      case .emptyPerson: "the person's name cannot be empty"
      case .tooLong(let what, let size, let max): "the \(what) would be \(size) bytes long; the maximum is \(max)"
      case .name(let what, let fault): fault.sentence(of: what)
      case .notesWithNUL: "the notes contain NUL characters; remove them"
      case .codeTaken(let code, let path): "another box has the QR code \(code): \(path)"
      case .wrongBarcode(let code): "'\(code)' is not a barcode: it is empty, or contains a space"
      case .reservedCode(let code): "'\(code)' cannot be a code: smp:// starts the links on Tappet's own labels"
      case .barcodeTaken(let code, let kind, let name): "the \(kind.name) '\(name)' already has the code \(code)"
      case .codeElsewhere(let code, let path, let row):
        "the QR code \(code) belongs to \(path), but this row is for \(row); correct the code, or specify the box's id"
      case .codeDiffers(let path, let code, let row): Self.codeDiffers(path, code, row)
      case .wrongQuantity(let number):
        "\(number) is not a quantity; it must be a whole number from 0 to \(Limits.inventoryQuantityMax)"
      case .tooFew(let name, let quantity):
        "the quantity of '\(name)' is only \(quantity); if that is wrong, correct it with 'tappet item count'"
      case .tooFewHere(let name, let here):
        "\(here == 0 ? "none" : "only \(here)") of '\(name)' can be had: there are no more, or people have them or "
          + "have reserved them; use 'tappet item show' to list them"
      case .tooFewLent(let person, let quantity): "\(person) has only \(quantity)"
      case .severalPeople(let name, let people):
        "several people have '\(name)', or have reserved it: \(people.joined(separator: ", ")); specify one of them"
      case .unknown(let kind, let words):
        "there is no \(kind.name) '\(words)'; use 'tappet \(kind.name) list' to list the \(kind.plural)"
      case .unknownCode(let code): "No box found with QR code: \(code)"
      case .unknownPlace(let words):
        "there is no place '\(words)'; specify a name, a path such as 'House / Cellar / …', a box's code, or an id"
      case .ambiguous(let kind, let words, let count):
        "\(count) \(kind.plural) match '\(words)'; specify the full path, as in 'House / Cellar / …', or \(kind.key)"
      case .wrongContainer(let kind, let container):
        if let needed = kind.container {
          "\(kind.indefinite) must be in \(needed.indefinite), not in \(container?.indefinite ?? "nothing")"
        } else {
          "a building cannot be inside another place"
        }
      case .reserved(let other):
        "the item is reserved by \(other.person) from \(other.first.text) to \(other.last.text); choose other days, or "
          + "cancel that reservation with 'tappet item unreserve'"
      case .lent(let loan): loan.refusal
      case .endsBeforeStart(let first, let last): "a reservation from \(first.text) cannot end on \(last.text)"
      case .unchanged(let kind): "the \(kind.name) is already in this state: nothing was changed"
      case .emptyRow: "the row does not specify an entry"
      case .noContainer(let kind):
        "the row does not specify which \(kind.container?.name ?? "place") the \(kind.name) is in"
      case .noRoom(let path):
        "the import would leave less than \(Limits.inventoryReserve / 1024 / 1024) MB free on the disk of \(path), "
          + "which a kiosk needs to store taps; free some space"
      case .trialOver: "this was only a dry run"
      case .nothingToUndo: "there is no change to undo; only the last \(Limits.inventoryUndoMax) changes are kept"
      case .nothingToRedo: "there is no undone change to redo"
      case .changedSince(let change):
        "change \(change.number) by \(change.who) is newer and affects the same entries: \(change.sentence); "
          + "undo that change first"
      case .store(let error): error.sentence
      }
    }
  }
}

extension InventoryError {
  private static func codeDiffers(_ path: String, _ code: String?, _ row: String) -> String {
    guard let code else {
      return "an earlier row is for \(path) without a code, and this row has the code \(row); write the code in each "
        + "row of the box"
    }
    return "\(path) has the QR code \(code), not \(row); correct the code, or add another box with 'tappet box add'"
  }
}

extension InventoryLoan {
  /// Sentence about a loan that leaves too few pieces for another one.
  fileprivate var refusal: String {
    let pieces = quantity.map { $0 == 1 ? "1 of it is" : "\($0) of it are" } ?? "it is"
    let out = pieces + " checked out to \(person) "
    guard let due else { return out + "without a last day; choose a smaller quantity, or return it first" }
    return out + "until \(due.text); choose a later day, a smaller quantity, or return it first"
  }
}

extension DatabaseError {
  /// Returns the sentence about a damaged database; an inventory contains no secrets to import again.
  static func damaged(_ path: String) -> String {
    let isInventory = path.utf8.suffix(Inventory.fileName.utf8.count).elementsEqual(Inventory.fileName.utf8)
    return isInventory
      ? "\(path) is damaged; restore it from a copy, or move it away and import an export of the inventory"
      : "\(path) is damaged; restore it, or move it away and import the secrets again"
  }
}

extension InventoryKind {
  /// Name with its indefinite article: `a building`, `an item`.
  fileprivate var indefinite: String { (self == .item ? "an " : "a ") + name }

  /// The value that distinguishes entries with the same path.
  fileprivate var key: String { self == .box ? "the code" : "the id, which 'tappet \(name) list --json' prints" }
}

extension InventoryChange {
  /// Human-readable change: `the box 'Screws' was moved`.
  package var sentence: String {
    @export(interface) get {
      switch verb {
      case .imported: "'\(name)' was imported"
      case .unreserved: "a reservation of the \(kind.name) '\(name)' was cancelled"
      case .low: "the \(kind.name) '\(name)' ran low"
      case .gap: "changes were dropped"
      case .added, .edited, .moved, .removed, .undone, .lent, .returned, .reserved, .counted, .restocked:
        "the \(kind.name) '\(name)' was \(verb.name)"
      }
    }
  }
}
