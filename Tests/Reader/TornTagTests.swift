// Tags that are pulled away from a writing reader at each one of its exchanges. A suite is what runs beside others:
// these take long, so there are many.

import Foundation
import TappetCore
import TappetKiosk
import TappetStore
import TestSupport
import Testing

extension WritingRig {
  /// Has the job done for a tag that is placed by `words` and pulled away after this number of exchanges.
  ///
  /// A busy machine's reader may look after the tag in between, so that it is gone before the order comes: once more.
  fileprivate func tear(
    _ request: TagJobRequest, on words: String, after exchanges: Int
  ) throws -> (before: TagReading, run: TagJobRunner, outcome: OrderOutcome?) {
    for _ in 1...50 {
      let before = try place("place " + words)
      try rig.tell("take after \(exchanges)")
      let (run, outcome) = try perform(request, on: before.uid)
      guard outcome?.fault == .notThere else { return (before, run, outcome) }
      run.giveUp(.noTag)
      _ = try place("back")
    }
    throw TestFault("the tag was never there for the order")
  }

  /// Writes tags that are pulled away after each of these numbers of exchanges; returns how many were torn.
  ///
  /// It ends with the first number that is more than the writing takes.
  fileprivate func expectRepairs(_ tag: String, after numbers: ClosedRange<Int>) throws -> Int {
    for exchanges in numbers {
      let (before, run, outcome) = try tear(request(), on: tag, after: exchanges)
      if run.result?.isDone == true {
        // It was left alone long enough.
        #expect(try secretStore.usableSecrets().count == 1)
        return exchanges - numbers.lowerBound
      }
      guard case .pulledAway(let begun)? = outcome?.fault else {
        throw TestFault("pulledAway: \(String(describing: outcome))")
      }
      #expect(try secretStore.usableSecrets().isEmpty)
      run.giveUp(.noTag)
      #expect(run.result?.isDone == false)
      #expect(run.result?.sentence.contains(begun ? "write it again" : "nothing was changed") == true)
      let torn = try place("back")
      // Empty, as before, or as it was to be.
      let content = try? torn.uri()
      #expect(
        content == nil || content == (try? before.uri())
          || (begun && content?.starts(with: "smp://action?idx=0".utf8) == true))
      if !begun { #expect(torn.bytes == before.bytes) }
      #expect(try !works(torn))
      let (second, _) = try perform(request(), on: torn.uid)
      #expect(second.result?.isDone == true, "\(second.result?.sentence ?? "")")
      #expect(try secretStore.usableSecrets().count == 1)
      #expect(try works(self.content(of: torn)))
      try forgetSecrets()
    }
    return numbers.count
  }

  /// Formats blank tags that are pulled away after 1, 2, 3 … exchanges, until one is left alone long enough.
  fileprivate func expectFormat(_ model: String) throws {
    for exchanges in 1... {
      let (_, run, outcome) = try tear(request(.format), on: model + " blank", after: exchanges)
      if run.result?.isDone == true { return }
      #expect(
        outcome.map { if case .pulledAway? = $0.fault { true } else { false } } == true,
        "\(String(describing: outcome))")
      let torn = try place("back")
      let (second, _) = try perform(request(.format), on: torn.uid)
      #expect(second.result?.isDone == true, "\(second.result?.sentence ?? "")")
      #expect(throws: TagContentError.empty) { try content(of: torn).message() }
    }
  }
}

/// The first exchanges of writing a Type 2 tag; it takes more of them.
private let early = 1...16
/// The others, up to more than there are.
private let late = 17...200

@Suite struct TornNTAG213Tests {
  @Test func `an NTAG213 pulled away early keeps no secret that does not work, and a second write repairs it`()
    throws
  {
    let torn = try WritingRig().expectRepairs("ntag213 url=\(tagURL)", after: early)
    #expect(torn == early.count)
  }
}

@Suite struct TornLateNTAG213Tests {
  @Test func `an NTAG213 pulled away late keeps no secret that does not work, and a second write repairs it`()
    throws
  {
    let torn = try WritingRig().expectRepairs("ntag213 url=\(tagURL)", after: late)
    #expect(torn > 0 && torn < late.count)
  }
}

@Suite struct TornNTAG215Tests {
  @Test func `an NTAG215 pulled away early keeps no secret that does not work, and a second write repairs it`()
    throws
  {
    let torn = try WritingRig().expectRepairs("ntag215 empty", after: early)
    #expect(torn == early.count)
  }
}

@Suite struct TornLateNTAG215Tests {
  @Test func `an NTAG215 pulled away late keeps no secret that does not work, and a second write repairs it`()
    throws
  {
    let torn = try WritingRig().expectRepairs("ntag215 empty", after: late)
    #expect(torn > 0 && torn < late.count)
  }
}

@Suite struct TornNTAG203Tests {
  @Test func `an NTAG203 pulled away early keeps no secret that does not work, and a second write repairs it`()
    throws
  {
    let torn = try WritingRig().expectRepairs("ntag203 empty", after: early)
    #expect(torn == early.count)
  }
}

@Suite struct TornLateNTAG203Tests {
  @Test func `an NTAG203 pulled away late keeps no secret that does not work, and a second write repairs it`()
    throws
  {
    let torn = try WritingRig().expectRepairs("ntag203 empty", after: late)
    #expect(torn > 0 && torn < late.count)
  }
}

@Suite struct TornType4Tests {
  @Test func `a Type 4 tag pulled away keeps no secret that does not work, and a second write repairs it`() throws {
    let torn = try WritingRig().expectRepairs("type4 url=\(tagURL)", after: 1...200)
    #expect(torn > 5 && torn < 200)
  }
}

@Suite struct TornBlankNTAGTests {
  @Test func `an NTAG without a capability container gets one, whenever it is pulled away`() throws {
    try WritingRig().expectFormat("ntag203")
  }
}

// Not in the gate: it repeats the same with other tags.
@Suite(.serialized) struct TornTagVerifyTests {
  @Test func `an NTAG 424 pulled away keeps no secret that does not work, and a second write repairs it`() throws {
    let torn = try WritingRig().expectRepairs("ntag424 empty", after: 1...200)
    #expect(torn > 5 && torn < 200)
  }

  @Test(arguments: ["ntag213", "ntag216"])
  func `other NTAGs without a capability container get one, whenever they are pulled away`(_ model: String) throws {
    try WritingRig().expectFormat(model)
  }
}

@Suite(.serialized) struct TornBlankUltralightTests {
  @Test(arguments: ["ultralight", "ultralight-ev1-48"])
  func `an Ultralight without a capability container gets one, whenever it is pulled away`(_ model: String) throws {
    try WritingRig().expectFormat(model)
  }
}
