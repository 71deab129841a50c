// The devices that may use the page. They are sealed values like the people, so they are included in the replica and in
// backups, are resealed under a new key, and cannot be added with only write access to the database.
//
//     device ID    one line each: 1, level, SHA-256 of the token in hexadecimal digits, time of pairing, name
//
// The last day of use is not sealed: it changes every day, for which no replica is written.

import TappetCore
import TappetSQLite

extension Store {
  static let pageDevicePrefix = "device "

  /// Returns the last day of use of each device, by id, in days since 1970.
  fileprivate func pageDeviceDays() throws(DatabaseError) -> [String: Int64] {
    let statement = try database.statement(
      "SELECT substr(name, 12), value FROM meta WHERE substr(name, 1, 11) = 'page used: '")
    defer { statement.reset() }
    var days: [String: Int64] = [:]
    while try statement.step() { days[statement.text(0)] = statement.integer(1) }
    return days
  }

  fileprivate func recordUse(ofPageDevice id: String, day: Int64?) throws(DatabaseError) {
    try transaction { () throws(DatabaseError) in
      let statement = try database.statement(
        day == nil
          ? "DELETE FROM meta WHERE name = 'page used: ' || ?1"
          : "INSERT OR REPLACE INTO meta VALUES ('page used: ' || ?1, ?2)")
      statement.bind(id, at: 1)
      if let day { statement.bind(day, at: 2) }
      try statement.run()
    }
  }

  /// Whether a sealed value is a device of the page.
  package static func isPageDevice(_ name: String) -> Bool { name.begins(with: pageDevicePrefix) }
}

extension SecretStore {
  /// Returns all devices, ordered by name; devices that cannot be decrypted are omitted, and must be paired again.
  @export(interface)
  package func pageDevices() throws(SecretStoreError) -> [PageDevice] {
    var devices: [PageDevice] = []
    do throws(DatabaseError) {
      for name in try store.sealedValueNames() where Store.isPageDevice(name) {
        guard let value = try? store.sealedValue(named: name, under: sealingKey) else { continue }
        let id = String(name.dropFirst(Store.pageDevicePrefix.utf8.count))
        if let device = value.withBytes({ PageDevice(id: id, stored: Array($0)) }) { devices.append(device) }
      }
    } catch { throw .store(error) }
    return devices.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
  }

  /// Returns the last day of use of each device, by id, in days since 1970.
  package func pageDeviceDays() throws(SecretStoreError) -> [String: Int64] {
    do throws(DatabaseError) { return try store.pageDeviceDays() } catch { throw .store(error) }
  }

  /// Records the last day of use of a device.
  package func recordUse(ofPageDevice id: String, day: Int64) throws(SecretStoreError) {
    do throws(DatabaseError) { try store.recordUse(ofPageDevice: id, day: day) } catch { throw .store(error) }
  }

  /// Returns the page's password; `nil` if none was set.
  @export(interface)
  package func pagePassword() throws(SecretStoreError) -> PagePassword? {
    guard let value = try sealedValue(named: SecretStore.pagePasswordName) else { return nil }
    guard let password = value.withBytes({ PagePassword(stored: Array($0)) }) else {
      throw .secret(.unreadable(SecretStore.pagePasswordName))
    }
    return password
  }

  /// Adds a device.
  package func add(_ device: PageDevice, noting auditEntry: AuditEntry) throws(SecretStoreError) {
    var bytes = device.stored
    try seal(SecretBytes(taking: &bytes), as: Store.pageDevicePrefix + device.id, noting: auditEntry)
  }

  /// Removes the device with the given id; returns false if there is none.
  package func remove(pageDevice id: String, noting auditEntry: AuditEntry) throws(SecretStoreError) -> Bool {
    let isRemoved = try removeSealedValue(named: Store.pageDevicePrefix + id, noting: auditEntry)
    try? store.recordUse(ofPageDevice: id, day: nil)
    return isRemoved
  }
}

extension PageDevice {
  /// Content of the sealed value.
  fileprivate var stored: [UInt8] {
    Array("1\n\(level.rawValue)\n\(Hex.encode(tokenHash))\n\(pairedUnixSeconds)\n\(name)".utf8)
  }

  fileprivate init?(id: String, stored: [UInt8]) {
    let lines = stored.split(separator: 0x0A, maxSplits: 4, omittingEmptySubsequences: false)
    guard lines.count == 5, lines[0].elementsEqual("1".utf8), let number = Int64(decimal: lines[1]),
      let level = UInt8(exactly: number).flatMap({ PageLevel(rawValue: $0) }),
      let hash = Hex.decode(lines[2]), hash.count == 32, let paired = Int64(decimal: lines[3])
    else { return nil }
    self.init(
      id: id, name: String(decoding: lines[4], as: UTF8.self), level: level, tokenHash: hash, pairedUnixSeconds: paired)
  }
}
