// The part `inventory:` of kiosk.yaml, and `mode: inventory`: what is read, and the sentence for each mistake.

import TappetCore
import Testing

@testable import TappetConfig
@testable import TappetMessages

/// Line 4 has the inventory; lines 6 to 8 have the actions.
private func parse(
  _ inventory: String, box: String = "mode: inventory", more: String = ""
) -> ConfigurationParser.Outcome {
  let text = """
    broker: {url: 'mqtts://broker.example', client_id: kiosk}
    timestamp_key: {file: k}
    # The store room.
    \(inventory)
    actions:
      - {name: box, \(box)}
      - {name: restock, topic: shop/restock, message: '%{thing}'}
      - {name: shelf, mode: inventory, topic: home/shelf, message: '%{verb}'}
    \(more)
    """
  return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet", files: .ignored)
}

private func settings(_ inventory: String) throws -> InventorySettings {
  let outcome = parse(inventory)
  guard case .loaded(let configuration) = outcome else { throw Refused(outcome: outcome) }
  return try #require(configuration.inventory)
}

private struct Refused: Error { var outcome: ConfigurationParser.Outcome }

/// The sentences about the mistakes, each with its line and column.
private func problems(_ inventory: String, box: String = "mode: inventory") -> [String] {
  guard case .refused(let problems) = parse(inventory, box: box) else { return [] }
  return problems.map { String($0.sentence.dropFirst("k:".count)) }
}

@Suite struct InventoryConfigurationTests {
  @Test func `everything that can be configured is read`() throws {
    let settings = try settings(
      "inventory: {scanner: /dev/input/by-id/scan, scan_action: shelf, move_within: 90 s, low_stock: restock, "
        + "overdue: restock, publish: true}")
    var wanted = InventorySettings()
    wanted.scanner = "/dev/input/by-id/scan"
    wanted.plan.scanAction = "shelf"
    wanted.plan.moveWithin = .seconds(90)
    wanted.plan.lowStockAction = "restock"
    wanted.plan.overdueAction = "restock"
    wanted.plan.topic = "tappet/kiosk/inventory"
    #expect(settings == wanted)
  }

  @Test(arguments: ["inventory:", "inventory: {}", "inventory: {publish: false}"])
  func `nothing is published, scanned or ordered unless configured`(_ text: String) throws {
    let settings = try settings(text)
    #expect(settings == InventorySettings() && settings.plan.moveWithin == .seconds(10))
    #expect(settings.plan.feed == nil)
  }

  @Test func `a scan triggers the first inventory action; paths are relative to the configuration`() throws {
    let settings = try settings("inventory: {scanner: scan}")
    #expect(settings.scanner == "/etc/tappet/scan" && settings.plan.scanAction == "box")
  }

  @Test func `a scanner that acts as a keyboard can have a layout`() throws {
    for (layout, word) in [(ScannerLayout.us, "us"), (.de, "de"), (.gb, "gb"), (.fr, "fr")] {
      let settings = try settings("inventory: {scanner: {device: /dev/input/by-id/scan, layout: \(word)}}")
      #expect(settings.scanner == "/dev/input/by-id/scan" && settings.scannerLayout == layout)
    }
    for text in ["/dev/ttyACM0", "{device: /dev/ttyACM0}"] {
      let settings = try settings("inventory: {scanner: \(text)}")
      #expect(settings.scanner == "/dev/ttyACM0" && settings.scannerLayout == .us && settings.plan.scanAction == "box")
    }
  }

  @Test func `an action of the inventory needs no topic`() throws {
    guard case .loaded(let configuration) = parse("inventory:") else { throw Refused(outcome: parse("inventory:")) }
    #expect(configuration.actions.map(\.mode) == [.inventory, .tap, .inventory])
    #expect(configuration.actions.map(\.topic) == [nil, "shop/restock", "home/shelf"])
    #expect(KioskSettings(configuration).inventory == InventoryPlan())
  }

