// The devices of the page in the store.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetPlatform
@testable import TappetStore

@Suite struct StorePageDevicesTests {
  private let folder = StateFolder()

  private func entry(_ operation: String) -> AuditEntry {
    AuditEntry(unixSeconds: 5, peer: .current(), operation: operation, subject: "")
  }

  private func device(_ id: String, _ name: String, _ level: PageLevel) -> PageDevice {
    PageDevice(
      id: id, name: name, level: level, tokenHash: LibCrypto.digest(Array(name.utf8)), pairedUnixSeconds: 7)
  }

  @Test func `devices survive a new start and a new key, and are sealed on the disk`() throws {
    let devices = [device("b", "Hall tablet", .press), device("a", "Ännchen\nphone", .manage)]
    let store = try SecretStore.open(folder: folder.path)
    for device in devices { try store.add(device, noting: entry("device-paired")) }
    #expect(try SecretStore.open(folder: folder.path).pageDevices() == devices)
    for path in [folder.databasePath, folder.logPath] {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(bytes.range(of: Data("Hall tablet".utf8)) == nil)
      #expect(bytes.range(of: Data(Hex.encode(devices[0].tokenHash).utf8)) == nil)
    }
    #expect(try store.remove(pageDevice: "b", noting: entry("device-removed")))
    #expect(try !store.remove(pageDevice: "b", noting: entry("device-removed")))
    #expect(try SecretStore.open(folder: folder.path).pageDevices() == [devices[1]])
  }

  @Test func `the last day of a device's use survives a new start, and is forgotten with the device`() throws {
    let store = try SecretStore.open(folder: folder.path)
    for id in ["a", "b"] { try store.add(device(id, id, .press), noting: entry("device-paired")) }
    #expect(try store.pageDeviceDays().isEmpty)
    for day in [20_787, 20_788] { try store.recordUse(ofPageDevice: "a", day: Int64(day)) }
    try store.recordUse(ofPageDevice: "b", day: 20_786)
    #expect(try SecretStore.open(folder: folder.path).pageDeviceDays() == ["a": 20_788, "b": 20_786])
    #expect(try store.remove(pageDevice: "b", noting: entry("device-removed")))
    #expect(try store.pageDeviceDays() == ["a": 20_788])
  }
}
