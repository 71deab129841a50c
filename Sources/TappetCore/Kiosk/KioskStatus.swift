// The kiosk's health as facts, for `tappet status`, the live view and the service manager. TappetMessages has the
// texts.

/// The condition of a running kiosk at one moment.
package struct KioskStatus: Hashable, Sendable {
  /// The NFC reader's condition.
  package enum Reader: Hashable, Sendable {
    /// None is configured.
    case absent
    case starting
    case ready
    case lost(ReaderLoss)
    case stopped
  }

  /// The condition of the link to the broker.
  package enum Link: Hashable, Sendable {
    case connecting
    /// With `usesFallback` it is MQTT 3.1.1, because the endpoint does not take MQTT 5.
    case connected(endpoint: Int, usesFallback: Bool = false)
    /// An attempt failed or a connection was lost, and nothing has worked since.
    case failed(endpoint: Int, LinkFailure)
    /// Too many connections were lost; the link rests.
    case resting(losses: Int, rest: Duration)
    /// Disconnected on purpose.
    case closed
  }

  /// The condition of the webhooks.
  package enum Webhooks: Hashable, Sendable {
    case good
    /// The server of this action failed last time.
    case failing(action: String, WebhookFault)
    /// tappet-webhook does not run.
    case lost(HelperLoss)
  }

  /// The condition of the commands from rooms.
  package enum Rooms: Hashable, Sendable {
    case good
    /// The homeserver did not answer last time.
    case failing(WebhookFault)
    /// The process that listens does not run.
    case lost(HelperLoss)
  }

  /// The condition of the inventory.
  package struct Inventory: Hashable, Sendable {
    /// Why tappet-inventory does not run although it should.
    package var loss: HelperLoss?
    /// The scanner's fault, an errno; 0 while it is open, or none is configured.
    package var scannerErrno: Int32
    /// Number of items of which there is less than there should be; `nil` until it is known.
    package var lowCount: Int64?
  }

  /// The condition of the site's people.
  package struct Site: Hashable, Sendable {
    package var name: String
    /// The bundle that is in force; `nil` before the first.
    package var record: SiteRecord?
    /// Whether the broker took the subscription; `nil` before the answer, and without a connection.
    package var isSubscribed: Bool?
    /// Why the kiosk may lack people; `nil` when it has those of the last bundle.
    package var trouble: SiteRefusal?
  }

  /// Something on the panel that does not work.
  package enum PanelProblem: Hashable, Sendable {
    case lost(PanelPart, PanelFault)
    case stuck(button: Int)
    case chattering(button: Int)
  }

  /// The state of one output.
  package struct Output: Hashable, Sendable {
    package var isOn: Bool
    /// Whether its line is there.
    package var isAvailable: Bool
  }

  /// The state of one topic, or room, with commands.
  package struct Commands: Hashable, Sendable {
    package var topic: String
    /// Whether the broker took the subscription, or the kiosk is in the room; `nil` before the answer, and without a
    /// connection.
    package var isSubscribed: Bool?
    package var counts: CommandCounts
  }

  package var reader: Reader
  package var link: Link
  /// `nil` when no action has a webhook, and none waits.
  package var webhooks: Webhooks?
  /// `nil` when none is configured.
  package var inventory: Inventory?
  /// `nil` when no room has commands.
  package var rooms: Rooms?
  /// `nil` when none is configured.
  package var site: Site?
  /// The disk's fault; `nil` while it takes entries.
  package var store: StoreFault?
  /// In the order in which the parts failed.
  package var panel: [PanelProblem]
  /// In the order of the configuration.
  package var outputs: [Output]
  /// In the order of the configuration.
  package var commands: [Commands]
  /// Whether the buttons are locked; `nil` when they never are.
  package var isLocked: Bool?
  /// Whether a timestamp may be sealed; `nil` before the kernel was asked.
  package var clockIsGood: Bool?
  /// Whether anything waits for the clock while it is not good.
  package var needsClock: Bool
  /// The lasting light.
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
    guard settings.hearsRooms else { return nil }
    return listening.process.loss.map { .lost($0) } ?? listening.duties.fault.map { .failing($0) } ?? .good
  }

  /// Number of entries that wait in the store.
  package var outboxCount: Int { delivery.outbox.count }

  /// Number of those that were set aside, as far as they were met since the start.
  package var asideCount: Int { delivery.outbox.suspicion.asideIDs.count }

  /// Number of entries that wait for their webhook.
  package var webhookCount: Int { delivery.webhooks.count }

  /// Returns the number of entries in flight, of all or of this one.
  ///
  /// An entry for both destinations is in flight if one of its halves is.
  package func inflightCount(of id: EntryID?) -> Int {
    let ids = delivery.outbox.inflightIDs(id)
    return ids.count + delivery.webhooks.inflightIDs(id).count { !ids.contains($0) }
  }

  /// The outputs in the order of the configuration.
  package var outputStates: [KioskStatus.Output] {
    panel.outputs.indices.map { index in
      let (isOn, isAvailable) = panel.outputs.status(of: index)
      return KioskStatus.Output(isOn: isOn, isAvailable: isAvailable)
    }
  }

  /// The kiosk's condition now.
  package var status: KioskStatus {
    KioskStatus(
      reader: reader.condition, link: delivery.link.condition, webhooks: webhookCondition,
      inventory: inventoryCondition,
      rooms: roomsCondition, site: siteCondition, store: delivery.store.fault,
      panel: panel.supervision.problems,
      outputs: outputStates,
      commands: intake.gate.status, isLocked: settings.panel.lockAfter == nil ? nil : panel.lock.isLocked,
      clockIsGood: settings.trustsClock ? true : clock.isSynchronised, needsClock: needsClock,
      light: baseLight)
  }
}
