// Makes up stories. The odds change every few hundred steps: some stories are about a broker that is away for hours,
// some about a failing disk, some about a person who taps again and again, and most about a bit of everything.

import TappetCore

/// The odds of each kind of step for a while.
private struct Weather {
  /// The kinds of step, each with the relative frequency of its draws.
  var weights: [(kind: Step.Kind, weight: Int)]
  let total: Int
  /// Indexes of the secrets whose cards come most often; none means that all are alike.
  let secrets: [Int]
  /// The steps with which it begins; they are not drawn, so the other steps of a seed stay the same.
  let opening: [Step]

  init(_ changes: [Step.Kind: Int], secrets: [Int] = [], opening: [Step] = []) {
    self.secrets = secrets
    self.opening = opening
    weights = Weather.fair.map { ($0.kind, changes[$0.kind] ?? $0.weight) }
    total = weights.reduce(0) { $0 + $1.weight }
  }

  /// Everything works most of the time.
  static let fair: [(kind: Step.Kind, weight: Int)] = [
    (.readerStarts, 60), (.readerEnds, 4), (.readerLost, 3), (.readerMalformed, 2), (.heartbeat, 3), (.hangs, 2),
    (.tap, 130),
    (.torn, 8), (.hammer, 1), (.again, 10), (.leave, 60), (.stale, 4), (.tagJob, 6), (.tagWritten, 30),
    (.press, 40), (.edge, 30), (.line, 12),
    (.asked, 12), (.output, 30), (.door, 30), (.command, 40),
    (.linkUp, 60), (.linkFails, 10), (.linkLost, 12), (.acknowledge, 130), (.acknowledgeTogether, 10),
    (.webhookStarts, 60), (.webhookEnds, 4), (.webhookAnswers, 80), (.repeated, 10), (.refuse, 5),
    (.unfillable, 3), (.inventoryStarts, 60), (.inventoryEnds, 3), (.inventoryAnswers, 100), (.inventoryChanges, 10),
    (.scan, 30), (.pieces, 5), (.job, 5), (.roomsStart, 60), (.roomsEnd, 3), (.roomSays, 15), (.siteSays, 12),
    (.siteAnswers, 30),
    (.roomReacts, 25), (.roomInvites, 5), (.roomUnread, 8), (.closed, 20), (.picky, 3), (.homeAssistant, 6),
    (.commit, 120), (.tell, 130), (.disk, 6), (.drop, 4),
    (.replace, 1), (.pass, 150),
    (.minutes, 3), (.early, 8),
    (.synchronized, 5), (.step, 4), (.epoch, 1), (.reload, 5), (.secrets, 3),
    (.learned, 3), (.certificates, 3), (.stop, 1),
    (.crash, 3),
    (.power, 2),
  ]

  /// People with tickets, at a panel that locks, while everything fails that they could profit by.
  ///
  /// Some of their secrets are tickets in one version only.
  static let tickets = Weather(
    [
      .tap: 400, .leave: 150, .reload: 20, .secrets: 25, .commit: 250, .tell: 250, .acknowledge: 200, .linkUp: 150,
      .linkLost: 20, .crash: 8, .disk: 10, .inventoryAnswers: 20, .roomSays: 2, .siteSays: 2, .scan: 5,
    ], secrets: [4, 5, 7, 9, 10, 11])

