// Limits of the inventory, tappet-inventory.

extension Limits {
  /// Maximum length of the name of a building, room, spot, box or item, in bytes; it takes one line of a label.
  package static let inventoryNameSizeMax = 512
  /// Maximum length of a box's code, in bytes; the code has to fit in a QR code on the smallest labels.
  package static let inventoryCodeSizeMax = 128
  /// Maximum length of an item's notes, in bytes.
  package static let inventoryNotesSizeMax = 64 * 1024
  /// Maximum quantity of an item.
  package static let inventoryQuantityMax: Int64 = 1_000_000_000
  /// Maximum size of a photo, in bytes; a photo is read as a whole for its hash.
  package static let inventoryPhotoSizeMax = 64 * 1024 * 1024
  /// Maximum number of changes that can be undone.
  package static let inventoryUndoMax: Int64 = 50
  /// Minimum free disk space that an import leaves, in bytes.
  package static let inventoryReserve: Int64 = 8 * 1024 * 1024
  /// Maximum number of entries in a change that can be redone after an undo; a larger import has to be imported again.
  package static let inventoryRedoMax: Int64 = 10_000
  /// Maximum number of moves that are remembered.
  package static let inventoryMovesMax: Int64 = 100_000
  /// Maximum number of changes waiting for a kiosk to pass them on.
  package static let inventoryNewsMax: Int64 = 10_000
  /// Maximum number of waiting changes with which items that become low, or are restocked, are added to the changes.
  package static let inventoryStockNewsMax: Int64 = 1_000
  /// Maximum size of the database's page cache while a command runs, in bytes.
  package static let inventoryCacheSizeMax = 8 * 1024 * 1024
  /// Maximum size of the page cache while an import creates the indexes, in bytes.
  package static let inventorySortSizeMax = 2 * 1024 * 1024
  /// Default maximum number of entries that 'tappet find' shows.
  package static let inventoryFindsMax: Int64 = 50
  /// Maximum number of entries matching one word, or one piece of a word, that are searched for the rest of the query.
  package static let inventoryCandidatesMax: Int64 = 5000
  /// Maximum number of words in the index that replace one word of a search that they start with.
  package static let inventoryWordsMax = 64
  /// Maximum number of changes listed in the JSON of a trial import.
  package static let inventoryDifferencesMax = 10_000
  /// Maximum number of labels that one command creates.
  package static let labelsMax = 10_000
  /// Maximum length of a field in a table, in bytes; the longest notes are shorter.
  package static let tableFieldSizeMax = 128 * 1024
  /// Maximum number of columns in a table; Homebox has 30, plus custom ones.
  package static let tableColumnsMax = 256
  /// Number of bytes read from, or written to, a file in one piece.
  package static let tablePieceSize = 64 * 1024
  /// Maximum length of a line in a JSON file, in bytes.
  package static let jsonLineSizeMax = 16 * 1024 * 1024
  /// Maximum number of items with the same name that are examined to find the intended one.
  package static let inventoryNamesakesMax = 1000

  // MARK: Taps at the reader

  /// Default time limit for the second of two taps.
  package static let inventoryMoveWithin: Duration = .seconds(10)
  /// Longest configurable time limit for the second of two taps.
  package static let inventoryMoveWithinMax: Duration = .seconds(120)
  /// Default time without a tap after which a job ends.
  package static let inventoryJobEnds: Duration = .seconds(60)
  /// Longest configurable time without a tap after which a job ends; a forgotten job changes what the next person taps.
  package static let inventoryJobEndsMax: Duration = .seconds(3600)
  /// Number of changes of quantities that are remembered, so that none is made twice.
  package static let inventoryTicketsMax: Int64 = 1000
  /// Timeout for a response from tappet-inventory; the database may be busy for `storeBusyTimeout`.
  package static let inventoryAnswerMax: Duration = .seconds(8)
  /// Interval at which tappet-inventory retries a refused query, or polls if the kernel does not report changes.
  package static let inventoryAskInterval: Duration = .seconds(5)
  /// Maximum number of pieces that one touch moves; a longer number is more likely the code of a product.
  package static let inventoryPiecesMax: Int64 = 9999
  /// Maximum number of pending touches.
  package static let inventoryTouchesMax = 8
  /// Maximum number of entries that a message lists as the contents of a location.
  package static let inventoryContentsMax = 50
  /// Maximum number of items in a published list.
  package static let inventoryListMax = 50
  /// Maximum number of people who are named as those who have pieces of an item.
  package static let inventoryPeopleMax = 8
  /// Maximum size of a published list, in bytes; Home Assistant's recorder drops attributes of more than 16,384 bytes.
  package static let inventoryListSizeMax = 8 * 1024
  /// Maximum number of entries that the message about a touch lists as the contents of a location.
  package static let inventoryTouchContentsMax = 20
  /// Maximum number of missing entries that are named at the end of a stocktake or an audit.
  package static let inventoryMissingMax = 20
  /// Maximum size of a message between the kiosk and tappet-inventory, in bytes.
  package static let inventoryMessageSizeMax = 60 * 1024
  /// Interval between two searches for a missing scanner.
  package static let scannerRetryInterval: Duration = .seconds(5)
  /// Maximum pause inside one code; a scanner types it without pauses.
  package static let scannerPauseMax: Duration = .milliseconds(500)
  /// Maximum number of bytes in one read from a serial scanner; the kernel keeps this many.
  package static let scannerReadSizeMax = 4096
  /// Interval in which unusable codes are reported at most once for each reason; noise on a serial line would fill the
  /// log.
  package static let scannerMisreadInterval: Duration = .seconds(1)
}
