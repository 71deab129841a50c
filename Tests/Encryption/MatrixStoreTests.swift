// matrix.db: rows that are sealed, of one device, changed together.

import Foundation
import TappetCore
import TappetSQLite
import Testing

@testable import TappetStore

@Suite final class MatrixStoreTests {
  private let folder = NSTemporaryDirectory() + "tappet-matrix-" + UUID().uuidString

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func open(_ device: String = "@kiosk:h A") throws -> MatrixStore {
    try MatrixStore.open(folder: folder, device: device)
  }

  private func change(_ name: String, _ value: String?) -> MatrixChange {
    MatrixChange(row: MatrixRow(.sessions, name), value: value.map { Array($0.utf8) })
  }

  private func content(_ store: MatrixStore) throws -> [String: String] {
    let rows = try #require(try store.rows())
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.row.name, String(decoding: $0.value, as: UTF8.self)) })
  }

  @Test func `rows survive a restart, and are replaced and removed`() throws {
    do {
      let store = try open()
      try store.commit([change("a", "one"), change("b", "two"), change("a", "three")])
    }
    let store = try open()
    #expect(try content(store) == ["a": "three", "b": "two"])
    try store.commit([change("a", nil)])
    #expect(try content(store) == ["b": "two"])
  }

  @Test(arguments: [2, 70_000, -1, 0])
  func `a damaged version number is corrected, and the keys are kept`(_ number: Int) throws {
    do { try open().commit([change("a", "one")]) }
    do { try Database(path: folder + "/matrix.db").execute("PRAGMA user_version = \(number)") }
    #expect(try content(open()) == ["a": "one"])
    #expect(try Database(path: folder + "/matrix.db").integer("PRAGMA user_version") == 1)
  }

  @Test func `only the owner can read the file, and a key in it is sealed`() throws {
    let store = try open()
    try store.commit([change("a", "a-key-of-the-test")])
    for name in ["matrix.db", "matrix.db-wal"] {
      let path = folder + "/" + name
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(bytes.range(of: Data("a-key-of-the-test".utf8)) == nil)
    }
  }

  @Test func `a row that was moved, changed or sealed elsewhere is detected`() throws {
    do {
      let store = try open()
      try store.commit([change("a", "one"), change("b", "two")])
    }
    do {
      let database = try Database(path: folder + "/matrix.db")
      try database.execute("UPDATE row SET value = (SELECT value FROM row WHERE name = 'a') WHERE name = 'b'")
    }
    #expect(try open().rows() == nil)
  }

  @Test func `a room stays encrypted for the next device, and after the keys are lost`() throws {
    let room = MatrixChange(row: MatrixRow(.encryptedRoom, "!door:h"), value: Array("true".utf8))
    do { try open().commit([room, change("a", "one")]) }
    do {
      let store = try open("@kiosk:h B")
      #expect(try store.encryptedRooms().map(\.row.name) == ["!door:h"] && content(store).isEmpty)
      try store.clear()
    }
    do {
      let database = try Database(path: folder + "/matrix.db")
      try database.execute("UPDATE row SET value = x'00'")
    }
    #expect(try open("@kiosk:h C").encryptedRooms().map(\.row.name) == ["!door:h"])
  }

  @Test func `a new device starts without keys, and clearing removes them all`() throws {
    #expect(!MatrixStore.hasKeys(folder: folder, of: "@kiosk:h A"))
    #expect(!FileManager.default.fileExists(atPath: folder))
    do {
      let store = try open()
      try store.commit([change("a", "one")])
    }
    #expect(MatrixStore.hasKeys(folder: folder, of: "@kiosk:h A"))
    #expect(!MatrixStore.hasKeys(folder: folder, of: "@kiosk:h B"))
    do {
      let other = try open("@kiosk:h B")
      #expect(try content(other).isEmpty)
      try other.clear()
    }
    #expect(!MatrixStore.hasKeys(folder: folder, of: "@kiosk:h B"))
  }
}