  @Test func `each action has its own job, and a scan triggers only an action without a job`() throws {
    let more = """
        - {name: restocking, mode: inventory, job: add}
        - {name: counting, mode: inventory, job: count}
        - {name: audit, mode: inventory, job: audit}
        - {name: done, mode: inventory, job: cancel}
      """
    let outcome = parse("inventory: {scanner: /s, job_ends: 5 min}", box: "mode: inventory, job: remove", more: more)
    guard case .loaded(let configuration) = outcome else { throw Refused(outcome: outcome) }
    #expect(configuration.actions.map(\.job) == [.remove, .show, .show, .add, .count, .audit, .cancel])
    let plan = try #require(configuration.inventory?.plan)
    #expect(plan.jobEnds == .seconds(300) && plan.scanAction == "shelf")
    #expect(try settings("inventory:").plan.jobEnds == .seconds(60))
    #expect(
      problems("inventory:", box: "topic: t, message: m, job: add") == [
        "6:44: 'job' also needs 'mode: inventory' in actions[0]"
      ])
    #expect(
      problems("inventory:", box: "mode: inventory, job: fly") == [
        "6:39: actions[0].job must be 'show' or 'add' or 'remove' or 'count' or 'audit' or 'cancel', not 'fly'"
      ])
    #expect(
      problems("inventory: {scanner: /s, scan_action: box}", box: "mode: inventory, job: add") == [
        "4:39: inventory.scan_action must be used together with an action that has 'mode: inventory' and no 'job', "
          + "not 'box'"
      ])
  }

  @Test func `unknown tags may be looked up in the inventory`() throws {
    let outcome = parse("inventory:", more: "unknown_tags: {mode: inventory}")
    guard case .loaded(let configuration) = outcome else { throw Refused(outcome: outcome) }
    #expect(configuration.unknownTags?.mode == .inventory && configuration.unknownTags?.topic == nil)
  }

  @Test func `without the section a kiosk has no inventory`() {
    guard
      case .loaded(let configuration) = ConfigurationParser.parse(
        Array("broker: {url: 'mqtts://b', client_id: k}\nactions: [{name: a, topic: t, message: m}]".utf8), name: "k",
        folder: "/", files: .ignored)
    else {
      Issue.record("refused")
      return
    }
    #expect(configuration.inventory == nil && KioskSettings(configuration).inventory == nil)
  }

  @Test(arguments: [
    ("scanner: []", "4:22: inventory.scanner must be text, not an empty list"),
    ("scanner: ''", "4:22: inventory.scanner must be text that is not empty, not ''"),
    ("scanner: [/s, /t]", "4:22: inventory.scanner must be text, not a list"),
    ("scanner: {layout: de}", "4:22: the key 'device' is missing in inventory.scanner"),
    ("scanner: {device: ''}", "4:31: inventory.scanner.device must be text that is not empty, not ''"),
    (
      "scanner: {device: /s, layout: es}",
      "4:43: inventory.scanner.layout must be 'us' or 'de' or 'gb' or 'fr', not 'es'"
    ),
    (
      "scanner: {device: /dev/ttyACM0, layout: de}",
      "4:53: inventory.scanner.layout must be used only with a scanner that acts as a keyboard, not 'de'"
    ),
    (
      "scanner: {device: /dev/serial/by-id/s, layout: us}",
      "4:60: inventory.scanner.layout must be used only with a scanner that acts as a keyboard, not 'us'"
    ),
    ("scan_action: box", "4:26: 'scan_action' also needs 'scanner' in inventory"),
    ("scanner: /s, scan_action: bax", "4:39: inventory.scan_action: there is no action 'bax' (did you mean 'box'?)"),
    (
      "scanner: /s, scan_action: restock",
      "4:39: inventory.scan_action must be used together with an action that has 'mode: inventory' and no 'job', "
        + "not 'restock'"
    ),
    ("low_stock: restok", "4:24: inventory.low_stock: there is no action 'restok' (did you mean 'restock'?)"),
    ("low_stock: box", "4:24: inventory.low_stock must be an action with neither 'confirm' nor 'mode', not 'box'"),
    ("low_stock: [restock]", "4:24: inventory.low_stock must be text, not a list"),
    ("overdue: restok", "4:22: inventory.overdue: there is no action 'restok' (did you mean 'restock'?)"),
    ("overdue: box", "4:22: inventory.overdue must be an action with neither 'confirm' nor 'mode', not 'box'"),
    ("publish: 'true'", "4:22: inventory.publish must be true or false, without quotes, not 'true'"),
    ("publish: yes", "4:22: inventory.publish must be 'true' or 'false', not 'yes'"),
    ("scaner: /s", "4:13: unknown key 'scaner' in inventory (did you mean 'scanner'?)"),
    ("publish: true, publish: true", "4:28: duplicate key 'publish' in inventory"),
  ])
  func `each error is reported with its line`(_ keys: String, _ sentence: String) {
    let told = problems("inventory: {\(keys)}")
    #expect(told == [sentence])
  }

  @Test(arguments: ["0 s", "999 ms", "121 s", "10", "-5 s"])
  func `the time between two taps is configurable from 1 s to 120 s`(_ time: String) throws {
    #expect(
      problems("inventory: {move_within: \(time)}") == [
        "4:26: inventory.move_within must be a duration such as '800 ms', '3 s', '10 min' or '24 h', at least 1 s, "
          + "at most 120 s, not '\(time)'"
      ])
    for seconds in [1, 120] {
      #expect(try settings("inventory: {move_within: \(seconds) s}").plan.moveWithin == .seconds(seconds))
    }
  }

  @Test func `the section must be a mapping`() {
    #expect(problems("inventory: true") == ["4:12: inventory must be a mapping (key: value), not 'true'"])
    #expect(problems("inventory: [scanner]") == ["4:12: inventory must be a mapping (key: value), not a list"])
  }

  @Test(arguments: [
    (
      "inventory: {low_stock: box}", "topic: t, message: m, confirm: 3 s",
      "4:24: inventory.low_stock must be an action with neither 'confirm' nor 'mode', not 'box'"
    ),
    (
      "inventory: {low_stock: box}", "topic: t, message: m, on_remove: {message: n}",
      "4:24: inventory.low_stock must be an action with neither 'confirm' nor 'mode', not 'box'"
    ),
    (
      "inventory:", "mode: inventory, on_remove: {message: m}",
      "6:45: 'on_remove' also needs 'mode: hold' in actions[0]"
    ),
    (
      "inventory:", "mode: inventory, message: m",
      "6:43: 'message' also needs 'topic' in actions[0]"
    ),
    (
      "inventory:", "mode: inventory, topic: t",
      "6:5: the key 'message' is missing in actions[0]"
    ),
    (
      "inventory:", "topic: t, message: m, mode: invntory",
      "6:45: actions[0].mode must be 'tap' or 'hold' or 'toggle' or 'inventory', not 'invntory'"
    ),
    (
      "", "mode: inventory",
      "6:5: 'mode' also needs 'inventory' in actions[0]"
    ),
  ])
  func `an error in an action is reported with its line`(_ inventory: String, _ box: String, _ sentence: String) {
    let told = problems(inventory, box: box)
    #expect(told == [sentence])
  }

  @Test(arguments: ["output: {gate: pulse}", "unlock: true"])
  func `barcodes, low stock and overdue loans drive no output and unlock nothing`(_ effect: String) {
    func problem(_ inventory: String, _ mode: String) -> [String] {
      let text = """
        broker: {url: 'mqtts://broker.example', client_id: kiosk}
        panel: {outputs: [{name: gate, line: GPIO20}], buttons: [{line: GPIO5, press: shop}], lock_after: 1 min}
        inventory: {\(inventory)}
        actions: [{name: shelf, \(mode), \(effect), topic: t, message: m}, {name: shop, topic: t, message: m},
          {name: key, unlock: true, topic: t, message: m}]
        """
      let outcome = ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/", files: .ignored)
      guard case .refused(let problems) = outcome else { return [] }
      return problems.map(\.sentence)
    }
    func sentence(_ place: String, _ why: String) -> [String] {
      ["k:3:\(place): 'shelf' drives an output or unlocks the panel, and \(why)"]
    }
    let scanned = "barcodes cannot do that, because they can be copied; use an action that does neither"
    #expect(problem("scanner: /s", "mode: inventory") == sentence("22: inventory.scanner", scanned))
    #expect(
      problem("scanner: /s, scan_action: shelf", "mode: inventory") == sentence("39: inventory.scan_action", scanned))
    let changed =
      "the inventory cannot do that, because barcodes, which can be copied, change it; use an action that does neither"
    #expect(problem("low_stock: shelf", "mode: tap") == sentence("24: inventory.low_stock", changed))
    #expect(problem("overdue: shelf", "mode: tap") == sentence("22: inventory.overdue", changed))
    // Signed tags may: without a scanner, the action is accepted.
    #expect(problem("publish: false", "mode: inventory").isEmpty)
  }

  @Test func `a scanner, or a lookup of unknown tags, requires an inventory`() {
    let actions = "broker: {url: 'mqtts://b', client_id: k}\nactions: [{name: a, topic: t, message: m}]\n"
    for (text, sentence) in [
      (
        "inventory: {scanner: /s}",
        "k:3:22: inventory.scanner must be used together with an action that has 'mode: inventory' and no 'job', "
          + "not '/s'"
      ), ("unknown_tags: {mode: inventory}", "k:3:15: 'mode' also needs 'inventory' in unknown_tags"),
    ] {
      guard
        case .refused(let problems) = ConfigurationParser.parse(
          Array((actions + text).utf8), name: "k", folder: "/", files: .ignored)
      else {
        Issue.record("accepted: \(text)")
        continue
      }
      #expect(problems.map(\.sentence) == [sentence])
    }
  }
}
