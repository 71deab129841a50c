// tappet inventory import: imports a file completely or not at all.

import CPlatform
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetInventory
import TappetJSON
import TappetMessages
import TappetPlatform

/// One run of the command.
struct ImportCommand {
  private let arguments: Arguments
  private let path: String
  private let isTrial: Bool
  private let progress = ImportProgress()
  private let differences = Differences()
  private let repetitions = Repetitions()
  private let excesses = ExcessLoans()

  static func run(_ arguments: Arguments, _ configuration: KioskConfiguration) throws(CommandFailure) {
    try ImportCommand(arguments).run(configuration)
  }

  private init(_ arguments: Arguments) {
    self.arguments = arguments
    path = arguments.operands[0]
    isTrial = arguments.has("dry-run")
  }

  private func run(_ configuration: KioskConfiguration) throws(CommandFailure) {
    let source = try InventoryFile(path, format: arguments.value("format"), encoding: arguments.value("encoding"))
    let inventory = try Inventory.of(configuration)
    var failure: CommandFailure?
    let name = String(path.split(separator: "/").last ?? "")
    let counts = try judged { () throws(InventoryError) in
      do throws(InventoryError) {
        return try inventory.runImport(named: name, by: arguments.who, isTrial: isTrial) {
          (job) throws(InventoryError) in
          do throws(CommandFailure) { try add(source, job, inventory) } catch {
            failure = error
            throw .trialOver
          }
          if !isTrial { progress.showIndexing(job.counts) }
        }
      } catch {
        progress.end()
        throw error
      }
    }
    progress.end()
    if let failure { throw failure }
    for sentence in [repetitions.sentence, excesses.sentence].compactMap({ $0 }) {
      Output.printError("note: \(path): \(sentence)")
    }
    report(counts)
  }

  private func add(
    _ source: InventoryFile, _ job: InventoryImport, _ inventory: Inventory
  ) throws(CommandFailure) {
    var line = 0
    while let row = try source.next() {
      line = row.line
      do throws(InventoryError) {
        let result = try job.add(row.record)
        repetitions.note(row, result)
        try excesses.note(row, result, inventory)
        if isTrial {
          for place in job.madePlaces { try show(.added(place), inventory) }
          try show(result, inventory)
        }
      } catch {
        switch error {
        case .store, .noRoom: throw .failed("\(error.sentence); nothing was changed", error.code)
        default: break
        }
        throw .refused("\(path): line \(line): \(error.sentence); nothing was changed", error.code)
      }
      progress.note(job.counts, line: line)
    }
  }

  /// Shows the changes of a dry run; with --json, they are collected until the end.
  private func show(_ result: InventoryImportResult, _ inventory: Inventory) throws(InventoryError) {
    if arguments.report != nil { return try differences.note(result, inventory) }
    switch result {
    case .added(let entry): Output.print("+ \(entry.kind.name)  " + (try inventory.line(of: entry)))
    case .changed(let old, let new):
      Output.print("- \(old.kind.name)  " + (try inventory.line(of: old)))
      Output.print("+ \(new.kind.name)  " + (try inventory.line(of: new)))
      if old == new { Output.print("  with a different barcode") }
      if old.notes != new.notes || old.photo != new.photo { Output.print("  with different notes or photo") }
    case .unchanged: break
    }
  }

  private func report(_ counts: InventoryImportCounts) {
    if let report = arguments.report {
      return report.set(
        .object([
          "added": .number(Int64(counts.added)), "changed": .number(Int64(counts.changed)),
          "unchanged": .number(Int64(counts.unchanged)), "dry_run": .bool(isTrial),
          "changes": .array(differences.changes),
        ]))
    }
    Output.printError(
      "\(isTrial ? "Dry run" : "Imported"): \(counts.added) added, \(counts.changed) changed, "
        + "\(counts.unchanged) unchanged." + (isTrial ? " Nothing was changed." : ""))
  }
}

/// The changes of a dry run, for the JSON output.
private final class Differences {
  private(set) var changes: [JSON] = []

  func note(_ result: InventoryImportResult, _ inventory: Inventory) throws(InventoryError) {
    guard changes.count < Limits.inventoryDifferencesMax else { return }
    switch result {
    case .added(let entry):
      changes.append(
        .object(["was": .null, "becomes": try inventory.json(of: entry, hashesPhoto: false)]))
    case .changed(let old, let new):
      changes.append(
        .object([
          "was": try inventory.json(of: old, hashesPhoto: false),
          "becomes": try inventory.json(of: new, hashesPhoto: false),
        ]))
    case .unchanged: break
    }
  }
}

/// The rows of a file that add one more item with the same values as an earlier row, which may be a mistake.
private final class Repetitions {
  private var lines: [UInt64: Int] = [:]
  private var first: (line: Int, earlier: Int, name: String)?
  private var count = 0

  func note(_ row: InventoryFile.Row, _ result: InventoryImportResult) {
    guard row.record.id == nil, row.record.barcodes.isEmpty, case .added(let entry) = result, entry.kind == .item else {
      return
    }
    let values = row.record.names + [row.record.code ?? "", entry.notes, "\(entry.quantity)"]
    let digest = LibCrypto.digest(Array(values.joined(separator: "\0").utf8))
    let key = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard let earlier = lines[key] else { return lines[key] = row.line }
    first = first ?? (row.line, earlier, entry.name)
    count += 1
  }

  var sentence: String? {
    guard let first else { return nil }
    let more = count > 1 ? ", and so \(plural(count - 1, "more row repeats", "more rows repeat")) an earlier one" : ""
    return "line \(first.line) repeats line \(first.earlier)\(more): each adds another item, such as '\(first.name)'; "
      + "if that is wrong, use 'tappet inventory undo', and remove the repeated lines"
  }
}

/// The rows of a file that leave an item fewer pieces than people have.
private final class ExcessLoans {
  private var first: (line: Int, name: String, loans: String)?
  private var count = 0

  func note(
    _ row: InventoryFile.Row, _ result: InventoryImportResult, _ inventory: Inventory
  ) throws(InventoryError) {
    guard case .changed(let old, let item) = result, item.kind == .item, item.quantity < old.quantity,
      let loans = try inventory.excessLoans(of: item)
    else { return }
    first = first ?? (row.line, item.name, loans)
    count += 1
  }

  var sentence: String? {
    guard let first else { return nil }
    let more = count > 1 ? ", and likewise in \(plural(count - 1, "more row"))" : ""
    return "line \(first.line): of '\(first.name)', \(first.loans)\(more); correct the quantity, or the loans"
  }
}

/// Shows the progress of an import once a second, starting after one second.
private final class ImportProgress {
  private var next = Instant.now() + .seconds(1)
  private var isShown = false

  func note(_ counts: InventoryImportCounts, line: Int) {
    // The clock is read only every 1024 lines.
    guard line % 1024 == 0, Instant.now() >= next else { return }
    show("\(counts.added + counts.changed + counts.unchanged) rows…")
  }

  func showIndexing(_ counts: InventoryImportCounts) {
    if isShown { show("\(counts.added + counts.changed + counts.unchanged) rows; building the indexes…") }
  }

  func end() { if isShown, isatty(2) == 1 { Output.printError("") } }

  private func show(_ text: String) {
    next = Instant.now() + .seconds(1)
    isShown = true
    if isatty(2) == 1 { Output.printErrorInPlace(text) } else { Output.printError(text) }
  }
}
