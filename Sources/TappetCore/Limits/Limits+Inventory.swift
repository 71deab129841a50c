// Bounds of the inventory, tappet-inventory.

extension Limits {
  /// Bytes of the name of a building, room, spot, box or item; it takes one line of a label.
  package static let inventoryNameSizeMax = 512
  /// Bytes of a box's code: a QR code of the smallest labels holds it.
  package static let inventoryCodeSizeMax = 128
  /// Bytes of an item's notes.
  package static let inventoryNotesSizeMax = 64 * 1024
  /// The largest quantity of an item.
  package static let inventoryQuantityMax: Int64 = 1_000_000_000
  /// Bytes of a photo, which is read as a whole for its hash.
  package static let inventoryPhotoSizeMax = 64 * 1024 * 1024
  /// Changes that can be taken back.
  package static let inventoryUndoMax: Int64 = 50
  /// Bytes of the disk that an import leaves free.
  package static let inventoryReserve: Int64 = 8 * 1024 * 1024
  /// Things in a change that can be made again after it was taken back; an import of more is imported again.
  package static let inventoryRedoMax: Int64 = 10_000
  /// Moves that are remembered.
  package static let inventoryMovesMax: Int64 = 100_000
  /// Changes that wait for a kiosk that passes them on.
  package static let inventoryNewsMax: Int64 = 10_000
  /// Bytes of the database that are kept in memory while a command runs.
  package static let inventoryCacheSizeMax = 8 * 1024 * 1024
  /// Things that 'tappet find' shows unless it is asked for more.
  package static let inventoryFindsMax: Int64 = 50
  /// Things with one word of a search whose places are looked at for the others.
  package static let inventoryCandidatesMax: Int64 = 5000
  /// Changes that the JSON of a trial import lists.
  package static let inventoryDifferencesMax = 10_000
  /// Labels that one command makes.
  package static let labelsMax = 10_000
  /// Bytes of a field of a table; the longest notes are shorter.
  package static let tableFieldSizeMax = 128 * 1024
  /// Columns of a table; Homebox has 30 and the user's own.
  package static let tableColumnsMax = 256
  /// Bytes that are read from a file, or written, at once.
  package static let tablePieceSize = 64 * 1024
  /// Bytes of one line of a JSON file.
  package static let jsonLineSizeMax = 16 * 1024 * 1024
  /// Items of one name that are looked at to find the one that is meant.
  package static let inventoryNamesakesMax = 1000

  // MARK: At the reader

  /// Time for the second of two taps, unless the configuration says another.
  package static let inventoryMoveWithin: Duration = .seconds(10)
  /// The longest that may be configured.
  package static let inventoryMoveWithinMax: Duration = .seconds(120)
  /// Time for an answer of tappet-inventory: the database may be busy for `storeBusyTimeout`.
  package static let inventoryAnswerMax: Duration = .seconds(8)
  /// Time until tappet-inventory asks the database again that refused, or whose changes the kernel does not report.
  package static let inventoryAskInterval: Duration = .seconds(5)
  /// Touches that wait for their answers.
  package static let inventoryTouchesMax = 8
  /// Things that a message lists of what is in a place.
  package static let inventoryContentsMax = 50
  /// Bytes of a message between the kiosk and tappet-inventory.
  package static let inventoryMessageSizeMax = 60 * 1024
  /// Time between two looks for a scanner that is missing.
  package static let scannerRetryInterval: Duration = .seconds(5)
  /// The longest pause between two keys of one code.
  package static let scannerPauseMax: Duration = .seconds(1)
  /// Bytes of a scanned code.
  package static let inventoryScanSizeMax = 256
}