  static let all: [Weather] = [
    Weather([:]),
    // Hardly anything fails.
    Weather([
      .linkLost: 1, .linkFails: 1, .disk: 0, .synchronized: 0, .step: 0, .epoch: 0, .crash: 0, .power: 0, .stop: 0,
      .readerLost: 0, .readerMalformed: 0,
    ]),
    // The broker is away, and everybody taps.
    Weather([.linkUp: 0, .linkFails: 80, .linkLost: 10, .asked: 120]),
    // The broker comes and goes: storms.
    Weather([.linkUp: 200, .linkLost: 120, .pass: 200]),
    // The broker answers slowly, so that the window in flight is full.
    Weather([.acknowledge: 12, .acknowledgeTogether: 40, .linkLost: 4, .asked: 150, .linkUp: 150]),
    // A server that answers slowly, and a process that ends again and again.
    Weather([.webhookAnswers: 10, .webhookEnds: 20, .asked: 150, .minutes: 10]),
    // A slow disk that fails.
    Weather([.commit: 30, .tell: 40, .disk: 40, .drop: 20, .replace: 10]),
    // Power that comes and goes, and a clock that is wrong.
    Weather([.crash: 30, .power: 30, .synchronized: 30, .step: 30, .epoch: 10, .stop: 10]),
    // Long pauses.
    Weather([.pass: 250, .minutes: 60, .acknowledge: 40]),
    // An owner who tries things out.
    Weather([.reload: 60, .secrets: 20, .certificates: 20, .stop: 4]),
    // A reader that fails, and a person who taps again and again.
    Weather([
      .readerEnds: 40, .readerLost: 20, .readerStarts: 100, .tap: 350, .hammer: 15, .leave: 150, .pass: 60, .hangs: 10,
    ]),
    // A tag that stays, while the reader and the kiosk die.
    Weather([
      .tap: 30, .leave: 15, .again: 250, .readerEnds: 50, .readerStarts: 250, .crash: 25, .commit: 250, .tell: 250,
      .pass: 60, .minutes: 0,
    ]),
    // Tags that are held, while somebody changes whose they are and who is suspended.
    Weather([
      .tap: 60, .leave: 10, .torn: 0, .again: 0, .hammer: 0, .readerEnds: 0, .readerLost: 0, .readerMalformed: 0,
      .hangs: 0, .secrets: 300, .pass: 900, .minutes: 0, .crash: 0, .power: 0, .stop: 0,
    ]),
    // Somebody plays with the gate.
    Weather([.output: 400, .linkLost: 20, .pass: 200]),
    // People come and go through doors, and one of them is broken open now and then.
    Weather([.door: 400, .output: 150, .asked: 60, .pass: 300, .minutes: 6, .reload: 8]),
    // A broker full of commands.
    Weather([.command: 500, .crash: 10, .pass: 200]),
    // A room full of people, and a process that ends again and again. Nothing acts without a room, or a clock.
    Weather(
      [
        .roomSays: 400, .roomReacts: 300, .roomInvites: 60, .roomUnread: 60, .roomsStart: 300, .asked: 100,
        .output: 120, .roomsEnd: 20, .crash: 20, .power: 0, .synchronized: 15, .commit: 400, .tell: 400, .disk: 0,
        .pass: 200, .minutes: 1,
      ],
      opening: [Step(.synchronized, 1), Step(.disk), Step(.reload, 0), Step(.roomsEnd, 1), Step(.roomsStart)]),
    // Somebody pushes people again and again, over a slow disk.
    Weather([.siteSays: 300, .siteAnswers: 100, .disk: 20, .crash: 10, .linkUp: 150, .pass: 200]),
    // Home Assistant is restarted again and again, and its owner tries things out.
    Weather([.homeAssistant: 200, .asked: 150, .reload: 40, .linkLost: 40, .linkUp: 100, .pass: 200]),
    // Somebody tidies the store room up, and takes things out of it and back.
    Weather(
      [
        .scan: 300, .pieces: 60, .job: 40, .inventoryAnswers: 500, .inventoryStarts: 200, .inventoryEnds: 10,
        .inventoryChanges: 60, .press: 5, .edge: 5, .command: 5, .asked: 2, .pass: 200,
      ], secrets: [8]),
    // Somebody adds and takes pieces by numbers, and hardly anything else happens. The first number is refused.
    Weather(
      [
        .scan: 300, .pieces: 150, .job: 20, .inventoryAnswers: 1000, .inventoryStarts: 300, .inventoryEnds: 6,
        .tap: 5, .press: 2, .edge: 2, .command: 2, .asked: 2, .output: 2, .line: 0, .roomSays: 2, .siteSays: 2,
        .reload: 1, .crash: 1, .power: 0, .stop: 0, .minutes: 0, .disk: 0, .pass: 200,
      ],
      opening: [
        Step(.disk), Step(.crash), Step(.reload, 0), Step(.inventoryStarts), Step(.job), Step(.inventoryAnswers),
        Step(.pieces), Step(.inventoryAnswers), Step(.scan, 4), Step(.inventoryAnswers), Step(.inventoryAnswers, 7),
      ]),
    // A broker that closes the connection at some messages, and is restarted.
    Weather([
      .picky: 10, .linkUp: 300, .linkLost: 40, .asked: 100, .acknowledge: 200, .pass: 400, .commit: 250, .tell: 300,
      .refuse: 0, .unfillable: 0, .minutes: 1, .disk: 0,
    ]),
    // The only broker is restarted again and again before it answers: five times with the same entry in flight.
    Weather(
      [
        .picky: 4, .linkUp: 400, .linkLost: 150, .asked: 100, .acknowledge: 120, .pass: 500, .commit: 250, .tell: 300,
        .refuse: 0, .unfillable: 0, .minutes: 1, .disk: 0, .drop: 1, .crash: 5,
      ],
      opening: [
        Step(.disk), Step(.synchronized, 1), Step(.reload, 2), Step(.closed), Step(.drop), Step(.commit, 19),
        Step(.tell, 19), Step(.asked, 3), Step(.pass, 70_000),
      ]
        // After the last restart, an entry that was set aside would not be due yet.
        + [70_000, 70_000, 70_000, 70_000, 25_000].flatMap {
          [
            Step(.linkUp), Step(.commit, 19), Step(.tell, 19), Step(.pass, 3_000), Step(.linkLost), Step(.pass, $0),
            Step(.linkUp), Step(.pass, $0),
          ]
        } + [Step(.linkUp), Step(.pass, 5_000)]),
    tickets,
    // Fingers everywhere.
    Weather([.press: 150, .edge: 250, .line: 40, .pass: 200]),
  ]
}

