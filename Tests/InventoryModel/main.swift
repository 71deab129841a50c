// Random operations on an inventory and on a plain model of it, with the same answers from both.
//
// InventoryModel FOLDER SEED OPERATIONS [FROM]: prints the number of each operation when it was acknowledged. With FROM
// it continues after a kill: the operations before FROM are in the database, and the one of that number may be.

import Foundation
import TappetCore
import TappetInventory

let words = CommandLine.arguments.dropFirst()
guard words.count >= 3, let folder = words.first, let seed = UInt64(words[2]), let count = Int(words[3]) else {
  print("usage: InventoryModel FOLDER SEED OPERATIONS [FROM]")
  exit(2)
}
let start = words.count > 3 ? Int(words[4]) ?? 0 : 0

/// Does one operation to the model alone.
func skip(_ number: Int, _ comparison: inout Comparison, _ random: inout Random) {
  _ = Operation.draw(number, comparison.model, &random).perform(on: &comparison.model)
}

/// Whether the database is as the model is.
func isSame(_ comparison: inout Comparison) throws -> Bool {
  do {
    try comparison.readAllEntries()
    try comparison.compareAll()
    return true
  } catch is Difference { return false }
}

do {
  var random = Random(seed: seed)
  // Questions must not change what is drawn.
  var questions = Random(seed: ~seed)
  // A kill, unlike a power cut, takes nothing away that the kernel has.
  var comparison = Comparison(try Inventory.open(folder: folder, isDurable: false))
  var number = 0
  while number < start {
    skip(number, &comparison, &random)
    number += 1
  }
  if start > 0, try !isSame(&comparison) {
    skip(number, &comparison, &random)
    number += 1
    guard try isSame(&comparison) else {
      throw Difference(description: "after \(number) operations and a kill: the database is neither before nor after")
    }
  }
  while number < count {
    let operation = Operation.draw(number, comparison.model, &random)
    do {
      try comparison.perform(operation)
      try comparison.ask(&questions)
      if number % 1000 == 999 { try comparison.compareAll() }
    } catch let difference as Difference {
      throw Difference(description: "operation \(number), \(operation): \(difference)")
    }
    // At once: a killed process keeps what it has not written.
    FileHandle.standardOutput.write(Data("\(number)\n".utf8))
    number += 1
  }
  try comparison.compareAll()
} catch {
  print("seed \(seed): \(error)")
  exit(1)
}
