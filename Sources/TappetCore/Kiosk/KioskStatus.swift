// The kiosk's health as data, for `tappet status`, the live view and the service manager. TappetMessages contains the
// texts.

/// The condition of a running kiosk at one moment.
package struct KioskStatus: Hashable, Sendable {
  /// The NFC reader's condition.
  package enum Reader: Hashable, Sendable {
    /// No reader is configured.
    case absent
    case starting
    case ready
    case lost(ReaderLoss)
    case stopped
  }

  /// The condition of the link to the broker.
  package enum Link: Hashable, Sendable {
    /// No broker is configured.
    case absent
    case connecting
    /// `usesFallback` means MQTT 3.1.1, because a connection with MQTT 5 failed.
    case connected(endpoint: Int, usesFallback: Bool = false)
    /// An attempt failed or a connection was lost, and no attempt has succeeded since.
    case failed(endpoint: Int, LinkFailure)
    /// Too many connections were lost; the link is paused.
    case resting(losses: Int, rest: Duration)
    /// The connection was closed intentionally.
    case closed
  }

  /// The condition of the webhooks.
  package enum Webhooks: Hashable, Sendable {
    case good
    /// The last request to this action's server failed.
    case failing(action: String, WebhookFault)
    /// tappet-webhook is not running.
    case lost(HelperLoss)
  }

  /// The condition of the rooms that the kiosk listens to, of its last will, and of its count of unread messages.
  package enum Rooms: Hashable, Sendable {
    case good
    /// No fault, except that there is no last will.
    case withoutWill(RoomWillState)
    /// No fault, except that unread messages are not counted.
    case withoutUnread(RoomUnread)
    /// The homeserver did not respond to the last request.
    case failing(WebhookFault)
    /// tappet-matrix is not running.
    case lost(HelperLoss)
  }

  /// The condition of the inventory.
  package struct Inventory: Hashable, Sendable {
    /// The reason why tappet-inventory is not running although it should be.
    package var loss: HelperLoss?
    /// The scanner's errno; 0 while it is open, or if none is configured.
    package var scannerErrno: Int32
    /// Number of items that are below their minimum stock; `nil` until it is known.
    package var lowCount: Int64?
  }

  /// The condition of the people shared by the site.
  package struct Site: Hashable, Sendable {
    package var name: String
    /// The bundle that is in force; `nil` before the first bundle.
    package var record: SiteRecord?
    /// Whether the broker granted the subscription; `nil` before it responds, and while there is no connection.
    package var isSubscribed: Bool?
    /// The reason why people may be missing; `nil` if the people of the last bundle are in force.
    package var trouble: SiteRefusal?
  }

  /// A part of the panel that does not work.
  package enum PanelProblem: Hashable, Sendable {
    case lost(PanelPart, PanelFault)
    case stuck(button: Int)
    case chattering(button: Int)
  }

  /// The state of one output.
  package struct Output: Hashable, Sendable {
    package var isOn: Bool
    /// Whether the output's line is available.
    package var isAvailable: Bool
    /// The time at which the output left its safe level; `nil` if it is at its safe level.
    package var since: Instant?

    /// Whether the safe level is on.
    package var isSafeOn: Bool { isOn == (since == nil) }
  }

  /// The state of one command topic or room.
  package struct Commands: Hashable, Sendable {
    package var topic: String
    /// Whether the broker granted the subscription, or the kiosk is in the room; `nil` before the response, and while
    /// there is no connection.
    package var isSubscribed: Bool?
    package var counts: CommandCounts
  }

  /// The condition of the clock.
  package struct Clock: Hashable, Sendable {
    /// Whether timestamps may be sealed; `nil` until the clock has been checked.
    package var isGood: Bool?
    /// Whether an action or a pending entry needs the clock.
    package var isNeeded: Bool
  }

  package var reader: Reader
  package var link: Link
  /// The condition of the webhooks; `nil` if no action has a webhook and no webhook entry is pending.
  package var webhooks: Webhooks?
  /// The condition of the inventory; `nil` if none is configured.
  package var inventory: Inventory?
  /// The condition of the rooms; `nil` if the kiosk does not listen in any.
  package var rooms: Rooms?
  /// The unread messages; `nil` if they are not configured, not known, or cannot be counted.
  package var unread: RoomUnread?
  /// The condition of the site; `nil` if none is configured.
  package var site: Site?
  /// The errno with which the page's socket could not be created, 0 if it is open; `nil` without a page.
  package var pageErrno: Int32?
  /// The disk's fault; `nil` while it accepts entries.
  package var store: StoreFault?
  /// Faults of the panel, in the order in which they occurred.
  package var panel: [PanelProblem]
  /// The outputs, in the order of the configuration.
  package var outputs: [Output]
  /// The command topics and rooms, in the order of the configuration.
  package var commands: [Commands]
  /// Whether the buttons are locked; `nil` if they never lock.
  package var isLocked: Bool?
  package var clock: Clock
  /// The base light, shown while the kiosk is idle.
  package var light: Light
}