/// Draws the steps of one story.
struct StoryTeller {
  private var random: Randomness
  private var weather = Weather.all[0]
  private var left = 0
  private var opening: ArraySlice<Step> = []
  private let isOfTickets: Bool

  init(seed: UInt64, ofTickets: Bool) {
    isOfTickets = ofTickets
    random = Randomness(seed: (seed, seed &* 0x9E37_79B9_7F4A_7C15, 7, ~seed))
  }

  mutating func next() -> Step {
    if left == 0 {
      weather = isOfTickets ? Weather.tickets : Weather.all[below(Weather.all.count)]
      left = 50 + below(500)
      opening = weather.opening[...]
    }
    if let step = opening.popFirst() { return step }
    left -= 1
    var draw = below(weather.total)
    for (kind, weight) in weather.weights {
      if draw < weight { return Step(kind, number(for: kind)) }
      draw -= weight
    }
    return Step(.pass, 1)
  }

  /// A number from 0 to `bound` - 1; the bias of the modulus does no harm here.
  private mutating func below(_ bound: Int) -> Int { Int(random.next() >> 33) % bound }

  private mutating func tappedCard() -> Int {
    let secrets = weather.secrets
    // Three cards for each.
    if !secrets.isEmpty, below(4) > 0 { return below(3) * Cast.secrets.count + secrets[below(secrets.count)] }
    return switch below(8) {
    case 0: below(Cast.cards.count)
    case 1, 2: Cast.cards.count - 1 - below(Cast.foreignCards.count)
    case _: below(Cast.genuineCount)
    }
  }

  private mutating func number(for kind: Step.Kind) -> Int {
    switch kind {
    case .inventoryEnds: below(3)
    case .inventoryAnswers: below(64)
    case .inventoryChanges: below(8)
    case .scan: below(6)
    case .pieces: below(4)
    case .job: below(5)
    case .roomsEnd: below(4)
    case .roomSays: below(8 * 16)
    case .siteSays: below(8 * 13)
    case .picky: below(3)
    case .siteAnswers: below(3) == 0 ? below(8) : 0
    case .roomReacts: below(8)
    case .roomInvites: below(8 * 3)
    case .roomUnread: below(6)
    case .inventoryStarts, .roomsStart, .readerStarts, .readerLost, .readerMalformed, .heartbeat, .hangs, .again,
      .leave, .linkUp,
      .webhookStarts, .early, .epoch,
      .stop, .replace:
      0
    case .readerEnds, .closed, .webhookEnds: below(3)
    case .webhookAnswers: below(24)
    // Mostly genuine ones, and often those of others.
    case .tap: tappedCard()
    case .torn, .hammer, .stale: below(Cast.cards.count)
    case .press, .edge: below(4)
    case .tagJob, .tagWritten: below(16)
    case .line: below(4) + (below(4) == 0 ? 100 + below(2) * 100 : 0)
    case .output: below(3) > 0 ? below(16) : below(4) + (below(4) > 0 ? 200 : 100)
    case .door: below(3) > 0 ? below(4) : below(4) + (below(4) > 0 ? 200 : 100)
    case .command: below(8 * 3 * 64)
    case .asked: below(4 * Cast.actions.count)
    case .linkFails, .linkLost, .homeAssistant: below(2)
    case .acknowledge, .acknowledgeTogether, .repeated, .refuse, .unfillable: below(16)
    case .drop: below(40)
    case .commit, .tell: below(3) == 0 ? below(20) : 0
    case .disk: below(3) == 0 ? 1 + below(4) : 0
    // From a millisecond to a minute.
    case .pass: (1 << below(14)) + below(5)
    case .minutes: 1 << below(11)
    case .synchronized: below(3) == 0 ? 0 : 1
    case .step: (below(2) == 0 ? 1 : -1) * (1 << below(14))
    case .reload: below(2) == 0 ? below(2) : below(Cast.settings.count)
    case .learned: below(Cast.learnedVersions.count)
    case .secrets: below(3) == 0 ? below(Cast.secretVersions.count) : 0
    case .certificates: below(20) - 2
    case .crash: below(2)
    case .power: below(4)
    }
  }
}
