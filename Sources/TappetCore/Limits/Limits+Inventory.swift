// Limits of the inventory, tappet-inventory.

extension Limits {
  /// Bytes of the name of a building, room, spot, box or item; it takes one line of a label.
  package static let inventoryNameSizeMax = 512
  /// Bytes of a box's code, which has to fit in a QR code on the smallest labels.
  package static let inventoryCodeSizeMax = 128
  /// Bytes of an item's notes.
  package static let inventoryNotesSizeMax = 64 * 1024
  /// The largest quantity of an item.
  package static let inventoryQuantityMax: Int64 = 1_000_000_000
  /// Bytes of a photo, which is read as a whole for its hash.
  package static let inventoryPhotoSizeMax = 64 * 1024 * 1024
  /// Number of changes that can be undone.
  package static let inventoryUndoMax: Int64 = 50
  /// Bytes of the disk that an import leaves free.
  package static let inventoryReserve: Int64 = 8 * 1024 * 1024
  /// Entries in a change that can be redone after an undo; a larger import has to be imported again.
  package static let inventoryRedoMax: Int64 = 10_000
  /// Number of moves that are remembered.
  package static let inventoryMovesMax: Int64 = 100_000
  /// Changes waiting for a kiosk to pass them on.
  package static let inventoryNewsMax: Int64 = 10_000
  /// Bytes of the database that are kept in memory while a command runs.
  package static let inventoryCacheSizeMax = 8 * 1024 * 1024
  /// Entries that 'tappet find' shows by default.
  package static let inventoryFindsMax: Int64 = 50
  /// Entries matching one word of a search whose locations are searched for the other words.
  package static let inventoryCandidatesMax: Int64 = 5000
  /// Changes that the JSON of a trial import lists.
  package static let inventoryDifferencesMax = 10_000
  /// Labels that one command creates.
  package static let labelsMax = 10_000
  /// Bytes of a field of a table; the longest notes are shorter.
  package static let tableFieldSizeMax = 128 * 1024
  /// Columns of a table; Homebox has 30, plus custom ones.
  package static let tableColumnsMax = 256
  /// Bytes that are read from, or written to, a file in one piece.
  package static let tablePieceSize = 64 * 1024
  /// Bytes of one line of a JSON file.
  package static let jsonLineSizeMax = 16 * 1024 * 1024
  /// Items with the same name that are examined to find the intended one.
  package static let inventoryNamesakesMax = 1000

  // MARK: At the reader

  /// Default time for the second of two taps.
  package static let inventoryMoveWithin: Duration = .seconds(10)
  /// Longest configurable time for the second of two taps.
  package static let inventoryMoveWithinMax: Duration = .seconds(120)
  /// Time for an answer of tappet-inventory: the database may be busy for `storeBusyTimeout`.
  package static let inventoryAnswerMax: Duration = .seconds(8)
  /// Interval at which tappet-inventory retries a refused query, or polls if the kernel does not report changes.
  package static let inventoryAskInterval: Duration = .seconds(5)
  /// Maximum number of pending touches.
  package static let inventoryTouchesMax = 8
  /// Entries that a message lists as the contents of a location.
  package static let inventoryContentsMax = 50
  /// Bytes of a message between the kiosk and tappet-inventory.
  package static let inventoryMessageSizeMax = 60 * 1024
  /// Interval between two searches for a missing scanner.
  package static let scannerRetryInterval: Duration = .seconds(5)
  /// The longest pause between two keys of one code.
  package static let scannerPauseMax: Duration = .seconds(1)
  /// Bytes of a scanned code.
  package static let inventoryScanSizeMax = 256
}