extension Kiosk {
  private var webhookCondition: KioskStatus.Webhooks? {
    guard settings.usesWebhooks || delivery.webhooks.count > 0 else { return nil }
    if let loss = delivery.webhookProcess.loss { return .lost(loss) }
    return delivery.webhookProcess.trouble.map { .failing(action: $0.action, $0.1) } ?? .good
  }

  private var inventoryCondition: KioskStatus.Inventory? {
    guard settings.inventory != nil else { return nil }
    return KioskStatus.Inventory(
      loss: stock.process.loss, scannerErrno: stock.news.scannerErrno ?? 0, lowCount: stock.news.lowCount)
  }

  private var roomsCondition: KioskStatus.Rooms? {
    guard settings.hearsRooms || listening.process.loss != nil else { return nil }
    if let loss = listening.process.loss { return .lost(loss) }
    if let fault = listening.duties.fault { return .failing(fault) }
    if let lack = listening.will.lack { return .withoutWill(lack) }
    return listening.unread?.lack.map { .withoutUnread($0) } ?? .good
  }

  /// Number of entries pending in the store.
  package var outboxCount: Int { delivery.outbox.count }

  /// Number of entries set aside that were encountered since the start.
  package var asideCount: Int { delivery.outbox.suspicion.asideIDs.count }

  /// Number of entries pending for webhooks.
  package var webhookCount: Int { delivery.webhooks.count }

  /// Returns the number of entries in flight; if `id` is specified, counts only the entry with that id.
  ///
  /// An entry for both destinations is in flight if either half is.
  package func inflightCount(of id: EntryID?) -> Int {
    let ids = delivery.outbox.inflightIDs(id)
    return ids.count + delivery.webhooks.inflightIDs(id).count { !ids.contains($0) }
  }

  /// The outputs in the order of the configuration.
  package var outputStates: [KioskStatus.Output] {
    panel.outputs.indices.map { index in
      let (since, isOn, isAvailable) = panel.outputs.status(of: index)
      return KioskStatus.Output(isOn: isOn, isAvailable: isAvailable, since: since)
    }
  }

  /// The current condition of the kiosk.
  package var status: KioskStatus {
    @export(interface) get {
      KioskStatus(
        reader: reader.condition, link: delivery.link.condition, webhooks: webhookCondition,
        inventory: inventoryCondition,
        rooms: roomsCondition, unread: listening.unread?.lack == nil ? listening.unread : nil, site: siteCondition,
        pageErrno: selfReport.pageErrno,
        store: delivery.store.fault,
        panel: panel.supervision.problems,
        outputs: outputStates,
        commands: intake.gate.status, isLocked: settings.panel.lockAfter == nil ? nil : panel.lock.isLocked,
        clock: KioskStatus.Clock(
          isGood: settings.trustsClock ? true : clock.isSynchronized, isNeeded: needsClock),
        light: baseLight)
    }
  }
}
